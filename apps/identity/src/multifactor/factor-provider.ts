import type { EdgeRequest, MultifactorAnswer, MultifactorDevice, UserPrincipal } from '@groupware/contracts';

/** What a provider must remember about a device, or between two steps. JSON. */
export type FactorFacts = Readonly<Record<string, unknown>>;

/** Whoever shows or registers a factor, and from where. */
export interface FactorContext {
  readonly principal: UserPrincipal;
  readonly edge: EdgeRequest;
  /** Facts about the other devices of the same kind, so that one is not registered twice. */
  readonly others: readonly FactorFacts[];
}

/** The begin of a step: what the client gets, and what must be remembered until the answer. */
export interface FactorChallenge {
  readonly challenge: object;
  readonly kept: FactorFacts;
}

/** Outcome of an answer. */
export interface FactorOutcome {
  /** Facts of the device from now on, such as a counter. */
  readonly facts: FactorFacts;
  /** The device was good once: it goes. */
  readonly usedUp?: boolean;
}

/** One kind of second factor. */
export interface FactorProvider {
  readonly name: string;
  /** Its devices may be backups. */
  readonly mayBeBackup: boolean;
  /** Its devices are backups only. */
  readonly isBackupOnly: boolean;
  /** False when the operator did not set up what it needs. */
  readonly isReady: boolean;
  /** Begins a registration. @throws MFA errors */
  startRegistration(device: MultifactorDevice, context: FactorContext): Promise<FactorChallenge>;
  /** Facts of the new device, or undefined when the answer is wrong. */
  finishRegistration(
    kept: FactorFacts,
    answer: MultifactorAnswer,
    context: FactorContext,
  ): Promise<FactorFacts | undefined>;
  /** Begins an authentication. */
  startAuthentication(facts: FactorFacts, context: FactorContext): Promise<FactorChallenge>;
  /** The outcome, or undefined when the answer is wrong. `kept` is absent when no authentication was begun. */
  finishAuthentication(
    facts: FactorFacts,
    kept: FactorFacts | undefined,
    answer: MultifactorAnswer,
    context: FactorContext,
  ): Promise<FactorOutcome | undefined>;
}
