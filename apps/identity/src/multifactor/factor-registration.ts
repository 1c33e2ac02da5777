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
import { toAccountKey } from '../attempts/account-attempts';
import { Cascade } from '../configuration/cascade';
import { AuditRepository } from '../persistence/audit.repository';
import { PropertyRepository } from '../configuration/property.repository';
import { FactorDeviceRepository, type FactorDevice } from './factor-device.repository';
import { withoutNulls, type FactorContext, type FactorFacts, type FactorProvider } from './factor-provider';
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
export const toDeviceView = ({ id, name, provider, backup, enabled }: FactorDevice): MultifactorDevice => ({
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
  /** Limits guesses at text message codes during registration. */
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
  async startRegistration(
    principal: UserPrincipal,
    device: MultifactorDevice,
    edge: EdgeRequest,
  ): Promise<RegistrationStart> {
    if (!device.providerName) throw MultifactorErrors.missingParameter('providerName');
    const provider = this.providers.getByName(device.providerName);
    const { contextId, userId } = principal;
    const { existing, offered } = await this.database.read(principal, async (db) => ({
      existing: await this.devices.listByUser(db, userId),
      offered: this.providers.listOffered(await this.properties.getEffective(db, userId)),
    }));
    if (!offered.includes(provider)) throw MultifactorErrors.providerNotAvailable(provider.name);
    const real = existing.filter(({ backup }) => !backup);
    requireOwner(principal, existing, await this.hasRecentFactor(principal));
    const backup = provider.isBackupOnly || (device.backup ?? false);
    if ((backup && real.length === 0) || existing.length >= MAX_DEVICES) throw MultifactorErrors.registrationFailed();
    const context = this.toFactorContext(principal, edge, existing, provider);
    const { challenge, kept } = await provider.startRegistration(device, context);
    const deviceId = randomUUID();
    const name = device.name?.trim() || buildDefaultName(provider, existing);
    await this.pending.putFacts(deviceId, { contextId, userId, provider: provider.name, name, backup, kept });
    return { deviceId, challenge };
  }

  /**
   * Registers the device when the answer is right. Registering the first device counts as showing it for the session;
   * further ones require that another factor was shown.
   * @throws MFA-0001, MFA-0009, MFA-0015, MFA-0019, MFA-0022
   */
  async finishRegistration(
    principal: UserPrincipal,
    query: MultifactorDeviceQuery,
    answer: MultifactorAnswer,
    edge: EdgeRequest,
  ): Promise<MultifactorDevice> {
    const { contextId, userId, sessionId } = principal;
    const provider = this.providers.getByName(query.providerName);
    const id = query.deviceId.toLowerCase();
    const pending = await this.pending.peekToken(id);
    if (pending?.userId !== userId || pending.contextId !== contextId || pending.provider !== provider.name)
      throw MultifactorErrors.unknownDevice();
    const existing = await this.database.read(principal, (db) => this.devices.listByUser(db, userId));
    const isRecent = await this.hasRecentFactor(principal);
    requireOwner(principal, existing, isRecent);
    const context = this.toFactorContext(principal, edge, existing, provider);
    const { found: facts } = await this.attempts.attempt(
      { user: toAccountKey(contextId, userId) },
      () => provider.finishRegistration(pending.kept, withoutNulls(answer), context),
      ({ waitSeconds }) => MultifactorErrors.lockedOut(waitSeconds),
    );
    if (!facts || !(await this.pending.redeemToken(id))) throw MultifactorErrors.registrationFailed();
    const device: FactorDevice = {
      id,
      userId,
      provider: provider.name,
      name: pending.name,
      backup: pending.backup,
      enabled: true,
      secret: this.vault.sealFacts(contextId, { id, userId }, facts),
      createdAt: this.clock.now(),
    };
    const isFirst = await this.database.transact(principal, async (tx) => {
      await this.devices.lockUser(tx, userId);
      const others = await this.devices.listByUser(tx, userId);
      // Another session may have registered a first device meanwhile.
      requireOwner(principal, others, isRecent);
      if (others.length >= MAX_DEVICES) throw MultifactorErrors.registrationFailed();
      await this.devices.insert(tx, device);
      await this.recordAudit(tx, principal.login, 'create', device);
      return others.length === 0;
    });
    if (isFirst) await this.sessions.setParameter(sessionId, SESSION_FACTS.secondFactor, String(this.clock.now()));
    return toDeviceView(device);
  }

  /** Removes a device of the user. @throws MFA-0009, MFA-0015 when no second factor was shown recently */
  async removeDevice(principal: UserPrincipal, query: MultifactorDeviceQuery): Promise<string[]> {
    const provider = this.providers.getByName(query.providerName);
    const isRecent = await this.hasRecentFactor(principal);
    return this.database.transact(principal, async (tx) => {
      await this.devices.lockUser(tx, principal.userId);
      const all = await this.devices.listByUser(tx, principal.userId);
      const device = all.find(
        ({ id, provider: name }) => id === query.deviceId.toLowerCase() && name === provider.name,
      );
      if (!device) throw MultifactorErrors.unknownDevice();
      if (!isRecent) throw MultifactorErrors.recentFactorNeeded();
      return this.removeWithBackups(tx, device, all, principal.login);
    });
  }

  /** Whether the session showed a second factor a short time ago. */
  private async hasRecentFactor({ sessionId }: UserPrincipal): Promise<boolean> {
    const session = await this.sessions.peek(sessionId);
    const shownAt = Number(session?.parameters[SESSION_FACTS.secondFactor] ?? Number.NaN);
    return this.clock.now() - shownAt <= this.cascade.value(RECENT_FACTOR);
  }

  /** Removes a device, and the backups with the last primary one: they cannot stand alone. Answers the ids. */
  async removeWithBackups(
    tx: Transaction,
    device: FactorDevice,
    all: readonly FactorDevice[],
    actor: string,
  ): Promise<string[]> {
    const rest = all.filter((each) => each.id !== device.id);
    const gone = rest.some(({ backup }) => !backup) ? [device] : [device, ...rest];
    await this.devices.delete(
      tx,
      gone.map(({ id }) => id),
    );
    for (const each of gone) await this.recordAudit(tx, actor, 'delete', each);
    return gone.map(({ id }) => id);
  }

  /** Writes the audit line of a device; it never holds a secret. */
  private recordAudit(tx: Transaction, actor: string, action: string, device: FactorDevice): Promise<void> {
    const { parameters: _none, ...view } = toDeviceView(device);
    return this.audit.insert(tx, {
      at: this.clock.now(),
      actor,
      action: `${action}-second-factor`,
      kind: 'user',
      objectId: device.userId,
      [action === 'delete' ? 'before' : 'after']: view,
    });
  }

  private toFactorContext(
    principal: UserPrincipal,
    edge: EdgeRequest,
    existing: readonly FactorDevice[],
    provider: FactorProvider,
  ): FactorContext {
    const others = existing
      .filter((device) => device.provider === provider.name)
      .map((device) => this.vault.unsealFacts(principal.contextId, device));
    return { principal, edge, others };
  }
}

/** Default name of a device, such as `TOTP 2`. */
const buildDefaultName = (provider: FactorProvider, existing: readonly FactorDevice[]): string =>
  `${provider.name} ${existing.filter((device) => device.provider === provider.name).length + 1}`;

/**
 * Requires a recent second factor: password or session alone must not add one to an account that has one.
 * @throws MFA-0001, MFA-0015
 */
function requireOwner(principal: UserPrincipal, existing: readonly FactorDevice[], isRecent: boolean): void {
  if (existing.every(({ backup }) => backup)) return;
  if (principal.secondFactorPending) throw MultifactorErrors.required();
  if (!isRecent) throw MultifactorErrors.recentFactorNeeded();
}
