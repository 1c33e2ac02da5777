import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  FACTOR_ATTEMPTS,
  MultifactorErrors,
  RECENT_FACTOR,
  type EdgeRequest,
  type MultifactorAnswer,
  type MultifactorDevice,
  type MultifactorDeviceQuery,
  type RegistrationStart,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { SESSION_FACTS, SessionStore, type AttemptLimiter, type OneTimeTokens } from '@groupware/sessions';
import { accountOf } from '../login/account-attempts';
import { Cascade } from '../login/cascade';
import { AuditRepository } from '../persistence/audit.repository';
import { PropertyRepository } from '../persistence/property.repository';
import { FactorDeviceRepository, type FactorDevice } from './factor-device.repository';
import type { FactorContext, FactorFacts, FactorProvider } from './factor-provider';
import { FactorProviders } from './factor-providers';
import { FactorVault } from './factor-vault';

const REGISTRATION_MS = 600_000;
const MAX_DEVICES = 20;

/** A registration whose answer is to come. */
interface PendingDevice {
  readonly contextId: number;
  readonly userId: number;
  readonly provider: string;
  readonly name: string;
  readonly backup: boolean;
  readonly kept: FactorFacts;
}

/** A device as its user sees it. */
export const deviceView = ({ id, name, provider, backup, enabled }: FactorDevice): MultifactorDevice => ({
  id,
  name,
  providerName: provider,
  backup,
  enabled,
  parameters: {},
});

