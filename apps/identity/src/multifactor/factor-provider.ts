import type { EdgeRequest, MultifactorAnswer, MultifactorDevice, UserPrincipal } from '@groupware/contracts';

/** State a provider stores about a device, or between two steps. JSON. */
export type FactorFacts = Readonly<Record<string, unknown>>;

/** Principal and request of a registration or authentication. */
export interface FactorContext {
  readonly principal: UserPrincipal;
  readonly edge: EdgeRequest;
  /** Facts about the other devices of the same kind, so that one is not registered twice. */
  readonly others: readonly FactorFacts[];
}

/** Start of a step: the challenge for the client, and the state kept until its answer. */
export interface FactorChallenge {
  readonly challenge: object;
  readonly kept: FactorFacts;
}

/** Outcome of an answer. */
export interface FactorOutcome {
  /** Facts of the device from now on, such as a counter. */
  readonly facts: FactorFacts;
  /** The device was for single use and is removed. */
  readonly usedUp?: boolean;
}

/** One kind of second factor. */
export interface FactorProvider {
  readonly name: string;
  /** Its devices may be backups. */
  readonly mayBeBackup: boolean;
  /** Its devices are backups only. */
  readonly isBackupOnly: boolean;
  /** Its answer is a code that the user has without a challenge. */
  readonly takesCode: boolean;
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

/** An answer without the fields that are null: they count as absent. */
export const withoutNulls = (answer: MultifactorAnswer): MultifactorAnswer =>
  Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null));
