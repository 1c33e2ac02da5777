import { Injectable } from '@nestjs/common';
import {
  FACTOR_ATTEMPTS,
  MultifactorErrors,
  type EdgeRequest,
  type MultifactorAnswer,
  type MultifactorDeviceQuery,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import { SESSION_FACTS, SessionStore, type OneTimeTokens } from '@groupware/sessions';
import { AccountAttempts, toAccountKey } from '../attempts/account-attempts';
import { Cascade } from '../configuration/cascade';
import { FactorDeviceRepository, type FactorDevice } from './factor-device.repository';
import { withoutNulls, type FactorContext, type FactorFacts, type FactorOutcome } from './factor-provider';
import { FactorProviders } from './factor-providers';
import { FactorVault } from './factor-vault';

const CHALLENGE_MS = 300_000;
const ATTEMPTS_WINDOW_MS = 600_000;

/** Authenticates by second factors: creates challenges, checks answers, unlocks sessions. */
@Injectable()
export class SecondFactors {
  private readonly log = Logger.for('identity.multifactor');
  private readonly challenges: OneTimeTokens<FactorFacts>;
  private readonly attempts: AccountAttempts;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly devices: FactorDeviceRepository,
    private readonly providers: FactorProviders,
    private readonly vault: FactorVault,
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
    cascade: Cascade,
  ) {
    this.challenges = sessions.oneTimeTokens({ kind: 'factor', lifetimeMs: CHALLENGE_MS });
    const points = () => cascade.value(FACTOR_ATTEMPTS);
    // Guessers here know the password already: all unknown sites share one budget.
    this.attempts = new AccountAttempts(sessions, 'factor', {
      perPair: points,
      perAccount: points,
      windowMs: () => ATTEMPTS_WINDOW_MS,
    });
  }

  /** Begins an authentication. @throws MFA-0006, MFA-0009, MFA-0004 */
  async startAuthentication(
    principal: UserPrincipal,
    query: MultifactorDeviceQuery,
    edge: EdgeRequest,
  ): Promise<object> {
    const provider = this.providers.getByName(query.providerName);
    const device = await this.getDevice(principal, provider.name, query.deviceId);
    const facts = this.vault.unsealFacts(principal.contextId, device);
    const { challenge, kept } = await provider.startAuthentication(facts, { principal, edge, others: [] });
    await this.challenges.putFacts(toChallengeKey(principal, device.id), kept);
    return challenge;
  }

  /**
   * Checks an answer; a right one opens the session.
   * @throws MFA-0023 for a wrong one, MFA-0022 after too many, MFA-0006, MFA-0009
   */
  async finishAuthentication(
    principal: UserPrincipal,
    query: MultifactorDeviceQuery,
    answer: MultifactorAnswer,
    edge: EdgeRequest,
  ): Promise<void> {
    const provider = this.providers.getByName(query.providerName);
    const device = await this.getDevice(principal, provider.name, query.deviceId);
    await this.requireAnswer([device], answer, { principal, edge, others: [] });
    await this.unlockSession(principal);
  }

  /** Checks a code by whichever device it is of; a right one opens the session. @throws MFA-0023, MFA-0022 */
  async finishAuthenticationByCode(principal: UserPrincipal, code: string, edge: EdgeRequest): Promise<void> {
    await this.requireCode(principal, code, edge);
    await this.unlockSession(principal);
  }

  /** Checks a code by whichever device of the user it is of. @throws MFA-0023 for a wrong one, MFA-0022 after too many */
  async requireCode(principal: UserPrincipal, code: string, edge: EdgeRequest): Promise<void> {
    const devices = await this.listCodeDevices(principal);
    await this.requireAnswer(devices, { secret_code: code }, { principal, edge, others: [] });
  }

  /** Lists the devices of a user whose codes need no challenge. */
  async listCodeDevices({ contextId, userId }: Pick<UserPrincipal, 'contextId' | 'userId'>): Promise<FactorDevice[]> {
    const all = await this.database.read({ contextId }, (db) => this.devices.listByUser(db, userId));
    return all.filter(({ enabled, provider }) => enabled && this.providers.getByName(provider).takesCode);
  }

  /** Counts an attempt, and checks an answer by the first of the devices that takes it. @throws MFA-0023, MFA-0022 */
  private async requireAnswer(
    devices: readonly FactorDevice[],
    answer: MultifactorAnswer,
    context: FactorContext,
  ): Promise<void> {
    const { contextId, userId } = context.principal;
    const attempted = { account: toAccountKey(contextId, userId), address: context.edge.remoteAddress };
    const { found, remaining } = await this.attempts.attempt(
      attempted,
      async () => {
        for (const device of devices) if (await this.checkAnswer(device, answer, context)) return device;
        return undefined;
      },
      ({ waitSeconds }) => MultifactorErrors.lockedOut(waitSeconds),
    );
    if (!found) {
      this.log.info({ contextId, userId, providers: devices.map(({ provider }) => provider) }, 'second factor refused');
      throw MultifactorErrors.failedWithAttempts(remaining);
    }
    await this.attempts.rememberAddress(attempted);
    this.log.info({ contextId, userId, provider: found.provider }, 'second factor shown');
  }

  private async unlockSession({ sessionId }: UserPrincipal): Promise<void> {
    await this.sessions.setParameter(sessionId, SESSION_FACTS.secondFactor, String(this.clock.now()));
  }

  /** True for a right answer used for the first time; undefined otherwise. */
  private async checkAnswer(
    device: FactorDevice,
    answer: MultifactorAnswer,
    context: FactorContext,
  ): Promise<true | undefined> {
    const { principal } = context;
    const provider = this.providers.getByName(device.provider);
    const name = toChallengeKey(principal, device.id);
    const kept = await this.challenges.peekToken(name);
    const facts = this.vault.unsealFacts(principal.contextId, device);
    const outcome = await provider.finishAuthentication(facts, kept, withoutNulls(answer), context);
    if (!outcome) return undefined;
    // The first to redeem the challenge and update the device wins: an answer is valid once.
    if (kept !== undefined && (await this.challenges.redeemToken(name)) === undefined) return undefined;
    return (await this.updateDevice(principal.contextId, device, outcome)) || undefined;
  }

  /** A device of the user. @throws MFA-0009, also for those of others */
  async getDevice({ contextId, userId }: UserPrincipal, provider: string, id: string): Promise<FactorDevice> {
    const all = await this.database.read({ contextId }, (db) => this.devices.listByUser(db, userId));
    const device = all.find((each) => each.id === id.toLowerCase() && each.provider === provider);
    if (!device?.enabled) throw MultifactorErrors.unknownDevice();
    return device;
  }

  private updateDevice(contextId: number, device: FactorDevice, outcome: FactorOutcome): Promise<boolean> {
    return this.database.transact({ contextId }, async (tx) => {
      if (outcome.usedUp) return (await this.devices.delete(tx, [device.id])) > 0;
      const secret = this.vault.sealFacts(contextId, device, outcome.facts);
      return this.devices.recordUse(tx, device, secret, this.clock.now());
    });
  }
}

const toChallengeKey = ({ sessionId }: UserPrincipal, deviceId: string): string => `${sessionId}/${deviceId}`;
