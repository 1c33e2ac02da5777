import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ModuleDatabase } from '@groupware/persistence';
import { AlarmClock, Clock, Logger } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { DAY_MS } from '../domain/local-days';
import { setAlarmLag } from './alarm-metrics';
import { DueAlarms } from './due-alarms';
import { DueTriggers } from './due-triggers';
import { ReminderRepository } from './reminder.repository';
import { TriggerRepository } from './trigger.repository';

const log = Logger.for('calendar.alarms');
const FORGET_BATCH = 5_000;
const FORGET_EVERY_MS = 3_600_000;
/** Pause when alarms are due that another process holds, ms. */
const HELD_PAUSE_MS = 1_000;

/**
 * Looks for due alarms when the next one is due, and from time to time for those that other processes wrote: one look-up
 * in an index, whatever the number of alarms. Any number of processes may do so.
 */
@Injectable()
export class AlarmLoop implements OnApplicationBootstrap, OnApplicationShutdown {
  private running: Promise<void> = Promise.resolve();
  private forgotAt = 0;
  private stopped = false;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly due: DueAlarms,
    private readonly dueTriggers: DueTriggers,
    private readonly alarms: AlarmClock,
    private readonly reminders: ReminderRepository,
    private readonly triggers: TriggerRepository,
    private readonly config: CalendarConfig,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.alarmSeconds === 0) return;
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

  /** Tells of everything that is due on all shards and returns when the next alarm is due; undefined when none is. */
  async notifyDue(): Promise<number | undefined> {
    let next: number | undefined;
    let oldest = Infinity;
    for (const shard of await this.database.shardNames()) {
      let more: boolean;
      do more = await this.due.notifyBatch(shard);
      while (more && !this.stopped);
      do more = await this.dueTriggers.notifyBatch(shard);
      while (more && !this.stopped);
      const due = await this.database.onShard(shard, 'alarms of all contexts fall due', async (db) => {
        const [reminder = Infinity, trigger = Infinity] = [
          await this.reminders.findNextDue(db),
          await this.triggers.findNextDue(db),
        ];
        return Math.min(reminder, trigger);
      });
      if (!Number.isFinite(due)) continue;
      oldest = Math.min(oldest, due);
      next = Math.min(next ?? Infinity, due);
    }
    setAlarmLag(Number.isFinite(oldest) ? this.clock.now() - oldest : 0);
    return next;
  }

  private async runRound(): Promise<void> {
    const pause = this.config.alarmSeconds * 1000;
    let at = this.clock.now() + pause;
    try {
      const next = await this.notifyDue();
      if (next !== undefined)
        at = Math.min(at, Math.max(next, this.clock.now() + (next <= this.clock.now() ? HELD_PAUSE_MS : 0)));
      await this.deleteExpired();
    } catch (error) {
      log.error({ error: String(error) }, 'alarms come late');
    }
    this.alarms.scheduleBy(at);
  }

  /** Forgets old reminders now and then. */
  private async deleteExpired(): Promise<void> {
    const now = this.clock.now();
    if (now - this.forgotAt < FORGET_EVERY_MS) return;
    this.forgotAt = now;
    const before = now - this.config.reminderDays * DAY_MS;
    for (const shard of await this.database.shardNames()) {
      let gone: number;
      do
        gone = await this.database.onShard(shard, 'alarms of all contexts end by themselves', (db) =>
          this.reminders.deleteExpired(db, before, FORGET_BATCH),
        );
      while (gone === FORGET_BATCH && !this.stopped);
    }
  }
}
