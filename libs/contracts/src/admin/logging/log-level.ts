/** Levels of log lines, from none to all. */
export const LOG_LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'] as const;

/** A level of log lines. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Levels by logger name. */
export type LogLevels = Readonly<Record<string, LogLevel>>;
