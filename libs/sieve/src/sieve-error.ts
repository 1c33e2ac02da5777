/** Text that is no Sieve, or exceeds a bound. */
export class SieveSyntaxError extends Error {
  override readonly name = 'SieveSyntaxError';

  constructor(
    readonly problem: string,
    /** Offset of the first character that does not fit. */
    readonly offset: number,
  ) {
    super(`${problem} at character ${offset}`);
  }
}
