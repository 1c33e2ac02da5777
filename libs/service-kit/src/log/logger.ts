import { AsyncLocalStorage } from 'node:async_hooks';
import type { LogConfiguration, Principal } from '@groupware/contracts';
import type { CallSurroundings } from '@groupware/messaging';
import pino, { type DestinationStream, type Logger as Pino } from 'pino';
import { LoggerGate, NO_CONFIGURATION, THRESHOLD, type LogScope } from './log-configuration';

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
  readonly scope?: LogScope;
}

const stored = new AsyncLocalStorage<Stored>();

/**
 * Runs something with labels that every log line inside carries.
 * @param deadline point in time (ms UTC) that calls made inside inherit
 * @param scope whose log levels hold inside; default: those of the labels
 */
export const withLabels = <T>(labels: LogLabels, run: () => T, deadline?: number, scope?: LogScope): T =>
  stored.run({ labels, deadline, scope: scope ?? { contextId: labels.context, userId: labels.user } }, run);

/**
 * Whose log levels hold for a call: the user's, also where a service asks on behalf of one.
 * @param onBehalf what {@link surroundings} of the caller told
 */
export function scopeOf(principal: Principal, onBehalf?: string): LogScope {
  if (principal.kind === 'user' || principal.kind === 'context-admin') return principal;
  if (onBehalf) {
    const [contextId, userId, sessionId] = onBehalf.split(':');
    return { contextId: Number(contextId), userId: Number(userId), sessionId };
  }
  if (principal.kind === 'internal') return principal.user ?? principal;
  return {};
}

/** Runs something with the log levels of whoever calls, for lines written after the call. */
export const inScopeOf = <T>(principal: Principal | undefined, run: () => T): T =>
  hasScopes && principal ? stored.run({ labels: {}, scope: scopeOf(principal) }, run) : run();

/** What calls to other services inherit from the call being answered. */
export function surroundings(): CallSurroundings | undefined {
  const inner = stored.getStore();
  if (!inner) return undefined;
  const { labels, deadline, scope } = inner;
  const onBehalf =
    hasScopes && scope?.userId !== undefined
      ? `${scope.contextId}:${scope.userId}:${scope.sessionId ?? ''}`
      : undefined;
  return { requestId: labels.requestId, trace: labels.trace, deadline, onBehalf };
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
  for (const name of Object.keys(fields)) {
    const value = (fields as Record<string, unknown>)[name];
    let clean: unknown = value;
    if (SECRET_FIELDS.has(name)) clean = CENSOR;
    else if (depth > 0 && typeof value === 'object' && value !== null && !(value instanceof Error))
      clean = censored(value as object, depth - 1);
    if (clean !== value)
      (copy ??= (Array.isArray(fields) ? [...fields] : { ...fields }) as Record<string, unknown>)[name] = clean;
  }
  return copy ?? fields;
}

let second = -1;
let secondText = '';

/** The time of a line, ISO 8601 in UTC: the text of a second is made once. */
function timeField(): string {
  const now = Date.now();
  const current = Math.floor(now / 1000);
  if (current !== second) {
    second = current;
    secondText = new Date(now).toISOString().slice(0, -4);
  }
  return `,"time":"${secondText}${String(now % 1000).padStart(3, '0')}Z"`;
}

const OPTIONS: pino.LoggerOptions = {
  // Loggers decide by themselves what to write.
  level: 'trace',
  base: undefined,
  timestamp: timeField,
  formatters: { level: (level) => ({ level }), log: (fields) => censored(fields) as Record<string, unknown> },
  // A copy: pino writes the fields of the line into what it gets here.
  mixin: () => ({ ...stored.getStore()?.labels }),
};

/** Lines wait at most so long in memory, ms, and so many characters of them: one system call for many lines. */
const FLUSH_MS = 100;
const FLUSH_LENGTH = 8 * 1024;

/**
 * Standard output, written in batches; what is left is written when the process ends, also by an error. The lines are put
 * together here: pino's destination would measure all that wait anew with each line.
 */
function standardOutput(): DestinationStream {
  const destination = pino.destination({ dest: 1, sync: false });
  let waiting = '';
  const flush = (): void => {
    if (waiting === '') return;
    destination.write(waiting);
    waiting = '';
  };
  // A reader that went away must not end the process.
  destination.on('error', () => {});
  setInterval(flush, FLUSH_MS).unref();
  process.on('exit', () => {
    try {
      flush();
      destination.flushSync();
    } catch {
      // Nobody reads any more.
    }
  });
  return {
    write: (line) => {
      waiting += line;
      if (waiting.length >= FLUSH_LENGTH) flush();
    },
  };
}

