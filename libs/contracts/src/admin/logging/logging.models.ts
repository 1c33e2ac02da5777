import { Field } from '../../kit';
import { LOG_LEVELS, type LogLevel } from './log-level';

const NAME = { minLength: 1, maxLength: 200, pattern: /^[A-Za-z0-9_][A-Za-z0-9._-]*$/ } as const;
const USER = { doc: 'User id', min: 1 } as const;
const SESSION = { doc: 'Session id', minLength: 1, maxLength: 128 } as const;
const LOGGER = { doc: 'Name of the logger, dots for levels of the hierarchy', ...NAME } as const;

/** A logger with its level. */
export class LoggerLevel {
  @Field.text(LOGGER) name!: string;
  @Field.text({
    doc: `Level: ${LOG_LEVELS.join(', ')}; any case`,
    pattern: new RegExp(`^(${LOG_LEVELS.join('|')})$`, 'i'),
  })
  level!: LogLevel;
}

/** Loggers of one context. */
export class ContextLoggers {
  @Field.text({ doc: 'Context id' }) contextId!: string;
  @Field.list(() => LoggerLevel, { doc: 'Loggers with a level of their own' }) loggers!: LoggerLevel[];
}

/** Loggers of one user. */
export class UsersLoggers {
  @Field.text({ doc: 'User id' }) userId!: string;
  @Field.list(() => LoggerLevel, { doc: 'Loggers with a level of their own' }) loggers!: LoggerLevel[];
}

/** Loggers of one session. */
export class SessionLoggers {
  @Field.text({ doc: 'Session id' }) sessionId!: string;
  @Field.list(() => LoggerLevel, { doc: 'Loggers with a level of their own' }) loggers!: LoggerLevel[];
}

/** Place of a logger in a path. */
export class LoggerPath {
  @Field.text(LOGGER) logger!: string;
}

/** Place of a context in a path. */
export class LogContextPath {
  @Field.contextId() contextId!: number;
}

/** Place of a context's logger in a path. */
export class LogContextLoggerPath extends LogContextPath {
  @Field.text(LOGGER) logger!: string;
}

/** Place of a user in a path. */
export class LogUserPath extends LogContextPath {
  @Field.int(USER) userId!: number;
}

/** Place of a user's logger in a path. */
export class LogUserLoggerPath extends LogUserPath {
  @Field.text(LOGGER) logger!: string;
}

/** Place of a session in a path. */
export class LogSessionPath {
  @Field.text(SESSION) sessionId!: string;
}

/** Place of a session's logger in a path. */
export class LogSessionLoggerPath extends LogSessionPath {
  @Field.text(LOGGER) logger!: string;
}
