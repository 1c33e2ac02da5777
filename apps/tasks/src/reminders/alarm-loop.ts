import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { REMINDER_MODULE, taskEvents } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { AlarmClock, Clock, Logger } from '@groupware/service-kit';
import { TasksConfig } from '../tasks.config';
import { REMINDER_STATE, ReminderRepository, type DueReminder } from './reminder.repository';

const log = Logger.for('tasks.alarms');
const BATCH = 200;
/** Pause when alarms are due that another process holds, ms. */
const HELD_PAUSE_MS = 1_000;

/**
 * Tells of alarms when their time has come: the event and the new state are written in one transaction, and a reminder is held
 * by one process at a time, so each is told once, however many processes run and whenever they die.
 */
@Injectable()
export class AlarmLoop implements OnApplicationBootstrap, OnApplicationShutdown {
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly reminders: ReminderRepository,
    private readonly alarms: AlarmClock,
    private readonly config: TasksConfig,
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
    for (const shard of await this.database.shardNames()) {
      while (!this.stopped && (await this.notifyBatch(shard)) === BATCH);
      const due = await this.database.onShard(shard, 'alarms of all contexts fall due', (db) =>
        this.reminders.findNextDue(db),
      );
      if (due !== undefined) next = Math.min(next ?? Infinity, due);
    }
    return next;
  }

  private notifyBatch(shard: string): Promise<number> {
    return this.database.onShard(shard, 'alarms of all contexts fall due', async (db) => {
      const due = await this.reminders.takeDue(db, this.clock.now(), BATCH);
      for (const reminder of due) await db.publishFor(reminder, taskEvents['alarm.due'], toDueAlarm(reminder));
      return due.length;
    });
  }

  private async runRound(): Promise<void> {
    let at = this.clock.now() + this.config.alarmSeconds * 1000;
    try {
      const next = await this.notifyDue();
      const now = this.clock.now();
      if (next !== undefined) at = Math.min(at, next <= now ? now + HELD_PAUSE_MS : next);
    } catch (error) {
      log.error({ error: String(error) }, 'alarms come late');
    }
    this.alarms.scheduleBy(at);
  }
}

const toDueAlarm = (reminder: DueReminder) => ({
  module: REMINDER_MODULE.tasks,
  reminderId: reminder.id,
  userId: reminder.userId,
  targetId: reminder.taskId,
  folderId: reminder.folderId,
  alarm: reminder.remindMs,
  title: reminder.title,
  start: reminder.startMs ?? reminder.endMs ?? reminder.remindMs,
  end: reminder.endMs ?? reminder.remindMs,
  fullTime: reminder.fullTime ?? false,
  again: reminder.state === REMINDER_STATE.snoozed,
});
