import { allowCallers, defineModule, internal, value } from '../../kit';
import type { LogLevels } from '../logging/log-level';

/** Log output of processes beyond their own settings. */
export interface LogConfiguration {
  /** Levels for all users. */
  readonly global: LogLevels;
  /** Levels by context id. They only add lines, as do the following. */
  readonly contexts: Readonly<Record<string, LogLevels>>;
  /** Levels by `<context id>:<user id>`. */
  readonly users: Readonly<Record<string, LogLevels>>;
  /** Levels by session id. */
  readonly sessions: Readonly<Record<string, LogLevels>>;
  /** Users (`<context id>:<user id>`) whose errors show their stack. */
  readonly stackTraces: readonly string[];
  /** Categories of errors that are logged without stack. */
  readonly suppressed: readonly string[];
}

/** State that operators changed while the processes run. */
export interface RuntimeState {
  readonly logging: LogConfiguration;
  /** True while the site of this installation was told to be away: processes are not ready. */
  readonly isAway: boolean;
}

/** Topic of the broadcast that makes every process ask for the state again. */
export const RUNTIME_CHANGED = 'runtime-changed';

/** State that every process asks for at its start and after each change, answered by the admin service. */
export const runtime = defineModule(
  'runtime',
  {
    state: internal({
      access: allowCallers('a configuration that all processes share'),
      calledBy: 'everyService',
      doc: 'What operators changed while the processes run',
      reply: value<RuntimeState>('log configuration and availability of the site'),
      repeatable: true,
    }),
  },
  { service: 'admin' },
);
