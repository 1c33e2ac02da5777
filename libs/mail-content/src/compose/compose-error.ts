/** Why a mail cannot be written as it was asked for. */
export type ComposeFailure = 'controlCharacter' | 'badAddress' | 'badHeader';

/** A mail that cannot be written: `field` and `value` say what is wrong. */
export class ComposeError extends Error {
  constructor(
    readonly reason: ComposeFailure,
    readonly field: string,
    readonly value = '',
  ) {
    super(`the mail cannot be written: ${reason} in ${field}`);
    this.name = 'ComposeError';
  }
}
