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
import { AccountAttempts, accountOf } from '../login/account-attempts';
import { Cascade } from '../login/cascade';
import { FactorDeviceRepository, type FactorDevice } from './factor-device.repository';
import type { FactorContext, FactorFacts, FactorOutcome, FactorProvider } from './factor-provider';
import { FactorProviders } from './factor-providers';
import { FactorVault } from './factor-vault';

const CHALLENGE_MS = 300_000;
const ATTEMPTS_WINDOW_MS = 600_000;

/** Shows second factors: begins, checks answers, opens sessions. */
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
    // Whoever guesses here has the password already: places that are not known share the attempts of one.
    this.attempts = new AccountAttempts(sessions, 'factor', {
      perPair: points,
      perAccount: points,
      windowMs: () => ATTEMPTS_WINDOW_MS,
    });
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
    const provider = this.providers.named(query.providerName);
    const device = await this.device(principal, provider.name, query.deviceId);
    const attempted = { account: accountOf(contextId, userId), address: edge.remoteAddress };
    const { found, remaining } = await this.attempts.attempt(
      attempted,
      () => this.check(provider, device, answer, { principal, edge, others: [] }),
      ({ waitSeconds }) => MultifactorErrors.lockedOut(waitSeconds),
    );
    if (!found) {
      this.log.info({ contextId, userId, provider: provider.name }, 'second factor refused');
      throw MultifactorErrors.failedWithAttempts(remaining);
    }
    await this.attempts.remember(attempted);
    await this.sessions.setParameter(sessionId, SESSION_FACTS.secondFactor, String(this.clock.now()));
    this.log.info({ contextId, userId, provider: provider.name }, 'second factor shown');
  }

  /** True for a right answer that nobody used before; undefined for another. */
  private async check(
    provider: FactorProvider,
    device: FactorDevice,
    answer: MultifactorAnswer,
    context: FactorContext,
  ): Promise<true | undefined> {
    const { principal } = context;
    const name = challengeOf(principal, device.id);
    const kept = await this.challenges.peek(name);
    const facts = this.vault.open(principal.contextId, device);
    const outcome = await provider.finishAuthentication(facts, kept, answer, context);
    if (!outcome) return undefined;
    // Whoever takes the challenge and writes the device first has won: an answer is good once.
    if (kept !== undefined && (await this.challenges.take(name)) === undefined) return undefined;
    return (await this.write(principal.contextId, device, outcome)) || undefined;
  }

  /** A device of the user. @throws MFA-0009, also for those of others */
  async device({ contextId, userId }: UserPrincipal, provider: string, id: string): Promise<FactorDevice> {
    const all = await this.database.read({ contextId }, (db) => this.devices.ofUser(db, userId));
    const device = all.find((each) => each.id === id.toLowerCase() && each.provider === provider);
    if (!device?.enabled) throw MultifactorErrors.unknownDevice();
    return device;
  }

  private write(contextId: number, device: FactorDevice, outcome: FactorOutcome): Promise<boolean> {
    return this.database.transact({ contextId }, async (tx) => {
      if (outcome.usedUp) return (await this.devices.remove(tx, [device.id])) > 0;
      const secret = this.vault.close(contextId, device, outcome.facts);
      return this.devices.noteUse(tx, device, secret, this.clock.now());
    });
  }
}

const challengeOf = ({ sessionId }: UserPrincipal, deviceId: string): string => `${sessionId}/${deviceId}`;