/** Registers and removes second factors. */
@Injectable()
export class FactorRegistration {
  private readonly pending: OneTimeTokens<PendingDevice>;
  /** Codes of text messages can be guessed while a telephone is registered. */
  private readonly attempts: AttemptLimiter<'user'>;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly devices: FactorDeviceRepository,
    private readonly providers: FactorProviders,
    private readonly properties: PropertyRepository,
    private readonly vault: FactorVault,
    private readonly audit: AuditRepository,
    private readonly sessions: SessionStore,
    private readonly cascade: Cascade,
    private readonly clock: Clock,
  ) {
    this.pending = sessions.oneTimeTokens({ kind: 'factor-registration', lifetimeMs: REGISTRATION_MS });
    this.attempts = sessions.attemptLimiter({
      name: 'factor-registration',
      limits: { user: { points: () => cascade.value(FACTOR_ATTEMPTS), windowMs: REGISTRATION_MS } },
    });
  }

  /**
   * Begins a registration.
   * @throws MFA-0001 while another factor is to be shown first, MFA-0015 when none was shown recently, MFA-0006, MFA-0007,
   * MFA-0019
   */
  async start(principal: UserPrincipal, device: MultifactorDevice, edge: EdgeRequest): Promise<RegistrationStart> {
    if (!device.providerName) throw MultifactorErrors.missingParameter('providerName');
    const provider = this.providers.named(device.providerName);
    const { contextId, userId } = principal;
    const { existing, offered } = await this.database.read(principal, async (db) => ({
      existing: await this.devices.ofUser(db, userId),
      offered: this.providers.offered(await this.properties.effective(db, userId)),
    }));
    if (!offered.includes(provider)) throw MultifactorErrors.providerNotAvailable(provider.name);
    const real = existing.filter(({ backup }) => !backup);
    await this.requireOwner(principal, existing);
    const backup = provider.isBackupOnly || (device.backup ?? false);
    if ((backup && real.length === 0) || existing.length >= MAX_DEVICES) throw MultifactorErrors.registrationFailed();
    const context = this.context(principal, edge, existing, provider);
    const { challenge, kept } = await provider.startRegistration(device, context);
    const deviceId = randomUUID();
    const name = device.name?.trim() || nameFor(provider, existing);
    await this.pending.put(deviceId, { contextId, userId, provider: provider.name, name, backup, kept });
    return { deviceId, challenge };
  }

  /**
   * Registers the device when the answer is right. The first device of a user has just been shown by that; further ones are
   * no second factor of the session, whose owner showed another one to register them.
   * @throws MFA-0001, MFA-0009, MFA-0015, MFA-0019, MFA-0022
   */
  async finish(
    principal: UserPrincipal,
    query: MultifactorDeviceQuery,
    answer: MultifactorAnswer,
    edge: EdgeRequest,
  ): Promise<MultifactorDevice> {
    const { contextId, userId, sessionId } = principal;
    const provider = this.providers.named(query.providerName);
    const id = query.deviceId.toLowerCase();
    const pending = await this.pending.peek(id);
    if (pending?.userId !== userId || pending.contextId !== contextId || pending.provider !== provider.name)
      throw MultifactorErrors.unknownDevice();
    const existing = await this.database.read(principal, (db) => this.devices.ofUser(db, userId));
    await this.requireOwner(principal, existing);
    const context = this.context(principal, edge, existing, provider);
    const { found: facts } = await this.attempts.attempt(
      { user: accountOf(contextId, userId) },
      () => provider.finishRegistration(pending.kept, answer, context),
      ({ waitSeconds }) => MultifactorErrors.lockedOut(waitSeconds),
    );
    if (!facts || !(await this.pending.take(id))) throw MultifactorErrors.registrationFailed();
    const device: FactorDevice = {
      id,
      userId,
      provider: provider.name,
      name: pending.name,
      backup: pending.backup,
      enabled: true,
      secret: this.vault.close(contextId, { id, userId }, facts),
      createdAt: this.clock.now(),
    };
    const isFirst = await this.database.transact(principal, async (tx) => {
      await this.devices.lockUser(tx, userId);
      const others = await this.devices.ofUser(tx, userId);
      // Another session may have registered the first one meanwhile.
      await this.requireOwner(principal, others);
      await this.devices.insert(tx, device);
      await this.note(tx, principal.login, 'create', device);
      return others.length === 0;
    });
    if (isFirst) await this.sessions.setParameter(sessionId, SESSION_FACTS.secondFactor, String(this.clock.now()));
    return deviceView(device);
  }

  /** Removes a device of the user. @throws MFA-0009, MFA-0015 when no second factor was shown recently */
  async remove(principal: UserPrincipal, query: MultifactorDeviceQuery): Promise<string[]> {
    const provider = this.providers.named(query.providerName);
    const isRecent = await this.hasRecentFactor(principal);
    return this.database.transact(principal, async (tx) => {
      const all = await this.devices.ofUser(tx, principal.userId);
      const device = all.find(
        ({ id, provider: name }) => id === query.deviceId.toLowerCase() && name === provider.name,
      );
      if (!device) throw MultifactorErrors.unknownDevice();
      if (!isRecent) throw MultifactorErrors.recentFactorNeeded();
      return this.removeOne(tx, device, all, principal.login);
    });
  }

  /** Whoever has the password or a session must not add a factor to an account that has one. @throws MFA-0001, MFA-0015 */
  private async requireOwner(principal: UserPrincipal, existing: readonly FactorDevice[]): Promise<void> {
    if (existing.every(({ backup }) => backup)) return;
    if (principal.secondFactorPending) throw MultifactorErrors.required();
    if (!(await this.hasRecentFactor(principal))) throw MultifactorErrors.recentFactorNeeded();
  }

  /** Whether the session showed a second factor a short time ago. */
  private async hasRecentFactor({ sessionId }: UserPrincipal): Promise<boolean> {
    const session = await this.sessions.peek(sessionId);
    const shownAt = Number(session?.parameters[SESSION_FACTS.secondFactor] ?? Number.NaN);
    return this.clock.now() - shownAt <= this.cascade.value(RECENT_FACTOR);
  }

  /** Removes a device, and the backups with the last real one: they cannot stand alone. Answers the ids. */
  async removeOne(
    tx: Transaction,
    device: FactorDevice,
    all: readonly FactorDevice[],
    actor: string,
  ): Promise<string[]> {
    const rest = all.filter((each) => each.id !== device.id);
    const gone = rest.some(({ backup }) => !backup) ? [device] : [device, ...rest];
    await this.devices.remove(
      tx,
      gone.map(({ id }) => id),
    );
    for (const each of gone) await this.note(tx, actor, 'delete', each);
    return gone.map(({ id }) => id);
  }

  /** Writes the audit line of a device; it never holds a secret. */
  private note(tx: Transaction, actor: string, action: string, device: FactorDevice): Promise<void> {
    const { parameters: _none, ...view } = deviceView(device);
    return this.audit.add(tx, {
      at: this.clock.now(),
      actor,
      action: `${action}-second-factor`,
      kind: 'user',
      objectId: device.userId,
      [action === 'delete' ? 'before' : 'after']: view,
    });
  }

  private context(
    principal: UserPrincipal,
    edge: EdgeRequest,
    existing: readonly FactorDevice[],
    provider: FactorProvider,
  ): FactorContext {
    const others = existing
      .filter((device) => device.provider === provider.name)
      .map((device) => this.vault.open(principal.contextId, device));
    return { principal, edge, others };
  }
}

/** `TOTP 2`, when the user gave no name. */
const nameFor = (provider: FactorProvider, existing: readonly FactorDevice[]): string =>
  `${provider.name} ${existing.filter((device) => device.provider === provider.name).length + 1}`;
