/** Why a rule cannot be used: `INVALID_RULE` = breaks RFC 5545, `TOO_COMPLEX` = the answer would cost more steps than allowed. */
export type RecurrenceErrorCode = 'INVALID_RULE' | 'TOO_COMPLEX';

/** The only error this library throws for input it was given; `code` tells callers which client error to answer with. */
export class RecurrenceError extends Error {
  constructor(
    readonly code: RecurrenceErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'RecurrenceError';
  }
}
