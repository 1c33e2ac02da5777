import { randomInt, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  APPOINTMENT_RIGHTS,
  CalendarErrors,
  findFeedFolder,
  MAX_INT,
  MAX_TIME,
  recordCheck,
  type AlarmData,
  type AlarmQuery,
  type UserPrincipal,
} from '@groupware/contracts';
import { coversObject } from '@groupware/folders';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { resolveTimeZone } from '@groupware/recurrence';
import { Clock } from '@groupware/service-kit';
import { type AppointmentTarget, AppointmentTargets } from '../appointments/appointment-target';
import { AppointmentWriter } from '../appointments/appointment-writer';
import { type Appointment, type Attendee, findAttendee } from '../domain/appointment';
import { isSnoozeOf, listEventAlarms } from '../events/event-alarms';
import { asEvent } from '../events/event-errors';
import { parseEventId } from '../events/event-finder';
import { getAttendeeRest, type AttendeeRest, type StoredAlarm, withAttendeeRest } from '../domain/attendee-rest';
import { type EventChanges, toEventChanges } from '../events/event-results';
import { formatInstant } from '../events/event-time';
import { FeedChanges } from '../feeds/feed-changes';
import { parseEventFolder } from '../folders/folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { AlarmRepository } from './alarm.repository';
import { clockOf, findNextTime, toAlarmedEvent } from './alarm-triggers';
import { OwnReminders } from './own-reminders';
import { PendingAlarms } from './pending-alarms';
import { REMINDER_STATE } from './reminder';

/** All actions of alarms. */
const ACTIONS: ReadonlySet<string> = new Set(['DISPLAY', 'AUDIO', 'EMAIL', 'SMS']);

/** An alarm of an event, found for its user. */
interface FoundAlarm {
  readonly event: Appointment;
  readonly attendee: Attendee;
  readonly alarm: AlarmData;
  /** The alarm that appointments know, which is planned as a reminder. */
  readonly planned: AlarmData | undefined;
}

/** Acknowledges and snoozes alarms of events, and their reminders with them. */
@Injectable()
export class EventAlarmChanges {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly targets: AppointmentTargets,
    private readonly writer: AppointmentWriter,
    private readonly appointments: AppointmentRepository,
    private readonly alarms: AlarmRepository,
    private readonly reminders: OwnReminders,
    private readonly clock: Clock,
    private readonly feeds: FeedChanges,
    private readonly pending: PendingAlarms,
  ) {}

  /**
   * Acknowledges an alarm. With `snoozeMs` another one comes after that time, in the place of an earlier one.
   * @throws CAL-4049 and the errors of events
   */
  async acknowledge(user: UserPrincipal, query: AlarmQuery, snoozeMs?: number): Promise<EventChanges> {
    const place = await this.findEvent(user, query);
    if (findFeedFolder(place.folder) !== undefined)
      return this.feeds.change(user, place, (event, calendarUser) => {
        const [attendee, zone] = [findAttendee(event, calendarUser)!, resolveTimeZone(user.timeZone) ?? 'UTC'];
        const alarm = listEventAlarms(event, attendee).find((each) => each.id === query.alarmId);
        if (!alarm) throw CalendarErrors.alarmNotFound(query.alarmId, event.id);
        const now = this.clock.now();
        const found = { event, attendee, alarm, planned: undefined };
        const rest = acknowledgeAlarm(found, now, zone, snoozeEnd(now, snoozeMs));
        return { ...event, attendees: [withAttendeeRest(attendee, rest)] };
      });
    const [id, folderId] = [parseEventId(place.id), parseEventFolder(place.folder)];
    return asEvent(place.id, () =>
      this.database.transact(user, async (tx) => {
        this.writer.leaveOut(tx, query.pushToken);
        const target = await this.targets.lockTarget(tx, user, id, folderId);
        const found = findAlarm(target, user, query.alarmId);
        const now = this.clock.now();
        const again = snoozeEnd(now, snoozeMs);
        // In the calendar of another user the reminders are his.
        const owner = { ...user, userId: target.folder.calendarUser };
        // First: reminders of repetitions that are written no more go with them.
        if (concernsReminders(found)) await this.updateReminders(tx, owner, id, now, again);
        const written = await this.writeAcknowledged(tx, user, found, { now, again });
        return toEventChanges(target.folder, written);
      }),
    );
  }

  /** The event that a request names, else the one whose alarm goes off next; CAL-4049 when there is none. */
  private async findEvent(user: UserPrincipal, { id, folder, alarmId }: AlarmQuery) {
    if (id !== undefined && folder !== undefined) return { id, folder };
    const range = { fromMs: undefined, toMs: MAX_TIME, actions: ACTIONS };
    const pending = await this.database.read(user, (db) => this.pending.listPending(db, user, range));
    const found = pending.find((each) => each.alarmId === String(alarmId));
    if (!found) throw CalendarErrors.alarmNotFound(alarmId, id ?? '');
    return { id: id ?? found.eventId, folder: folder ?? found.folder };
  }

  /** Notes on events that their alarms are acknowledged of which reminders of a user told. */
  async noteAcknowledged(user: UserPrincipal, eventIds: readonly number[]): Promise<void> {
    for (const id of new Set(eventIds)) await this.database.transact(user, (tx) => this.noteOne(tx, user, id));
  }

  private async noteOne(tx: Transaction, user: UserPrincipal, id: number): Promise<void> {
    const event = await this.appointments.lockById(tx, id);
    const attendee = event && findAttendee(event, user.userId);
    if (!attendee || attendee.alarm === null) return;
    const planned = listEventAlarms(event, attendee)[0]!;
    await this.writeAcknowledged(tx, user, { event, attendee, alarm: planned, planned }, { now: this.clock.now() });
  }

  /** Writes that an alarm is acknowledged, and comes again at the time `again`, ms UTC. */
  private writeAcknowledged(
    tx: Transaction,
    user: UserPrincipal,
    found: FoundAlarm,
    { now, again }: { readonly now: number; readonly again?: number | undefined },
  ) {
    const { event, attendee } = found;
    const rest = acknowledgeAlarm(found, now, resolveTimeZone(user.timeZone) ?? 'UTC', again);
    const attendees = event.attendees.map((each) => (each === attendee ? withAttendeeRest(each, rest) : each));
    return this.writer.writeChanges(tx, user.userId, { changed: [{ before: event, after: { ...event, attendees } }] });
  }

  /** Everything overdue is over, else what comes next. */
  private async updateReminders(
    tx: Transaction,
    user: UserPrincipal,
    targetId: number,
    now: number,
    again: number | undefined,
  ): Promise<void> {
    const open = await this.alarms.listOpenReminders(tx, user.userId, targetId);
    // Another window acknowledged it: who wants to be reminded later still wants it.
    if (open.length === 0 && again !== undefined) return this.reminders.reopenLast(tx, user.userId, targetId, again);
    const due = open.filter(({ alarmMs }) => alarmMs <= now);
    const ids = (due.length > 0 ? due : open.slice(0, 1)).map((reminder) => reminder.id);
    const last = again === undefined ? undefined : ids.pop();
    const deleted = { state: REMINDER_STATE.deleted, dueMs: null };
    if (ids.length > 0) await this.reminders.updateReminders(tx, user, ids, deleted);
    if (last === undefined || again === undefined) return;
    const snoozed = { state: REMINDER_STATE.snoozed, alarmMs: again, dueMs: again };
    await this.reminders.updateReminders(tx, user, [last], snoozed);
  }
}

