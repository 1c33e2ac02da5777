import { Injectable } from '@nestjs/common';
import {
  callsLogger,
  LOGGERS,
  LoggingErrors,
  operations,
  ROOT_LOGGER,
  type LoggerLevel,
  type LogLevel,
  type LogLevels,
} from '@groupware/contracts';
import { baseThreshold, toLogLevel, Logger, THRESHOLD, findThreshold } from '@groupware/service-kit';
import { SessionStore, type SharedTable } from '@groupware/sessions';
import { RuntimeChanges } from '../broadcast/runtime-changes';
import { parseLevel, toLoggers } from './domain/log-inputs';

const listAncestors = (name: string): string[] =>
  name.split('.').flatMap((_part, index, parts) => parts.slice(0, index + 1).join('.'));

/** Names of all loggers, with those above them. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(LOGGERS).flatMap(listAncestors),
  ...operations.flatMap(({ service }) => listAncestors(callsLogger(service))),
]);

/** Global log levels. */
@Injectable()
export class GlobalLoggers {
  private readonly table: SharedTable;
  private readonly log = Logger.for('admin.logging');

  constructor(
    store: SessionStore,
    private readonly changes: RuntimeChanges,
  ) {
    this.table = store.sharedTable('logging:global');
  }

  /** The levels that were set. */
  async listLevels(): Promise<LogLevels> {
    return (await this.table.readAll()) as LogLevels;
  }

  /** All loggers with the levels that hold for them. */
  async listLoggers(): Promise<LoggerLevel[]> {
    const levels = await this.listLevels();
    return toLoggers(Object.fromEntries([...KNOWN].map((name) => [name, this.resolveLevel(levels, name)])));
  }

  /** The level that holds for a logger. @throws LOGCONF-0001 */
  async getLevel(logger: string): Promise<LogLevel> {
    this.requireKnown(logger);
    return this.resolveLevel(await this.listLevels(), logger);
  }

  /** Sets the level of a logger from a body. @throws LOGCONF-0001, SVL-0031 */
  async setLevel(logger: string, body: unknown): Promise<LogLevel> {
    this.requireKnown(logger);
    const level = parseLevel(body);
    await this.table.putTexts({ [logger]: level });
    this.log.info({ levels: { [logger]: level } }, 'log levels changed');
    this.changes.broadcastChange();
    return level;
  }

  private requireKnown(logger: string): void {
    if (!KNOWN.has(logger)) throw LoggingErrors.unknownLogger(logger);
  }

  /** Explicit levels are answered as set, for TRACE and ALL have the same threshold. */
  private resolveLevel(levels: LogLevels, name: string): LogLevel {
    const threshold = findThreshold(levels, name) ?? baseThreshold();
    const own = levels[name] ?? levels[ROOT_LOGGER];
    return own !== undefined && THRESHOLD[own] === threshold ? own : toLogLevel(threshold);
  }
}
