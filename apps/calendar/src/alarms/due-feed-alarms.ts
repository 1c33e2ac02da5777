import { Injectable } from '@nestjs/common';
import { type AdministrationTransaction, ModuleDatabase } from '@groupware/persistence';
import { type AlarmSource, Clock, Properties } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { findAttendee } from '../domain/appointment';
import { listFurtherAlarms } from '../events/event-alarms';
import { type AlarmedFeedEvent, FeedEventRepository } from '../feeds/feed-event.repository';
import { clockOf, findNextTime, shiftOf, toAlarmedEvent } from './alarm-triggers';
import { HOUR_MS } from './reminder';
import { publishTold, type ToldAlarm, type ToldEvent } from './told-alarms';
import { TOLD_ACTIONS } from './trigger-planner';
import { UserZones } from './user-zones';

const REASON = 'alarms of all contexts fall due';

/**
 * Tells of alarms in calendars of the web and of birthdays. The event and until when its user was told of its alarms are written
 * in one transaction, and a row is held by one process at a time: so each is told once, however many processes run.
 */
@Injectable()
export class DueFeedAlarms implements AlarmSource {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly events: FeedEventRepository,
    private readonly zones: UserZones,
    private readonly properties: Properties,
    private readonly config: CalendarConfig,
    private readonly clock: Clock,
  ) {}

  /** Handles one batch on a shard; true when there may be more. */
  async notifyBatch(shard: string): Promise<boolean> {
    const [nowMs, limit] = [this.clock.now(), this.config.alarmBatch];
    const floating = await this.database.onShard(shard, REASON, (db) =>
      this.events.listFloatingUsers(db, nowMs, limit),
    );
    const findZone = await this.zones.loadZones(floating);
    return this.database.onShard(shard, REASON, async (db) => {
      const claimed = await this.events.claimAlarms(db, nowMs, limit);
      const told: ToldAlarm[] = [];
      const updated: Parameters<FeedEventRepository['updateAlarms']>[1][number][] = [];
      for (const alarmed of claimed) {
        const zone = alarmed.event.floating ? findZone(alarmed) : 'UTC';
        // It became due after the zones were asked: next time.
        if (zone === undefined) continue;
        const { due, dueMs } = this.findDue(alarmed, zone, nowMs);
        told.push(...due);
        // Nothing is told again of what the clock showed before its user moved.
        const clocks = alarmed.event.floating ? due.map(({ time }) => time.clockMs) : [];
        const toldClockMs =
          clocks.length > 0 ? Math.max(alarmed.toldClockMs ?? -Infinity, ...clocks) : alarmed.toldClockMs;
        updated.push({ ...alarmed, toldMs: Math.max(alarmed.toldMs, nowMs), toldClockMs, dueMs });
      }
      await publishTold(db, told, nowMs);
      await this.events.updateAlarms(db, updated);
      return claimed.length === limit && updated.length > 0;
    });
  }

  findNextDue(db: AdministrationTransaction): Promise<number | undefined> {
    return this.events.findNextAlarm(db);
  }

  /** The times of an event that have come, and when to look at it again. */
  private findDue(
    alarmed: AlarmedFeedEvent,
    zone: string,
    nowMs: number,
  ): { readonly due: ToldAlarm[]; readonly dueMs: number | null } {
    const { event, userId, toldMs, toldClockMs: notifiedMs } = alarmed;
    const attendee = findAttendee(event, userId);
    const alarms = attendee ? listFurtherAlarms(event, attendee) : [];
    // An outage makes alarms late; those that are too old by then are left out.
    const sinceMs = Math.max(toldMs, nowMs - this.config.alarmCatchUpHours * HOUR_MS);
    const told = toToldEvent(alarmed);
    const due: ToldAlarm[] = [];
    let dueMs: number | null = null;
    for (const alarm of alarms) {
      if (!TOLD_ACTIONS.includes(alarm.action ?? '')) continue;
      const shiftMs = shiftOf(alarm, this.properties);
      const find = (untilMs: number) =>
        findNextTime(toAlarmedEvent(event), alarm, clockOf(zone), { untilMs, notifiedMs });
      let time = find(Math.max(alarm.doneUntil ?? 0, sinceMs + shiftMs));
      for (; time && time.timeMs - shiftMs <= nowMs; time = find(time.timeMs))
        due.push({ event: told, alarm, time, zone });
      if (time) dueMs = Math.min(dueMs ?? Infinity, time.timeMs - shiftMs);
    }
    return { due, dueMs };
  }
}

function toToldEvent({ event, contextId, userId, folderId, reminderId }: AlarmedFeedEvent): ToldEvent {
  const { id: targetId, title, location, note, fullTime } = event;
  const { floating, recurring } = toAlarmedEvent(event);
  return { contextId, userId, targetId, folderId, reminderId, title, location, note, fullTime, floating, recurring };
}
