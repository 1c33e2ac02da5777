import { Injectable } from '@nestjs/common';
import { LOGGER_WHITELIST, LoggingErrors, type LoggerLevel, type LogLevel, type LogLevels } from '@groupware/contracts';
import { Logger, Properties } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { RuntimeChanges } from '../broadcast/runtime-changes';
import { isAllowed, parseLevel, parseLevels, toLoggers } from './domain/log-inputs';
import { LogTable, type ScopeKey } from './log-table';
import { Owners } from './owners';

/** The scope of a place in a path. */
export function toScopeKey(place: { contextId?: number; userId?: number; sessionId?: string }): ScopeKey {
  if (place.sessionId !== undefined) return { kind: 'sessions', key: place.sessionId };
  return place.userId === undefined
    ? { kind: 'contexts', key: String(place.contextId) }
    : { kind: 'users', key: `${place.contextId}:${place.userId}` };
}

/** Levels of the loggers of one context, user or session. */
@Injectable()
export class ScopedLoggers {
  private readonly log = Logger.for('admin.logging');

  constructor(
    private readonly table: LogTable,
    private readonly owners: Owners,
    private readonly properties: Properties,
    private readonly changes: RuntimeChanges,
    private readonly sessions: SessionStore,
  ) {}

  /** The level of one logger. @throws LOGCONF-0002 */
  async getLevel(scope: ScopeKey, logger: string): Promise<LogLevel> {
    const level = (await this.isLive(scope)) ? await this.table.findLevel(scope, logger) : undefined;
    if (!level) throw LoggingErrors.notSet(logger);
    return level;
  }

  /** Sets one level from a body. @throws CTX-0002, USR-0010, LOGCONF-0003 to 0005, SVL-0031 */
  async setLevel(scope: ScopeKey, logger: string, body: unknown): Promise<LogLevel> {
    const level = parseLevel(body);
    await this.putLevels(scope, { [logger]: level });
    return level;
  }

  /** Removes one level and answers it. @throws LOGCONF-0002 */
  async removeLevel(scope: ScopeKey, logger: string): Promise<LogLevel> {
    const level = await this.getLevel(scope, logger);
    await this.table.removeLevels(scope, [logger]);
    this.notifyChanged(scope, { [logger]: 'removed' });
    return level;
  }

  /** All loggers with a level, by name. @throws LOGCONF-0002 without any */
  async listLevels(scope: ScopeKey): Promise<LoggerLevel[]> {
    const loggers = (await this.isLive(scope)) ? toLoggers(await this.table.getLevels(scope)) : [];
    if (loggers.length === 0) throw LoggingErrors.notSet('any logger');
    return loggers;
  }

  /** Sets several levels, all or none. Throws like {@link setLevel}. */
  async setLevels(scope: ScopeKey, body: readonly LoggerLevel[]): Promise<LoggerLevel[]> {
    const levels = parseLevels(body);
    await this.putLevels(scope, levels);
    return toLoggers(levels);
  }

  /** Removes all levels. @throws LOGCONF-0002 without any */
  async removeLevels(scope: ScopeKey): Promise<void> {
    const loggers = await this.listLevels(scope);
    await this.table.removeLevels(
      scope,
      loggers.map(({ name }) => name),
    );
    this.notifyChanged(scope, { all: 'removed' });
  }

  private async putLevels(scope: ScopeKey, levels: LogLevels): Promise<void> {
    const whitelist = this.properties.serverValue(LOGGER_WHITELIST);
    for (const name of Object.keys(levels)) if (!isAllowed(name, whitelist)) throw LoggingErrors.notAllowed(name);
    await this.owners.requireOwner(scope);
    await this.table.putLevels(scope, levels);
    this.notifyChanged(scope, levels);
  }

  /** Levels of a session end with it, also before they are swept. */
  private async isLive({ kind, key }: ScopeKey): Promise<boolean> {
    return kind !== 'sessions' || (await this.sessions.peek(key)) !== undefined;
  }

  private notifyChanged({ kind, key }: ScopeKey, levels: Readonly<Record<string, string>>): void {
    // Session ids are secrets.
    this.log.info({ of: kind, ...(kind === 'sessions' ? {} : { key }), levels }, 'log levels changed');
    this.changes.broadcastChange();
  }
}
