import { Injectable } from '@nestjs/common';
import type { ContextLoggers, LogLevels, SessionLoggers, UsersLoggers } from '@groupware/contracts';
import { toLoggers } from './domain/log-inputs';
import { LogTable } from './log-table';
import { Owners } from './owners';

const byNumber = <T extends readonly [string, LogLevels]>(entries: T[]): T[] =>
  entries.sort(([a], [b]) => Number(a) - Number(b));

/** Overviews of scopes with log levels of their own. */
@Injectable()
export class LogOverviews {
  constructor(
    private readonly table: LogTable,
    private readonly owners: Owners,
  ) {}

  /** Contexts, by id. */
  async listContexts(): Promise<ContextLoggers[]> {
    const levels = Object.entries(await this.table.listAll('contexts'));
    return byNumber(levels).map(([contextId, of]) => ({ contextId, loggers: toLoggers(of) }));
  }

  /** Users of a context, by id. @throws CTX-0002 */
  async listUsers(contextId: number): Promise<UsersLoggers[]> {
    await this.owners.requireContext(contextId);
    const prefix = `${contextId}:`;
    const levels = Object.entries(await this.table.listAll('users'))
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, of]) => [key.slice(prefix.length), of] as const);
    return byNumber(levels).map(([userId, of]) => ({ userId, loggers: toLoggers(of) }));
  }

  /** Live sessions. */
  async listSessions(): Promise<SessionLoggers[]> {
    const levels = Object.entries(await this.table.listAll('sessions'));
    return levels.map(([sessionId, of]) => ({ sessionId, loggers: toLoggers(of) }));
  }
}
