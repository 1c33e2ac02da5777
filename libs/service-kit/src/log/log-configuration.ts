import { ROOT_LOGGER, type LogConfiguration, type LogLevel, type LogLevels } from '@groupware/contracts';

/** Levels as numbers: a line passes when its number is at least the threshold. */
export const THRESHOLD = {
  OFF: Infinity,
  ERROR: 50,
  WARN: 40,
  INFO: 30,
  DEBUG: 20,
  TRACE: 10,
  ALL: 10,
} as const satisfies Record<LogLevel, number>;

/** Level whose lines a threshold lets through, as operators call it. */
export function toLogLevel(threshold: number): LogLevel {
  const level = (['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'] as const).find((name) => threshold <= THRESHOLD[name]);
  return level ?? 'OFF';
}

/** Scope of a log line. */
export interface LogScope {
  readonly contextId?: number;
  readonly userId?: number;
  readonly sessionId?: string;
}

/** Nothing was changed at run time. */
export const NO_CONFIGURATION: LogConfiguration = {
  global: {},
  contexts: {},
  users: {},
  sessions: {},
  stackTraces: [],
  suppressed: ['USER_INPUT'],
};

/** The name and the names above it, nearest first, `root` last. */
function* listAncestors(name: string): Iterable<string> {
  for (let rest = name; rest !== ''; rest = rest.slice(0, Math.max(rest.lastIndexOf('.'), 0))) yield rest;
  if (name !== ROOT_LOGGER) yield ROOT_LOGGER;
}

/** The threshold that a table of levels has for a logger: its own or that of the nearest above it. */
export function findThreshold(levels: LogLevels, name: string): number | undefined {
  for (const candidate of listAncestors(name)) {
    const level = Object.hasOwn(levels, candidate) ? levels[candidate] : undefined;
    if (level !== undefined) return THRESHOLD[level];
  }
  return undefined;
}

/** Decides which lines one logger writes; built per change, evaluated per line. */
export class LoggerGate {
  /** Lines below this are never written: the only comparison without levels for contexts, users or sessions. */
  readonly lowest: number;

  private constructor(
    /** Lines from here on are written in all scopes. */
    private readonly threshold: number,
    private readonly contexts: ReadonlyMap<number, number>,
    private readonly users: ReadonlyMap<number, ReadonlyMap<number, number>>,
    private readonly sessions: ReadonlyMap<string, number>,
  ) {
    let lowest = threshold;
    for (const levels of [contexts, sessions, ...users.values()])
      for (const level of levels.values()) lowest = Math.min(lowest, level);
    this.lowest = lowest;
  }

  /** @param base threshold of the process, for loggers without a level of their own */
  static create(name: string, configuration: LogConfiguration, base: number): LoggerGate {
    const contexts = new Map<number, number>();
    const users = new Map<number, Map<number, number>>();
    const sessions = new Map<string, number>();
    for (const [context, levels] of Object.entries(configuration.contexts)) {
      const threshold = findThreshold(levels, name);
      if (threshold !== undefined) contexts.set(Number(context), threshold);
    }
    for (const [key, levels] of Object.entries(configuration.users)) {
      const threshold = findThreshold(levels, name);
      const [context = 0, user = 0] = key.split(':').map(Number);
      if (threshold === undefined) continue;
      const ofContext = users.get(context) ?? new Map<number, number>();
      users.set(context, ofContext.set(user, threshold));
    }
    for (const [session, levels] of Object.entries(configuration.sessions)) {
      const threshold = findThreshold(levels, name);
      if (threshold !== undefined) sessions.set(session, threshold);
    }
    return new LoggerGate(findThreshold(configuration.global, name) ?? base, contexts, users, sessions);
  }

  /** Whether a line is written; `scope` is evaluated only when needed. */
  passes(level: number, scope: () => LogScope | undefined): boolean {
    if (level < this.lowest) return false;
    return level >= this.threshold || this.passesFor(level, scope());
  }

  private passesFor(level: number, scope: LogScope | undefined): boolean {
    if (!scope) return false;
    const { contextId, userId, sessionId } = scope;
    if (sessionId !== undefined && level >= (this.sessions.get(sessionId) ?? Infinity)) return true;
    if (contextId === undefined) return false;
    if (level >= (this.contexts.get(contextId) ?? Infinity)) return true;
    return userId !== undefined && level >= (this.users.get(contextId)?.get(userId) ?? Infinity);
  }
}