let root: Pino | undefined;
let base: number = THRESHOLD.INFO;
let configuration = NO_CONFIGURATION;
/** True while some context, user or session has levels of its own. */
let hasScopes = false;
const loggers = new Map<string, Logger>();

const BASE_LEVELS: Readonly<Record<string, number>> = {
  silent: Infinity,
  fatal: 60,
  error: THRESHOLD.ERROR,
  warn: THRESHOLD.WARN,
  info: THRESHOLD.INFO,
  debug: THRESHOLD.DEBUG,
  trace: THRESHOLD.TRACE,
};

function openGates(): void {
  for (const logger of loggers.values()) logger.follow(configuration, base);
}

/** Sets the level of the whole process. */
export function setLogLevel(wanted: string): void {
  base = BASE_LEVELS[wanted] ?? THRESHOLD.INFO;
  openGates();
}

/** The threshold of the process, for loggers without a level of their own. */
export const baseThreshold = (): number => base;

/** Puts levels in force that operators set at run time; without any: takes back all that were. */
export function configureLogs(wanted: LogConfiguration = NO_CONFIGURATION): void {
  configuration = wanted;
  hasScopes = [wanted.contexts, wanted.users, wanted.sessions].some((levels) => Object.keys(levels).length > 0);
  stackTraces = new Set(wanted.stackTraces);
  suppressed = new Set(wanted.suppressed);
  openGates();
}

let stackTraces: ReadonlySet<string> = new Set();
let suppressed: ReadonlySet<string> = new Set(NO_CONFIGURATION.suppressed);

/** Whether errors answered to a caller show their stack. */
export function showsStack(principal: Principal | undefined): boolean {
  if (stackTraces.size === 0 || !principal) return false;
  const { contextId, userId } = scopeOf(principal);
  return stackTraces.has(`${contextId}:${userId}`);
}

/** Whether errors of a category are logged with their stack. */
export const logsStack = (category: string, principal: Principal | undefined): boolean =>
  !suppressed.has(category) || showsStack(principal);

/** Sends the log elsewhere: for tests. */
export function setLogDestination(stream: { write(line: string): void }, wanted = 'trace'): void {
  root = pino(OPTIONS, stream);
  setLogLevel(wanted);
}

// Opened with the first line, so that a program that merely imports the kit has no timer and no hook.
const current = (): Pino => (root ??= pino(OPTIONS, standardOutput()));

const here = (): LogScope | undefined => stored.getStore()?.scope;

/** A log of one subsystem: fields instead of sentences, never a secret. */
export class Logger {
  private child: Pino | undefined;
  private parent: Pino | undefined;
  private gate: LoggerGate;

  private constructor(readonly name: string) {
    this.gate = LoggerGate.of(name, configuration, base);
  }

  /** The logger of a subsystem, such as `calendar.conflicts`; its name is in the list `LOGGERS`. */
  static for(name: string): Logger {
    let logger = loggers.get(name);
    if (!logger) loggers.set(name, (logger = new Logger(name)));
    return logger;
  }

  /** For the configuration of logs only: takes over levels. */
  follow(levels: LogConfiguration, ofProcess: number): void {
    this.gate = LoggerGate.of(this.name, levels, ofProcess);
  }

  /** True when lines of the level are written for somebody. */
  isEnabledForSome(wanted: 'trace' | 'debug' | 'info' | 'warn' | 'error'): boolean {
    return BASE_LEVELS[wanted]! >= this.gate.lowest;
  }

  trace(fields: object, message?: string): void {
    if (this.gate.passes(THRESHOLD.TRACE, here)) this.pino.trace(fields, message);
  }
  debug(fields: object, message?: string): void {
    if (this.gate.passes(THRESHOLD.DEBUG, here)) this.pino.debug(fields, message);
  }
  info(fields: object, message?: string): void {
    if (this.gate.passes(THRESHOLD.INFO, here)) this.pino.info(fields, message);
  }
  warn(fields: object, message?: string): void {
    if (this.gate.passes(THRESHOLD.WARN, here)) this.pino.warn(fields, message);
  }
  error(fields: object, message?: string): void {
    if (this.gate.passes(THRESHOLD.ERROR, here)) this.pino.error(fields, message);
  }

  private get pino(): Pino {
    const parent = current();
    if (!this.child || this.parent !== parent) {
      this.parent = parent;
      this.child = parent.child({ logger: this.name });
    }
    return this.child;
  }
}
