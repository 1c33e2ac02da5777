import { Injectable } from '@nestjs/common';
import { ModuleDatabase } from '@groupware/persistence';
import { AlarmClock, AlarmLoop as AlarmLoopOfSources, Clock, Logger } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { DAY_MS } from '../domain/local-days';
import { setAlarmLag } from './alarm-metrics';
import { DueAlarms } from './due-alarms';
import { DueFeedAlarms } from './due-feed-alarms';
import { DueTriggers } from './due-triggers';
import { ReminderRepository } from './reminder.repository';

const FORGET_BATCH = 5_000;
const FORGET_EVERY_MS = 3_600_000;

/** Tells of due alarms of appointments and events, and forgets old reminders now and then. */
@Injectable()
export class AlarmLoop extends AlarmLoopOfSources {
  private forgotAt = 0;

  constructor(
    database: ModuleDatabase,
    due: DueAlarms,
    dueTriggers: DueTriggers,
    dueFeedAlarms: DueFeedAlarms,
    alarms: AlarmClock,
    private readonly reminders: ReminderRepository,
    private readonly config: CalendarConfig,
    clock: Clock,
  ) {
    super(database, alarms, clock, config, [due, dueTriggers, dueFeedAlarms], Logger.for('calendar.alarms'));
  }

  override async notifyDue(): Promise<number | undefined> {
    const next = await super.notifyDue();
    setAlarmLag(next === undefined ? 0 : this.clock.now() - next);
    return next;
  }

  protected override async afterRound(): Promise<void> {
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
      while (gone === FORGET_BATCH && !this.isStopped);
    }
  }
}
