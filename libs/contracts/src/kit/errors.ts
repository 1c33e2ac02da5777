/** Categories of the API's errors with their numbers. */
export const CATEGORIES = {
  USER_INPUT: 1,
  CONFIGURATION: 2,
  PERMISSION_DENIED: 3,
  TRY_AGAIN: 4,
  SERVICE_DOWN: 5,
  ERROR: 8,
  CONFLICT: 9,
  CAPACITY: 11,
  TRUNCATED: 12,
  WARNING: 13,
} as const;

/** Name of an error category. */
export type Category = keyof typeof CATEGORIES;

/** One row of an error table. */
export interface ErrorRow {
  /** Number within the prefix; never reused. */
  readonly number: number;
  readonly category: Category;
  /** English technical text with `%1`, `%2` … for parameters; becomes `error_desc`. */
  readonly message: string;
  /** English text for the person who must act; default: `message`, or a generic text for ERROR and CONFIGURATION. */
  readonly display?: string;
  /** HTTP status of REST operations (default 400, 403, 409 … by category) and of module calls that {@link edgeStatus} names. */
  readonly http?: number;
  /** Also answer module calls with the status of `http`, as the API documents for few errors. */
  readonly edgeStatus?: boolean;
  /** True when the call may have been done all the same: under its idempotency key it does not begin again. */
  readonly mayBeDone?: boolean;
}

/** An entry of the catalogue: the row with its names. */
export interface ErrorEntry extends ErrorRow {
  /** `PREFIX-0000`, number padded to four digits. */
  readonly code: string;
  /** `PREFIX.name`: unique, key of translations. */
  readonly key: string;
}

/** Data that travels beside an error. */
export interface ErrorDetails {
  /** Logged with the error, never sent to a client. */
  readonly cause?: unknown;
  /** Written to `problematic`. */
  readonly problematic?: readonly unknown[];
  /** Error objects of warnings that led to the refusal, written to `warnings`. */
  readonly warnings?: readonly object[];
  /** Column numbers of values that were too long. */
  readonly truncated?: readonly number[];
  /** Extra response headers, such as Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A foreseen failure with a row in an error table. The only kind of error that module code throws. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
  readonly code: string;

  constructor(
    readonly entry: ErrorEntry,
    readonly params: readonly string[],
    readonly details: ErrorDetails = {},
    /** Set where the error was first caught; the same id is in the logs of every hop. */
    public errorId?: string,
  ) {
    super(`${entry.code} ${formatMessage(entry.message, params)}`, { cause: details.cause });
    this.code = entry.code;
  }

  /** The same error with details added. */
  with(details: ErrorDetails): CatalogueError {
    return new CatalogueError(this.entry, this.params, { ...this.details, ...details }, this.errorId);
  }

  /** True when this error was made from the given row. */
  is(factory: ErrorFactory): boolean {
    return this.entry.key === factory.entry.key;
  }
}

/** Makes errors of one row; `entry` is the row. Parameters are turned into text and cut to {@link MAX_PARAM_LENGTH}. */
export interface ErrorFactory {
  (...params: unknown[]): CatalogueError;
  readonly entry: ErrorEntry;
}

/** Whether a caught value is a catalogue error made from one of the given rows. */
export const isCatalogueError = (value: unknown, ...factories: readonly ErrorFactory[]): value is CatalogueError =>
  value instanceof CatalogueError && factories.some((factory) => value.is(factory));

/** Longest parameter that is written into an error. */
export const MAX_PARAM_LENGTH = 200;

const entries = new Map<string, ErrorEntry>();

/** Every declared error by key. */
export const allErrors = (): readonly ErrorEntry[] => [...entries.values()];

/** The row of a key, as it came over the bus. */
export const errorByKey = (key: string): ErrorEntry | undefined => entries.get(key);

// Control characters would let a value forge log lines.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f\u2028\u2029]/g;
const asText = (value: unknown): string => {
  const text = String(value ?? '').replace(CONTROL, ' ');
  return text.length > MAX_PARAM_LENGTH ? `${text.slice(0, MAX_PARAM_LENGTH)}…` : text;
};

/**
 * Declares the error table of a module.
 * @example const MailAccountErrors = errorCatalog('ACC', { notFound: { number: 2, category: 'ERROR', message: '…' } });
 */
export function errorCatalog<T extends Record<string, ErrorRow>>(
  prefix: string,
  rows: T,
): { readonly [K in keyof T]: ErrorFactory } {
  const factories: Record<string, ErrorFactory> = {};
  for (const [name, row] of Object.entries(rows)) {
    const key = `${prefix}.${name}`;
    const entry: ErrorEntry = { ...row, key, code: `${prefix}-${String(row.number).padStart(4, '0')}` };
    if (entries.has(key)) throw new Error(`error ${key} is declared twice`);
    entries.set(key, entry);
    factories[name] = Object.assign((...params: unknown[]) => new CatalogueError(entry, params.map(asText)), { entry });
  }
  return factories as { readonly [K in keyof T]: ErrorFactory };
}

/** Fills `%1` … `%9` with parameters. */
export function formatMessage(template: string, params: readonly string[]): string {
  return template.replace(/%([1-9])/g, (_match, index: string) => params[Number(index) - 1] ?? '');
}

const STATUS: Record<Category, number> = {
  USER_INPUT: 400,
  CONFIGURATION: 500,
  PERMISSION_DENIED: 403,
  TRY_AGAIN: 503,
  SERVICE_DOWN: 503,
  ERROR: 500,
  CONFLICT: 409,
  CAPACITY: 413,
  TRUNCATED: 400,
  WARNING: 200,
};

/** HTTP status of a REST operation that failed with this row. */
export const httpStatusOf = (entry: ErrorEntry): number => entry.http ?? STATUS[entry.category];

/** Whether an error is a fault of a service: one that a client caused is none, whatever its category. */
export const isServiceFault = (entry: ErrorEntry): boolean => entry.category === 'ERROR' && httpStatusOf(entry) >= 500;
