import { Injectable } from '@nestjs/common';
import type { ContextLoggers, LogLevels, SessionLoggers, UsersLoggers } from '@groupware/contracts';
import { loggersOf } from './domain/log-inputs';
import { LogTable } from './log-table';
import { Owners } from './owners';

const byNumber = <T extends readonly [string, LogLevels]>(entries: T[]): T[] =>
  entries.sort(([a], [b]) => Number(a) - Number(b));

/** Who has log levels of their own. */
@Injectable()
export class LogOverviews {
  constructor(
    private readonly table: LogTable,
    private readonly owners: Owners,
  ) {}

  /** Contexts, by id. */
  async contexts(): Promise<ContextLoggers[]> {
    const levels = Object.entries(await this.table.all('contexts'));
    return byNumber(levels).map(([contextId, of]) => ({ contextId, loggers: loggersOf(of) }));
  }

  /** Users of a context, by id. @throws CTX-0002 */
  async users(contextId: number): Promise<UsersLoggers[]> {
    await this.owners.requireContext(contextId);
    const prefix = `${contextId}:`;
    const levels = Object.entries(await this.table.all('users'))
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, of]) => [key.slice(prefix.length), of] as const);
    return byNumber(levels).map(([userId, of]) => ({ userId, loggers: loggersOf(of) }));
  }

  /** Live sessions. */
  async sessions(): Promise<SessionLoggers[]> {
    const levels = Object.entries(await this.table.all('sessions'));
    return levels.map(([sessionId, of]) => ({ sessionId, loggers: loggersOf(of) }));
  }
}
