/** An argument of a command or test (RFC 5228, section 2.6). */
export type SieveArgument =
  | { readonly kind: 'tag'; /** In lower case, without the colon. */ readonly name: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'list'; readonly values: readonly string[] };

/** A test with its arguments, and the tests below it. */
export interface SieveTest {
  /** In lower case. */
  readonly name: string;
  readonly arguments: readonly SieveArgument[];
  readonly tests: readonly SieveTest[];
}

/** A command with its arguments, tests and block. */
export interface SieveCommand extends SieveTest {
  /** Undefined for a command that ends with a semicolon. */
  readonly block?: readonly SieveCommand[];
}

/** A command in its text. */
export interface PlacedCommand extends SieveCommand {
  readonly start: number;
  /** Offset behind its last character. */
  readonly end: number;
}

/** Builds arguments. */
export const tag = (name: string): SieveArgument => ({ kind: 'tag', name });
export const number = (value: number): SieveArgument => ({ kind: 'number', value });
export const text = (value: string): SieveArgument => ({ kind: 'text', value });
export const list = (values: readonly string[]): SieveArgument => ({ kind: 'list', values });
