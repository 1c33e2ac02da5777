import { ContextErrors, DirectoryErrors } from '../../identity/identity.errors';
import { RequestErrors } from '../../edge/edge.errors';
import { defineModule, jsonList, jsonValue, none, plain, rest, restAt, type ErrorFactory, type Model } from '../../kit';
import type { LogLevel } from './log-level';
import { LoggingErrors } from './logging.errors';
import * as models from './logging.models';

const BASE = '/admin/v1/logconf';
const LEVEL = plain<LogLevel>(undefined, { doc: 'The level, a JSON string' });
const LEVELS = plain<models.LoggerLevel[]>(models.LoggerLevel, { list: true });

/** Operations on one logger of a scope. */
const one = <P extends object>(place: Model<P>, path: string, whose: string, missing: readonly ErrorFactory[]) => {
  const at = { path: `${BASE}${path}/loggers/{logger}`, callers: ['master'], hidesFromResellers: true } as const;
  return {
    get: restAt(place, {
      ...at,
      http: 'GET',
      doc: `The level set for a logger of ${whose}`,
      reply: LEVEL,
      errors: [LoggingErrors.notSet],
    }),
    set: restAt(place, {
      ...at,
      http: 'PUT',
      doc: `Sets the level of a logger, and of those below it, for ${whose}. It only adds lines. The body is a JSON string, any case`,
      body: jsonValue<unknown>(),
      reply: LEVEL,
      repeatable: true,
      errors: [...missing, RequestErrors.badBodyData, LoggingErrors.notAllowed, LoggingErrors.tooMany],
    }),
    remove: restAt(place, {
      ...at,
      http: 'DELETE',
      doc: `Removes the level of a logger of ${whose}; answers the removed one`,
      reply: LEVEL,
      errors: [LoggingErrors.notSet],
    }),
  };
};

/** Operations on all loggers of a scope. */
const all = <P extends object>(place: Model<P>, path: string, whose: string, missing: readonly ErrorFactory[]) => {
  const at = { path: `${BASE}${path}/loggers`, callers: ['master'], hidesFromResellers: true } as const;
  return {
    list: restAt(place, {
      ...at,
      http: 'GET',
      doc: `The loggers of ${whose} that have a level, by name; 404 without any`,
      reply: LEVELS,
      errors: [LoggingErrors.notSet],
    }),
    set: restAt(place, {
      ...at,
      http: 'PUT',
      doc: `Sets levels of loggers for ${whose}, all or none; loggers that are not named stay as they are. Answers the named ones`,
      body: jsonList(models.LoggerLevel, { maxItems: 1000 }),
      reply: LEVELS,
      repeatable: true,
      errors: [...missing, RequestErrors.badBodyData, LoggingErrors.notAllowed, LoggingErrors.tooMany],
    }),
    remove: restAt(place, {
      ...at,
      http: 'DELETE',
      doc: `Removes all levels of ${whose}; 404 without any`,
      reply: none(),
      errors: [LoggingErrors.notSet],
    }),
  };
};

const CONTEXT = ['/contexts/{contextId}', 'a context', [ContextErrors.notFound]] as const;
const USER = ['/contexts/{contextId}/users/{userId}', 'a user', [DirectoryErrors.userNotFound]] as const;
const SESSION = ['/sessions/{sessionId}', 'a session', [LoggingErrors.unknownSession]] as const;
const contextOne = one(models.LogContextLoggerPath, ...CONTEXT);
const contextAll = all(models.LogContextPath, ...CONTEXT);
const userOne = one(models.LogUserLoggerPath, ...USER);
const userAll = all(models.LogUserPath, ...USER);
const sessionOne = one(models.LogSessionLoggerPath, ...SESSION);
const sessionAll = all(models.LogSessionPath, ...SESSION);

const CATEGORIES_PATH = `${BASE}/suppressed/exception-categories`;
const CATEGORIES = plain<string[]>(undefined, { doc: 'Names of categories, sorted' });
const STACK_TRACE = {
  path: `${BASE}/contexts/{contextId}/users/{userId}/stack-trace`,
  callers: ['master'],
  hidesFromResellers: true,
  reply: plain<boolean>(undefined, { doc: 'true or false' }),
} as const;

