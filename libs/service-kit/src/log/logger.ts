import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallSurroundings } from '@groupware/messaging';
import pino, { type DestinationStream, type Logger as Pino } from 'pino';

/** What every line of a call's log carries. */
export interface LogLabels {
  readonly requestId?: string;
  readonly module?: string;
  readonly action?: string;
  readonly context?: number;
  readonly user?: number;
  /** W3C trace context. */
  readonly trace?: string;
}

interface Stored {
  readonly labels: LogLabels;
  readonly deadline?: number;
}

const stored = new AsyncLocalStorage<Stored>();

/**
 * Runs something with labels that every log line inside carries.
 * @param deadline point in time (ms UTC) that calls made inside inherit
 */
export const withLabels = <T>(labels: LogLabels, run: () => T, deadline?: number): T =>
  stored.run({ labels, deadline }, run);

/** What calls to other services inherit from the call being answered. */
export function surroundings(): CallSurroundings | undefined {
  const here = stored.getStore();
  return here && { requestId: here.labels.requestId, trace: here.labels.trace, deadline: here.deadline };
}

/** Names of fields that are never written: the last line of defence. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'password',
  'passwd',
  'secret',
  'token',
  'authorization',
  'cookie',
  'cookies',
]);
const CENSOR = '***';
/** Fields of fields of fields are looked at, no deeper. */
const CENSORED_DEPTH = 2;

/** The same fields without secrets; copies only what holds one. pino's own redaction costs more than writing the line. */
function censored(fields: object, depth = CENSORED_DEPTH): object {
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(fields)) {
    let clean: unknown = value;
    if (SECRET_FIELDS.has(name)) clean = CENSOR;
    else if (depth > 0 && typeof value === 'object' && value !== null && !(value instanceof Error))
      clean = censored(value as object, depth - 1);
    if (clean !== value)
      (copy ??= (Array.isArray(fields) ? [...fields] : { ...fields }) as Record<string, unknown>)[name] = clean;
  }
  return copy ?? fields;
}

const OPTIONS: pino.LoggerOptions = {
  level: 'info',
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (level) => ({ level }), log: (fields) => censored(fields) as Record<string, unknown> },
  // A copy: pino writes the fields of the line into what it gets here.
  mixin: () => ({ ...stored.getStore()?.labels }),
};

/** Lines wait at most so long in memory, ms: one system call for many lines. */
const FLUSH_MS = 100;

/** Standard output, written in batches; what is left is written when the process ends, also by an error. */
function standardOutput(): DestinationStream {
  const destination = pino.destination({ dest: 1, sync: false, minLength: 8 * 1024 });
  // A reader that went away must not end the process.
  destination.on('error', () => {});
  setInterval(() => destination.flush(), FLUSH_MS).unref();
  process.on('exit', () => {
    try {
      destination.flushSync();
    } catch {
      // Nobody reads any more.
    }
  });
  return destination;
}

let root: Pino | undefined;
let level = 'info';

/** Sets the level of the whole process. */
export function setLogLevel(wanted: string): void {
  level = wanted;
  if (root) root.level = wanted;
}

/** Sends the log elsewhere: for tests. */
export function setLogDestination(stream: { write(line: string): void }, wanted = 'trace'): void {
  level = wanted;
  root = pino({ ...OPTIONS, level }, stream);
}

// Opened with the first line, so that a program that merely imports the kit has no timer and no hook.
const current = (): Pino => (root ??= pino({ ...OPTIONS, level }, standardOutput()));

/** A log of one subsystem: fields instead of sentences, never a secret. */
export class Logger {
  private child: Pino | undefined;
  private parent: Pino | undefined;

  private constructor(readonly name: string) {}

  /** The logger of a subsystem, such as `calendar.conflicts`. */
  static for(name: string): Logger {
    return new Logger(name);
  }

  /** True when lines of the level are written: for fields that are costly to make. */
  isEnabled(wanted: 'debug' | 'info' | 'warn' | 'error'): boolean {
    return this.pino.isLevelEnabled(wanted);
  }

  debug(fields: object, message?: string): void {
    this.pino.debug(fields, message);
  }
  info(fields: object, message?: string): void {
    this.pino.info(fields, message);
  }
  warn(fields: object, message?: string): void {
    this.pino.warn(fields, message);
  }
  error(fields: object, message?: string): void {
    this.pino.error(fields, message);
  }

  private get pino(): Pino {
    const parent = current();
    if (!this.child || this.parent !== parent) {
      this.parent = parent;
      this.child = parent.child({ logger: this.name }, { level: parent.level });
    }
    // Levels of children are copies: one that was made before a change follows here.
    if (this.child.level !== parent.level) this.child.level = parent.level;
    return this.child;
  }
}
