import { property } from '../../kit';

/** Errors whose stack is not logged. */
export const SUPPRESSED_CATEGORIES = property<string>({
  key: 'com.example.log.suppressedCategories',
  default: 'USER_INPUT',
  doc: 'Comma list of error categories that are logged without stack, until operators set others at run time.',
});

/** Loggers that may be set for a context, user or session. */
export const LOGGER_WHITELIST = property<string>({
  key: 'com.example.logging.filter.logger-whitelist',
  default: '',
  doc: 'Comma list of logger names; only these and the ones below them may get levels for a context, user or session. Empty: all.',
});

/** Bound on what every process keeps in memory. */
export const MAX_SCOPED_LEVELS = property<number>({
  key: 'com.example.logging.filter.max',
  default: 1000,
  min: 1,
  max: 100_000,
  doc: 'Most levels of contexts, of users and of sessions, each.',
});
