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
import { SESSION_FACTS, SessionStore, type OneTimeTokens, type RateLimiter } from '@groupware/sessions';
import { Cascade } from '../login/cascade';
import { FactorDeviceRepository, type FactorDevice } from './factor-device.repository';
import type { FactorContext, FactorFacts, FactorOutcome } from './factor-provider';
import { FactorProviders } from './factor-providers';
import { FactorVault } from './factor-vault';

const CHALLENGE_MS = 300_000;
const ATTEMPTS_WINDOW_MS = 600_000;

/** Shows second factors: begins, checks answers, opens sessions. */
@Injectable()
export class SecondFactors {
  private readonly log = Logger.for('identity.multifactor');
  private readonly challenges: OneTimeTokens<FactorFacts>;
  private readonly attempts: RateLimiter;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly devices: FactorDeviceRepository,
    private readonly providers: FactorProviders,
    private readonly vault: FactorVault,
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
    private readonly cascade: Cascade,
  ) {
    this.challenges = sessions.oneTimeTokens({ kind: 'factor', lifetimeMs: CHALLENGE_MS });
    this.attempts = sessions.rateLimiter({ name: 'factor', points: () => this.points, windowMs: ATTEMPTS_WINDOW_MS });
  }

  private get points(): number {
    return this.cascade.value(FACTOR_ATTEMPTS);
  }

  /** Begins an authentication. @throws MFA-0006, MFA-0009, MFA-0004 */
  async start(principal: UserPrincipal, query: MultifactorDeviceQuery, edge: EdgeRequest): Promise<object> {
    const provider = this.providers.named(query.providerName);
    const device = await this.device(principal, provider.name, query.deviceId);
    const facts = this.vault.open(principal.contextId, device);
    const { challenge, kept } = await provider.startAuthentication(facts, { principal, edge, others: [] });
    await this.challenges.put(challengeOf(principal, device.id), kept);
    return challenge;
  }

  /**
   * Checks an answer; a right one opens the session.
   * @throws MFA-0023 for a wrong one, MFA-0022 after too many, MFA-0006, MFA-0009
   */
  async finish(
    principal: UserPrincipal,
    query: MultifactorDeviceQuery,
    answer: MultifactorAnswer,
    edge: EdgeRequest,
  ): Promise<void> {
    const { contextId, userId, sessionId } = principal;
    const key = `${contextId}:${userId}`;
    const wait = await this.attempts.waitSeconds(key);
    if (wait > 0) throw MultifactorErrors.lockedOut(wait);
    const provider = this.providers.named(query.providerName);
    const device = await this.device(principal, provider.name, query.deviceId);
    const context: FactorContext = { principal, edge, others: [] };
    const name = challengeOf(principal, device.id);
    const kept = await this.challenges.peek(name);
    const facts = this.vault.open(contextId, device);
    const outcome = await provider.finishAuthentication(facts, kept, answer, context);
    // Whoever takes the challenge and writes the device first has won: an answer is good once.
    const isFirst = kept === undefined || (await this.takenIf(outcome !== undefined, name));
    if (!outcome || !isFirst || !(await this.write(contextId, device, outcome))) {
      await this.attempts.count(key);
      this.log.info({ contextId, userId, provider: provider.name }, 'second factor refused');
      const left = this.points - (await this.used(key));
      throw MultifactorErrors.failedWithAttempts(Math.max(0, left));
    }
    await this.attempts.reset(key);
    await this.sessions.setParameter(sessionId, SESSION_FACTS.secondFactor, String(this.clock.now()));
    this.log.info({ contextId, userId, provider: provider.name }, 'second factor shown');
  }

  /** A device of the user. @throws MFA-0009, also for those of others */
  async device({ contextId, userId }: UserPrincipal, provider: string, id: string): Promise<FactorDevice> {
    const all = await this.database.read({ contextId }, (db) => this.devices.ofUser(db, userId));
    const device = all.find((each) => each.id === id.toLowerCase() && each.provider === provider);
    if (!device?.enabled) throw MultifactorErrors.unknownDevice();
    return device;
  }

  private async takenIf(isRight: boolean, name: string): Promise<boolean> {
    return !isRight || (await this.challenges.take(name)) !== undefined;
  }

  private write(contextId: number, device: FactorDevice, outcome: FactorOutcome): Promise<boolean> {
    return this.database.transact({ contextId }, async (tx) => {
      if (outcome.usedUp) return (await this.devices.remove(tx, [device.id])) > 0;
      const secret = this.vault.close(contextId, device, outcome.facts);
      return this.devices.noteUse(tx, device, secret, this.clock.now());
    });
  }

  private async used(key: string): Promise<number> {
    return this.attempts.counted(key);
  }
}

const challengeOf = ({ sessionId }: UserPrincipal, deviceId: string): string => `${sessionId}/${deviceId}`;
