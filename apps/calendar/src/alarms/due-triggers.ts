import { Injectable } from '@nestjs/common';
import { type AdministrationTransaction, ModuleDatabase } from '@groupware/persistence';
import { type AlarmSource, Clock, Properties } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { type AlarmTime, clockOf, type ElapsedTimes, findNextTime, shiftOf } from './alarm-triggers';
import { HOUR_MS } from './reminder';
import { publishTold, type ToldAlarm } from './told-alarms';
import { type ContextTrigger, type DueTrigger, TriggerRepository } from './trigger.repository';
import { UserZones } from './user-zones';

/**
 * Tells of alarms that appointments do not know. The event and what is noted of it are written in one transaction, and a
 * trigger is held by one process at a time: so each time is told once, however many processes run and whenever they die.
 */
@Injectable()
export class DueTriggers implements AlarmSource {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly triggers: TriggerRepository,
    private readonly zones: UserZones,
    private readonly config: CalendarConfig,
    private readonly clock: Clock,
    private readonly properties: Properties,
  ) {}

  /** Handles one batch on a shard; true when there may be more. */
  async notifyBatch(shard: string): Promise<boolean> {
    const nowMs = this.clock.now();
    const limit = this.config.alarmBatch;
    const reason = 'alarms of all contexts fall due';
    const floating = await this.database.onShard(shard, reason, (db) =>
      this.triggers.listFloatingUsers(db, nowMs, limit),
    );
    const findZone = await this.zones.loadZones(floating);
    return this.database.onShard(shard, reason, async (db) => {
      const due = await this.triggers.claimDue(db, nowMs, limit);
      const told: ToldAlarm[] = [];
      const updated: ContextTrigger[] = [];
      for (const trigger of due) {
        const zone = trigger.floating ? findZone(trigger) : 'UTC';
        // It became due after the zones were asked: next time.
        if (zone === undefined) continue;
        const { time, next } = this.advance(trigger, zone, nowMs);
        if (time && trigger.alarm && trigger.wanted)
          told.push({ event: { ...trigger, reminderId: trigger.id }, alarm: trigger.alarm, time, zone });
        updated.push(next);
      }
      await publishTold(db, told, nowMs);
      await this.triggers.updateAcrossContexts(db, updated);
      return due.length === limit || updated.some(({ dueMs }) => dueMs !== null && dueMs <= nowMs);
    });
  }

  findNextDue(db: AdministrationTransaction): Promise<number | undefined> {
    return this.triggers.findNextDue(db);
  }

  /** The time that has come, and the trigger as it is then. */
  private advance(trigger: DueTrigger, zone: string, nowMs: number): { time?: AlarmTime; next: ContextTrigger } {
    const { alarm } = trigger;
    if (!alarm) return { next: { ...trigger, dueMs: null } };
    const shiftMs = shiftOf(alarm, this.properties);
    const reachMs = nowMs + shiftMs;
    const toDue = (next: AlarmTime | undefined): number | null => (next ? next.timeMs - shiftMs : null);
    const find = (elapsed: ElapsedTimes) => findNextTime(trigger, alarm, clockOf(zone), elapsed);
    const untilMs = Math.max(alarm.doneUntil ?? 0, trigger.sinceMs);
    const time = find({ untilMs, notifiedMs: trigger.notifiedMs });
    if (!time || time.timeMs > reachMs) return { next: { ...trigger, dueMs: toDue(time) } };
    // Occurrences that passed during an outage are told late, but not those that are too old.
    const sinceMs = Math.max(untilMs, nowMs - this.config.alarmCatchUpHours * HOUR_MS);
    const following = find({ untilMs: sinceMs, notifiedMs: time.clockMs });
    const notifiedMs = following && sinceMs > time.timeMs ? following.clockMs - 1 : time.clockMs;
    return { time, next: { ...trigger, notifiedMs, dueMs: toDue(following) } };
  }
}
