import { Injectable } from '@nestjs/common';
import { REMINDER_MODULE, reminderEvents, type DueAlarm } from '@groupware/contracts';
import { type AdministrationTransaction, ModuleDatabase } from '@groupware/persistence';
import { type AlarmSource, Clock } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { countAlarm } from './alarm-metrics';
import { findNextAlarm } from './occurrence-alarms';
import { alarmInstant, HOUR_MS, type NewReminder, REMINDER_STATE, startInstant } from './reminder';
import { type ContextReminder, type DueReminder, ReminderRepository } from './reminder.repository';
import { type FindZone, UserZones } from './user-zones';

const seriesKey = (contextId: number, rootId: number, userId: number): string => `${contextId} ${rootId} ${userId}`;

/** Outcome of a batch of due reminders. */
interface BatchOutcome {
  readonly updated: ContextReminder[];
  readonly told: { readonly reminder: DueReminder; readonly event: DueAlarm; readonly late: number }[];
  /** Series whose next occurrence gets its reminder. */
  readonly advanced: DueReminder[];
}

/**
 * Tells of alarms whose time has come. The event, the new state of the reminder and the reminder of the next occurrence
 * are written in one transaction, and a reminder is held by one process at a time: so each is told once, however many
 * processes run and whenever they die.
 */
@Injectable()
export class DueAlarms implements AlarmSource {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly reminders: ReminderRepository,
    private readonly zones: UserZones,
    private readonly config: CalendarConfig,
    private readonly clock: Clock,
  ) {}

  /** Handles one batch on a shard; true when there may be more. */
  async notifyBatch(shard: string): Promise<boolean> {
    const now = this.clock.now();
    const limit = this.config.alarmBatch;
    const floating = await this.database.onShard(shard, 'alarms of all contexts fall due', (db) =>
      this.reminders.listFloatingUsers(db, now, limit),
    );
    const findZone = await this.zones.loadZones(floating);
    return this.database.onShard(shard, 'alarms of all contexts fall due', async (db) => {
      const due = await this.reminders.claimDue(db, now, limit);
      const outcome = classifyDue(due, findZone, now);
      for (const { reminder, event } of outcome.told) await db.publishFor(reminder, reminderEvents['alarm.due'], event);
      await this.reminders.updateAcrossContexts(db, outcome.updated);
      await this.reminders.insertAcrossContexts(db, await this.nextReminders(db, outcome.advanced, now));
      db.afterCommit(() => {
        for (const { late } of outcome.told) countAlarm(late);
      });
      return due.length === limit;
    });
  }

  findNextDue(db: AdministrationTransaction): Promise<number | undefined> {
    return this.reminders.findNextDue(db);
  }

  private async nextReminders(
    db: AdministrationTransaction,
    advanced: readonly DueReminder[],
    now: number,
  ): Promise<(NewReminder & { contextId: number; lastModified: number })[]> {
    const taken = new Map<string, Set<number>>();
    for (const [contextId, rootId, userId, occurrence] of await this.reminders.listTakenAcrossContexts(db, advanced)) {
      const key = seriesKey(contextId, rootId, userId);
      taken.set(key, (taken.get(key) ?? new Set()).add(occurrence));
    }
    return advanced.flatMap((reminder) => {
      const { contextId, userId, rootId, targetId, minutes, startMs, recurring } = reminder;
      const next = findNextAlarm(
        { userId, seriesId: targetId, minutes, recurring: recurring! },
        Math.max(startMs, now - this.config.alarmCatchUpHours * HOUR_MS),
        taken.get(seriesKey(contextId, rootId, userId)) ?? new Set(),
        // Occurrences that passed during an outage are notified late: they were planned with the first one.
        reminder.plannedMs,
      );
      return next ? [{ ...next, contextId, lastModified: now }] : [];
    });
  }
}

function classifyDue(due: readonly DueReminder[], findZone: FindZone, now: number): BatchOutcome {
  const outcome: BatchOutcome = { updated: [], told: [], advanced: [] };
  for (const reminder of due) {
    const zone = reminder.floating ? findZone(reminder) : 'UTC';
    // It became due after the zones were asked: next time.
    if (zone === undefined) continue;
    const waited = reminder.state === REMINDER_STATE.waiting;
    const alarmMs = waited ? alarmInstant(reminder, zone) : reminder.alarmMs;
    if (alarmMs > now) {
      outcome.updated.push({ ...reminder, alarmMs, dueMs: alarmMs });
      continue;
    }
    const over = waited && startInstant(reminder, zone) < reminder.plannedMs;
    const told = reminder.wanted && !over && reminder.state !== REMINDER_STATE.deleted;
    outcome.updated.push({
      ...reminder,
      alarmMs,
      dueMs: null,
      state: told ? REMINDER_STATE.notified : REMINDER_STATE.deleted,
      lastModified: now,
    });
    if (told) outcome.told.push({ reminder, event: toDueAlarm(reminder, alarmMs, zone), late: now - alarmMs });
    if (waited && reminder.recurring) outcome.advanced.push(reminder);
  }
  return outcome;
}

function toDueAlarm(reminder: DueReminder, alarm: number, zone: string): DueAlarm {
  const { floating, endMs } = reminder;
  return {
    module: REMINDER_MODULE.calendar,
    reminderId: reminder.id,
    userId: reminder.userId,
    targetId: reminder.targetId,
    folderId: reminder.folderId,
    ...(reminder.position > 0 && { position: reminder.position }),
    alarm,
    title: reminder.title,
    start: startInstant(reminder, zone),
    end: startInstant({ startMs: endMs, floating }, zone),
    fullTime: reminder.fullTime,
    again: reminder.state === REMINDER_STATE.snoozed,
  };
}
