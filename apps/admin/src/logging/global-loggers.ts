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
import { baseThreshold, levelOf, Logger, THRESHOLD, thresholdIn } from '@groupware/service-kit';
import { SessionStore, type SharedTable } from '@groupware/sessions';
import { RuntimeChanges } from '../runtime/runtime-changes';
import { levelIn, loggersOf } from './domain/log-inputs';

const above = (name: string): string[] =>
  name.split('.').flatMap((_part, index, parts) => parts.slice(0, index + 1).join('.'));

/** Names of all loggers, with those above them. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(LOGGERS).flatMap(above),
  ...operations.flatMap(({ service }) => above(callsLogger(service))),
]);

/** Levels that hold for everybody. */
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
  async levels(): Promise<LogLevels> {
    return (await this.table.all()) as LogLevels;
  }

  /** All loggers with the levels that hold for them. */
  async list(): Promise<LoggerLevel[]> {
    const levels = await this.levels();
    return loggersOf(Object.fromEntries([...KNOWN].map((name) => [name, this.effective(levels, name)])));
  }

  /** The level that holds for a logger. @throws LOGCONF-0001 */
  async level(logger: string): Promise<LogLevel> {
    this.requireKnown(logger);
    return this.effective(await this.levels(), logger);
  }

  /** Sets the level of a logger from a body. @throws LOGCONF-0001, SVL-0031 */
  async set(logger: string, body: unknown): Promise<LogLevel> {
    this.requireKnown(logger);
    const level = levelIn(body);
    await this.table.put({ [logger]: level });
    this.log.info({ levels: { [logger]: level } }, 'log levels changed');
    this.changes.announce();
    return level;
  }

  private requireKnown(logger: string): void {
    if (!KNOWN.has(logger)) throw LoggingErrors.unknownLogger(logger);
  }

  /** What was set is answered as it was set; thresholds of TRACE and ALL are the same. */
  private effective(levels: LogLevels, name: string): LogLevel {
    const threshold = thresholdIn(levels, name) ?? baseThreshold();
    const own = levels[name] ?? levels[ROOT_LOGGER];
    return own !== undefined && THRESHOLD[own] === threshold ? own : levelOf(threshold);
  }
}