/** Log output of the processes, changed while they run. */
export const logging = defineModule(
  'logging',
  {
    listLoggers: rest({
      http: 'GET',
      path: `${BASE}/loggers`,
      callers: ['master'],
      hidesFromResellers: true,
      doc: 'All loggers with the level that holds for them',
      reply: LEVELS,
    }),
    getLogger: restAt(models.LoggerPath, {
      http: 'GET',
      path: `${BASE}/loggers/{logger}`,
      callers: ['master'],
      hidesFromResellers: true,
      doc: 'The level that holds for a logger, its own or that of the nearest above it',
      reply: LEVEL,
      errors: [LoggingErrors.unknownLogger],
    }),
    setLogger: restAt(models.LoggerPath, {
      http: 'PUT',
      path: `${BASE}/loggers/{logger}`,
      callers: ['master'],
      hidesFromResellers: true,
      doc: 'Sets the level of a logger, and of those below it, in every process. The body is a JSON string, any case',
      body: jsonValue<unknown>(),
      reply: LEVEL,
      repeatable: true,
      errors: [LoggingErrors.unknownLogger, RequestErrors.badBodyData],
    }),
    getContextLogger: contextOne.get,
    setContextLogger: contextOne.set,
    removeContextLogger: contextOne.remove,
    listContextLoggers: contextAll.list,
    setContextLoggers: contextAll.set,
    removeContextLoggers: contextAll.remove,
    getUserLogger: userOne.get,
    setUserLogger: userOne.set,
    removeUserLogger: userOne.remove,
    listUserLoggers: userAll.list,
    setUserLoggers: userAll.set,
    removeUserLoggers: userAll.remove,
    getSessionLogger: sessionOne.get,
    setSessionLogger: sessionOne.set,
    removeSessionLogger: sessionOne.remove,
    listSessionLoggers: sessionAll.list,
    setSessionLoggers: sessionAll.set,
    removeSessionLoggers: sessionAll.remove,
    getUserStackTrace: restAt(models.LogUserPath, {
      ...STACK_TRACE,
      http: 'GET',
      doc: 'Whether errors answered to the user have `error_stack`',
      errors: [DirectoryErrors.userNotFound],
    }),
    setUserStackTrace: restAt(models.LogUserPath, {
      ...STACK_TRACE,
      http: 'PUT',
      doc: 'Adds `error_stack` to the errors answered to the user, or ends that. The body is true or false',
      body: jsonValue<unknown>(),
      repeatable: true,
      errors: [DirectoryErrors.userNotFound, RequestErrors.badBodyData],
    }),
    listUsersLoggers: restAt(models.LogContextPath, {
      http: 'GET',
      path: `${BASE}/contexts/{contextId}/users`,
      callers: ['master'],
      hidesFromResellers: true,
      doc: 'The users of a context whose loggers have levels of their own',
      reply: plain<models.UsersLoggers[]>(models.UsersLoggers, { list: true }),
      errors: [ContextErrors.notFound],
    }),
    listContextsLoggers: rest({
      http: 'GET',
      path: `${BASE}/contexts`,
      callers: ['master'],
      hidesFromResellers: true,
      doc: 'The contexts whose loggers have levels of their own',
      reply: plain<models.ContextLoggers[]>(models.ContextLoggers, { list: true }),
    }),
    listSessionsLoggers: rest({
      http: 'GET',
      path: `${BASE}/sessions`,
      callers: ['master'],
      hidesFromResellers: true,
      doc: 'The live sessions whose loggers have levels of their own',
      reply: plain<models.SessionLoggers[]>(models.SessionLoggers, { list: true }),
    }),
    listSuppressedCategories: rest({
      http: 'GET',
      path: CATEGORIES_PATH,
      callers: ['master'],
      hidesFromResellers: true,
      doc: 'Categories of errors that are logged without stack',
      reply: CATEGORIES,
    }),
    setSuppressedCategories: rest({
      http: 'PUT',
      path: CATEGORIES_PATH,
      callers: ['master'],
      hidesFromResellers: true,
      doc: 'Replaces the categories of errors that are logged without stack. The body is an array of names; one name or `{categories: […]}` is taken too',
      body: jsonValue<unknown>(),
      reply: CATEGORIES,
      repeatable: true,
      errors: [RequestErrors.badBodyData],
    }),
    removeSuppressedCategories: rest({
      http: 'DELETE',
      path: CATEGORIES_PATH,
      callers: ['master'],
      hidesFromResellers: true,
      doc: 'Errors of every category are logged with their stack',
      reply: none(),
      repeatable: true,
    }),
  },
  { service: 'admin' },
);
