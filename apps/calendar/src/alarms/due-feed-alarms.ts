import { Injectable } from '@nestjs/common';
import { type AlarmMail, calendarEvents, REMINDER_MODULE, reminderEvents, type DueAlarm } from '@groupware/contracts';
import { type AdministrationTransaction, ModuleDatabase } from '@groupware/persistence';
import { positionOf } from '@groupware/recurrence';
import { type AlarmSource, Clock, Properties } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { findAttendee } from '../domain/appointment';
import { seriesOf } from '../domain/series';
import { listFurtherAlarms } from '../events/event-alarms';
import type { StoredAlarm } from '../events/event-rest';
import { type AlarmedFeedEvent, FeedEventRepository } from '../feeds/feed-event.repository';
import { countAlarm } from './alarm-metrics';
import { type AlarmTime, clockOf, findNextTime, shiftOf, toAlarmedEvent } from './alarm-triggers';
import { startInstant } from './reminder';
import { TOLD_ACTIONS } from './trigger-planner';
import { UserZones } from './user-zones';

const HOUR_MS = 3_600_000;
const REASON = 'alarms of all contexts fall due';

/** A time of an alarm that has come. */
interface DueTime {
  readonly alarmed: AlarmedFeedEvent;
  readonly alarm: StoredAlarm;
  readonly time: AlarmTime;
  readonly zone: string;
}

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
      const told: DueTime[] = [];
      const updated: Parameters<FeedEventRepository['updateAlarms']>[1][number][] = [];
      for (const alarmed of claimed) {
        const zone = alarmed.event.floating ? findZone(alarmed) : 'UTC';
        // It became due after the zones were asked: next time.
        if (zone === undefined) continue;
        const { due, dueMs } = this.findDue(alarmed, zone, nowMs);
        told.push(...due);
        // Who moves is not told again of what his clock showed before.
        const clocks = alarmed.event.floating ? due.map(({ time }) => time.clockMs) : [];
        const toldClockMs =
          clocks.length > 0 ? Math.max(alarmed.toldClockMs ?? -Infinity, ...clocks) : alarmed.toldClockMs;
        updated.push({ ...alarmed, toldMs: Math.max(alarmed.toldMs, nowMs), toldClockMs, dueMs });
      }
      for (const each of told) {
        if (each.alarm.action === 'EMAIL')
          await db.publishFor(each.alarmed, calendarEvents['alarm-mail.requested'], toAlarmMail(each));
        else await db.publishFor(each.alarmed, reminderEvents['alarm.due'], toDueAlarm(each));
      }
      await this.events.updateAlarms(db, updated);
      db.afterCommit(() => {
        for (const { time } of told) countAlarm(Math.max(0, nowMs - time.timeMs));
      });
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
  ): { readonly due: DueTime[]; readonly dueMs: number | null } {
    const { event, userId, toldMs, toldClockMs: notifiedMs } = alarmed;
    const attendee = findAttendee(event, userId);
    const alarms = attendee ? listFurtherAlarms(event, attendee) : [];
    // An outage makes alarms late; those that are too old by then are left out.
    const sinceMs = Math.max(toldMs, nowMs - this.config.alarmCatchUpHours * HOUR_MS);
    const due: DueTime[] = [];
    let dueMs: number | null = null;
    for (const alarm of alarms) {
      if (!TOLD_ACTIONS.includes(alarm.action ?? '')) continue;
      const shiftMs = shiftOf(alarm, this.properties);
      const find = (untilMs: number) =>
        findNextTime(toAlarmedEvent(event), alarm, clockOf(zone), { untilMs, notifiedMs });
      let time = find(Math.max(alarm.doneUntil ?? 0, sinceMs + shiftMs));
      for (; time && time.timeMs - shiftMs <= nowMs; time = find(time.timeMs)) due.push({ alarmed, alarm, time, zone });
      if (time) dueMs = Math.min(dueMs ?? Infinity, time.timeMs - shiftMs);
    }
    return { due, dueMs };
  }
}

function toDueAlarm({ alarmed, alarm, time, zone }: DueTime): DueAlarm {
  const { event, folderId, userId, reminderId } = alarmed;
  const { floating } = event;
  const { recurring } = toAlarmedEvent(event);
  const position = recurring && time.localMs !== undefined ? positionOf(seriesOf(recurring), time.localMs) : undefined;
  return {
    ...{ module: REMINDER_MODULE.calendar, reminderId, userId, targetId: event.id, folderId },
    ...(position && { position }),
    alarm: time.timeMs,
    title: event.title,
    start: startInstant({ startMs: time.startMs, floating }, zone),
    end: startInstant({ startMs: time.endMs, floating }, zone),
    fullTime: event.fullTime,
    again: alarm.relatedTo?.relType === 'SNOOZE',
  };
}

const toAlarmMail = ({ alarmed: { event, userId }, alarm, time }: DueTime): AlarmMail => ({
  userId,
  eventId: event.id,
  alarm: time.timeMs,
  summary: event.title,
  location: event.location,
  description: alarm.description || event.note,
  startMs: time.startMs,
  endMs: time.endMs,
  floating: event.floating,
  wholeDays: event.fullTime,
});
