import { Injectable } from '@nestjs/common';
import { LoggingErrors, MAX_SCOPED_LEVELS, type LogLevel, type LogLevels } from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { sessionDigest, SessionStore, type SharedTable } from '@groupware/sessions';

/** Kind of scope: contexts (`<context id>`), users (`<context id>:<user id>`) or sessions (`<session id>`). */
export type LogScopeKind = 'contexts' | 'users' | 'sessions';

/** A context, user or session. */
export interface ScopeKey {
  readonly kind: LogScopeKind;
  readonly key: string;
}

/** Between the key of a scope and the name of a logger; in neither of them. */
const SEPARATOR = '|';

/**
 * Levels of contexts, users and sessions, as they lie in the store: one field for each logger of each scope. Session ids are
 * secrets, so the store names a session by the digest of its id.
 */
@Injectable()
export class LogTable {
  private readonly tables: Readonly<Record<LogScopeKind, SharedTable>>;

  constructor(
    private readonly sessions: SessionStore,
    private readonly properties: Properties,
  ) {
    const table = (kind: LogScopeKind) => sessions.sharedTable(`logging:${kind}`);
    this.tables = { contexts: table('contexts'), users: table('users'), sessions: table('sessions') };
  }

  /** All levels of a kind by scope; of sessions those that are live. */
  async listAll(kind: LogScopeKind): Promise<Record<string, LogLevels>> {
    const stored = await this.readStored(kind);
    if (kind !== 'sessions') return stored;
    const entries = Object.entries(stored);
    const live = await Promise.all(entries.map(([digest]) => this.sessions.peekByDigest(digest)));
    return Object.fromEntries(entries.flatMap(([, levels], index) => (live[index] ? [[live[index].id, levels]] : [])));
  }

  /** The levels of one scope by logger. */
  async getLevels({ kind, key }: ScopeKey): Promise<LogLevels> {
    return (await this.readStored(kind))[toStoredKey({ kind, key })] ?? {};
  }

  /** The level of one logger. */
  async findLevel(scope: ScopeKey, logger: string): Promise<LogLevel | undefined> {
    return (await this.tables[scope.kind].getText(toStoredKey(scope) + SEPARATOR + logger)) as LogLevel | undefined;
  }

  /** Adds or changes levels. @throws LOGCONF-0005 */
  async putLevels(scope: ScopeKey, levels: LogLevels): Promise<void> {
    const table = this.tables[scope.kind];
    const max = this.properties.serverValue(MAX_SCOPED_LEVELS);
    if ((await table.size()) + Object.keys(levels).length > max) throw LoggingErrors.tooMany(max);
    const fields = Object.entries(levels).map(([name, level]) => [toStoredKey(scope) + SEPARATOR + name, level]);
    await table.putTexts(Object.fromEntries(fields) as Record<string, string>);
  }

  /** Removes levels of some loggers; answers how many there were. */
  removeLevels(scope: ScopeKey, loggers: readonly string[]): Promise<number> {
    return this.tables[scope.kind].removeTexts(loggers.map((name) => toStoredKey(scope) + SEPARATOR + name));
  }

  /** Removes the levels of the contexts or users whose keys fit; answers how many there were. */
  async removeOwners(kind: 'contexts' | 'users', fits: (key: string) => boolean): Promise<number> {
    const owners = Object.entries(await this.readStored(kind)).filter(([key]) => fits(key));
    const fields = owners.flatMap(([key, levels]) => Object.keys(levels).map((name) => key + SEPARATOR + name));
    return this.tables[kind].removeTexts(fields);
  }

  /** Removes the levels of sessions that ended; answers how many there were. */
  async removeEndedSessions(): Promise<number> {
    const entries = Object.entries(await this.readStored('sessions'));
    const live = await Promise.all(entries.map(([digest]) => this.sessions.peekByDigest(digest)));
    const ended = entries.filter((_entry, index) => live[index] === undefined);
    const fields = ended.flatMap(([digest, levels]) => Object.keys(levels).map((name) => digest + SEPARATOR + name));
    return fields.length === 0 ? 0 : this.tables.sessions.removeTexts(fields);
  }

  private async readStored(kind: LogScopeKind): Promise<Record<string, LogLevels>> {
    const byScope: Record<string, Record<string, LogLevel>> = {};
    for (const [field, level] of Object.entries(await this.tables[kind].readAll())) {
      const at = field.indexOf(SEPARATOR);
      (byScope[field.slice(0, at)] ??= {})[field.slice(at + 1)] = level as LogLevel;
    }
    return byScope;
  }
}

const toStoredKey = ({ kind, key }: ScopeKey): string => (kind === 'sessions' ? sessionDigest(key) : key);
