import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { type AdministrationTransaction, ModuleDatabase } from '@groupware/persistence';
import { AlarmClock } from './alarm-clock';
import { Clock } from './clock';
import type { Logger } from './log/logger';

/** Pause when alarms are due that another process holds, ms. */
const HELD_PAUSE_MS = 1_000;

/** Settings of an {@link AlarmLoop}. */
export interface AlarmLoopSettings {
  /** Seconds between two looks for due alarms that other processes wrote; 0: this process tells of none. */
  readonly alarmSeconds: number;
}

/** A table of alarms of all contexts. */
export interface AlarmSource {
  /** Handles one batch of what is due on a shard, each alarm in one process only; true when there may be more. */
  notifyBatch(shard: string): Promise<boolean>;
  /** Due time of the next alarm, ms UTC; undefined when none waits. */
  findNextDue(db: AdministrationTransaction): Promise<number | undefined>;
}

/**
 * Looks for due alarms when the next one is due, and from time to time for those that other processes wrote: one look-up
 * in an index of each source, whatever the number of alarms. Any number of processes may do so.
 */
export class AlarmLoop implements OnApplicationBootstrap, OnApplicationShutdown {
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    protected readonly database: ModuleDatabase,
    private readonly alarms: AlarmClock,
    protected readonly clock: Clock,
    private readonly settings: AlarmLoopSettings,
    private readonly sources: readonly AlarmSource[],
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.alarmSeconds === 0) return;
    this.alarms.start(() => {
      this.running = this.running.then(() => this.runRound());
    });
    this.alarms.scheduleBy(this.clock.now());
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.alarms.stop();
    await this.running;
  }

  /** True when the process ends, for long rounds. */
  protected get isStopped(): boolean {
    return this.stopped;
  }

  /** Tells of everything that is due on all shards and returns when the next alarm is due; undefined when none is. */
  async notifyDue(): Promise<number | undefined> {
    let next = Infinity;
    for (const shard of await this.database.shardNames()) {
      for (const source of this.sources) while ((await source.notifyBatch(shard)) && !this.stopped);
      next = await this.database.onShard(shard, 'alarms of all contexts fall due', async (db) => {
        let earliest = next;
        for (const source of this.sources) earliest = Math.min(earliest, (await source.findNextDue(db)) ?? Infinity);
        return earliest;
      });
    }
    return Number.isFinite(next) ? next : undefined;
  }

  /** Whatever else is to be done in each round. */
  protected async afterRound(): Promise<void> {}

  private async runRound(): Promise<void> {
    let at = this.clock.now() + this.settings.alarmSeconds * 1000;
    try {
      const next = await this.notifyDue();
      const now = this.clock.now();
      if (next !== undefined) at = Math.min(at, next <= now ? now + HELD_PAUSE_MS : next);
      await this.afterRound();
    } catch (error) {
      this.log.error({ err: error }, 'alarms come late');
    }
    this.alarms.scheduleBy(at);
  }
}