/** When a snoozed alarm comes again: alarms are told to the second. */
const snoozeEnd = (now: number, snoozeMs: number | undefined): number | undefined =>
  snoozeMs === undefined ? undefined : Math.floor((now + snoozeMs) / 1000) * 1000;

/** The alarm of the user who takes part; CAL-4049 when there is none. */
function findAlarm({ folder, appointment }: AppointmentTarget, user: UserPrincipal, alarmId: number): FoundAlarm {
  recordCheck(APPOINTMENT_RIGHTS.reply);
  const { calendarUser } = folder;
  const mayWrite =
    calendarUser === user.userId || coversObject(folder.rights.write, appointment.createdBy === user.userId);
  const attendee = mayWrite ? findAttendee(appointment, calendarUser) : undefined;
  const all = attendee ? listEventAlarms(appointment, attendee) : [];
  const alarm = all.find(({ id }) => id === alarmId);
  if (!attendee || !alarm) throw CalendarErrors.alarmNotFound(alarmId, appointment.id);
  return { event: appointment, attendee, alarm, planned: attendee.alarm === null ? undefined : all[0] };
}

/** The alarm itself, or one that repeats it, is planned as a reminder. */
const concernsReminders = ({ alarm, planned }: FoundAlarm): boolean =>
  planned !== undefined && (alarm.id === planned.id || isSnoozeOf(alarm, planned.uid));

/** The alarms of the attendee after one was acknowledged. A snoozed one is gone then. */
function acknowledgeAlarm(
  { event, attendee, alarm, planned }: FoundAlarm,
  now: number,
  zone: string,
  again: number | undefined,
): Pick<AttendeeRest, 'alarm' | 'alarms'> {
  const { alarms = [], ...rest } = getAttendeeRest(attendee);
  const original = alarm.relatedTo?.relType === 'SNOOZE' ? alarm.relatedTo.value : alarm.uid;
  const others = alarms
    .filter((each) => !isSnoozeOf(each, original))
    .map((each) => (each.id === alarm.id ? endTime(event, each, zone, now) : each));
  const isPlanned = planned !== undefined && (alarm.id === planned.id || original === planned.uid);
  return {
    alarm: isPlanned ? { ...planned, acknowledged: now } : rest.alarm,
    alarms: again === undefined ? others : [...others, createSnooze(alarm, original, again, now)],
  };
}

/** An alarm whose overdue times are over, or the next one where none is overdue. */
function endTime(event: Appointment, alarm: StoredAlarm, zone: string, now: number): StoredAlarm {
  const next = findNextTime(toAlarmedEvent(event), alarm, clockOf(zone), { untilMs: alarm.doneUntil ?? 0 });
  return { ...alarm, acknowledged: now, doneUntil: Math.max(now, next?.timeMs ?? 0) };
}

const createSnooze = (alarm: AlarmData, original: string | undefined, again: number, now: number): StoredAlarm => ({
  id: randomInt(1, MAX_INT),
  uid: randomUUID(),
  action: alarm.action,
  ...(alarm.description === undefined ? {} : { description: alarm.description }),
  trigger: { dateTime: formatInstant(again) },
  relatedTo: { relType: 'SNOOZE', value: original },
  doneUntil: now,
});
