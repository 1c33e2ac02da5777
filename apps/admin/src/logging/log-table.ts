import { Injectable } from '@nestjs/common';
import { LoggingErrors, MAX_SCOPED_LEVELS, type LogLevel, type LogLevels } from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { SessionStore, type SharedTable } from '@groupware/sessions';

/** Whose levels: of contexts (`<context id>`), users (`<context id>:<user id>`) or sessions (`<session id>`). */
export type LogScopeKind = 'contexts' | 'users' | 'sessions';

/** A context, user or session. */
export interface ScopeKey {
  readonly kind: LogScopeKind;
  readonly key: string;
}

/** Between the key of a scope and the name of a logger; in neither of them. */
const SEPARATOR = '|';

/** Levels of contexts, users and sessions, as they lie in the store: one field for each logger of each scope. */
@Injectable()
export class LogTable {
  private readonly tables: Readonly<Record<LogScopeKind, SharedTable>>;

  constructor(
    store: SessionStore,
    private readonly properties: Properties,
  ) {
    const table = (kind: LogScopeKind) => store.sharedTable(`logging:${kind}`);
    this.tables = { contexts: table('contexts'), users: table('users'), sessions: table('sessions') };
  }

  /** All levels of a kind by scope. */
  async all(kind: LogScopeKind): Promise<Record<string, LogLevels>> {
    const byScope: Record<string, Record<string, LogLevel>> = {};
    for (const [field, level] of Object.entries(await this.tables[kind].all())) {
      const at = field.indexOf(SEPARATOR);
      (byScope[field.slice(0, at)] ??= {})[field.slice(at + 1)] = level as LogLevel;
    }
    return byScope;
  }

  /** The levels of one scope by logger. */
  async of({ kind, key }: ScopeKey): Promise<LogLevels> {
    return (await this.all(kind))[key] ?? {};
  }

  /** The level of one logger. */
  async get({ kind, key }: ScopeKey, logger: string): Promise<LogLevel | undefined> {
    return (await this.tables[kind].get(key + SEPARATOR + logger)) as LogLevel | undefined;
  }

  /** Adds or changes levels. @throws LOGCONF-0005 */
  async put({ kind, key }: ScopeKey, levels: LogLevels): Promise<void> {
    const max = this.properties.serverValue(MAX_SCOPED_LEVELS);
    if ((await this.tables[kind].size()) + Object.keys(levels).length > max) throw LoggingErrors.tooMany(max);
    const fields = Object.entries(levels).map(([name, level]) => [key + SEPARATOR + name, level]);
    await this.tables[kind].put(Object.fromEntries(fields) as Record<string, string>);
  }

  /** Removes levels of some loggers; answers how many there were. */
  remove({ kind, key }: ScopeKey, loggers: readonly string[]): Promise<number> {
    return this.tables[kind].remove(loggers.map((name) => key + SEPARATOR + name));
  }
}
