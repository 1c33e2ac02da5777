import { AsyncLocalStorage } from 'node:async_hooks';
import { setAccessRecords, type AccessRecord, type LogConfiguration, type Principal } from '@groupware/contracts';
import type { CallKey, CallContext } from '@groupware/messaging';
import pino, { type DestinationStream, type Logger as Pino } from 'pino';
import { LoggerGate, NO_CONFIGURATION, THRESHOLD, type LogScope } from './log-configuration';

/** Labels of every log line of a call. */
export interface LogLabels {
  readonly requestId?: string;
  readonly module?: string;
  readonly action?: string;
  readonly context?: number;
  readonly user?: number;
  /** W3C trace context. */
  readonly trace?: string;
}

/** The call that is answered inside. */
export interface AnsweredCall {
  /** Point in time (ms UTC) that calls made inside inherit. */
  readonly deadline?: number;
  /** Scope whose log levels hold inside; default: those of the labels. */
  readonly scope?: LogScope;
  /** Idempotency key of the call. */
  readonly key?: CallKey;
  /** The bus may send it again by itself after it was answered. */
  readonly isRepeatable?: boolean;
  /** Rights that were checked for it. */
  readonly access?: AccessRecord;
}

interface Stored extends AnsweredCall {
  readonly labels: LogLabels;
}

const stored = new AsyncLocalStorage<Stored>();
setAccessRecords(() => stored.getStore()?.access);

/** Runs something with labels that every log line inside carries. */
export const withLabels = <T>(labels: LogLabels, run: () => T, call: AnsweredCall = {}): T =>
  stored.run({ labels, ...call, scope: call.scope ?? { contextId: labels.context, userId: labels.user } }, run);

/** Whether the bus may send the call being answered again, though it may have been done. */
export const isCallRepeatable = (): boolean => stored.getStore()?.isRepeatable === true;

/** Idempotency key of the call being answered. */
export function callKey(): CallKey | undefined {
  const key = stored.getStore()?.key;
  return key?.isEnded ? undefined : key;
}

/**
 * Scope of log levels for a call: the user's, also where a service acts for one.
 * @param onBehalf what {@link getCallContext} of the caller told
 */
export function toLogScope(principal: Principal, onBehalf?: string): LogScope {
  if (principal.kind === 'user' || principal.kind === 'context-admin') return principal;
  if (onBehalf) {
    const [contextId, userId, sessionId] = onBehalf.split(':');
    return { contextId: Number(contextId), userId: Number(userId), sessionId };
  }
  if (principal.kind === 'internal') return principal.user ?? principal;
  return {};
}

/** Runs work with the log levels of the caller, for lines written after the call. */
export const withLogScope = <T>(principal: Principal | undefined, run: () => T): T =>
  hasScopes && principal ? stored.run({ labels: {}, scope: toLogScope(principal) }, run) : run();

/** Context that outgoing calls inherit from the current call. */
export function getCallContext(): CallContext | undefined {
  const inner = stored.getStore();
  if (!inner) return undefined;
  const { labels, deadline, scope } = inner;
  const onBehalf =
    hasScopes && scope?.userId !== undefined
      ? `${scope.contextId}:${scope.userId}:${scope.sessionId ?? ''}`
      : undefined;
  return { requestId: labels.requestId, trace: labels.trace, deadline, onBehalf, key: callKey() };
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
function censorFields(fields: object, depth = CENSORED_DEPTH): object {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    const value = (fields as Record<string, unknown>)[name];
    let clean: unknown = value;
    if (SECRET_FIELDS.has(name)) clean = CENSOR;
    else if (depth > 0 && typeof value === 'object' && value !== null && !(value instanceof Error))
      clean = censorFields(value, depth - 1);
    if (clean !== value)
      (copy ??= (Array.isArray(fields) ? [...fields] : { ...fields }) as Record<string, unknown>)[name] = clean;
  }
  return copy ?? fields;
}

let second = -1;
let secondText = '';

/** The time of a line, ISO 8601 in UTC: the text of a second is made once. */
function formatTimeField(): string {
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
  timestamp: formatTimeField,
  formatters: { level: (level) => ({ level }), log: (fields) => censorFields(fields) as Record<string, unknown> },
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
      // The reader is gone.
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
  for (const logger of loggers.values()) logger.applyLevels(configuration, base);
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
  const { contextId, userId } = toLogScope(principal);
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

const getLogScope = (): LogScope | undefined => stored.getStore()?.scope;

/** A log of one subsystem: fields instead of sentences, never a secret. */
export class Logger {
  private child: Pino | undefined;
  private parent: Pino | undefined;
  private gate: LoggerGate;

  private constructor(readonly name: string) {
    this.gate = LoggerGate.create(name, configuration, base);
  }

  /** The logger of a subsystem, such as `calendar.conflicts`; its name is in the list `LOGGERS`. */
  static for(name: string): Logger {
    let logger = loggers.get(name);
    if (!logger) loggers.set(name, (logger = new Logger(name)));
    return logger;
  }

  /** For the configuration of logs only: takes over levels. */
  applyLevels(levels: LogConfiguration, ofProcess: number): void {
    this.gate = LoggerGate.create(this.name, levels, ofProcess);
  }

  /** Whether lines of the level are written in any scope. */
  isEnabledForSome(wanted: 'trace' | 'debug' | 'info' | 'warn' | 'error'): boolean {
    return BASE_LEVELS[wanted]! >= this.gate.lowest;
  }

  trace(fields: object, message?: string): void {
    if (this.gate.passes(THRESHOLD.TRACE, getLogScope)) this.pino.trace(fields, message);
  }
  debug(fields: object, message?: string): void {
    if (this.gate.passes(THRESHOLD.DEBUG, getLogScope)) this.pino.debug(fields, message);
  }
  info(fields: object, message?: string): void {
    if (this.gate.passes(THRESHOLD.INFO, getLogScope)) this.pino.info(fields, message);
  }
  warn(fields: object, message?: string): void {
    if (this.gate.passes(THRESHOLD.WARN, getLogScope)) this.pino.warn(fields, message);
  }
  error(fields: object, message?: string): void {
    if (this.gate.passes(THRESHOLD.ERROR, getLogScope)) this.pino.error(fields, message);
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
