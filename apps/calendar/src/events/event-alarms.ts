import { randomInt, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { CalendarErrors, MAX_INT, type AlarmData } from '@groupware/contracts';
import type { Appointment, Attendee } from '../domain/appointment';
import { parseIcalendarTime } from './event-time';
import { getAttendeeRest, type AttendeeRest, type StoredAlarm, withAttendeeRest } from '../domain/attendee-rest';

const MINUTE_MS = 60_000;
/** Most alarms of a user in one event. */
export const MAX_ALARMS = 100;
const ACTIONS: ReadonlySet<string> = new Set(['DISPLAY', 'AUDIO', 'EMAIL', 'SMS']);
/** Text of a shown alarm without one: it must have some (RFC 5545, section 3.6.6). */
const DESCRIPTION = 'Reminder';
const DURATION = /^([+-]?)P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,8})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?$/;

/** Ms of a duration of RFC 5545; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const found = DURATION.exec(text.trim().toUpperCase());
  if (!found || !/\d/.test(text)) return undefined;
  const [, sign, ...parts] = found;
  const [weeks, days, hours, minutes, seconds] = parts.map((part) => Number(part ?? 0));
  const total = (((weeks! * 7 + days!) * 24 + hours!) * 60 + minutes!) * MINUTE_MS + seconds! * 1000;
  return sign === '-' && total > 0 ? -total : total;
}

/** The alarm that appointments know: shown or heard so many whole minutes before the start. Undefined for all others. */
function minutesOf({ action, trigger }: AlarmData): number | undefined {
  if (action !== 'DISPLAY' && action !== 'AUDIO') return undefined;
  if (!trigger?.duration || trigger.dateTime || (trigger.related ?? 'START') !== 'START') return undefined;
  const minutes = -(parseDuration(trigger.duration) ?? NaN) / MINUTE_MS;
  return Number.isInteger(minutes) && minutes >= 0 && minutes <= MAX_INT ? Math.abs(minutes) : undefined;
}

/** The alarms of a user, the one that appointments know among them. */
export function listEventAlarms(appointment: Pick<Appointment, 'id' | 'attendees'>, attendee: Attendee): AlarmData[] {
  const { alarm: known, alarms = [] } = getAttendeeRest(attendee);
  const others = alarms.map(({ doneUntil: _done, ...alarm }) => alarm);
  if (attendee.alarm === null) return others;
  const same = known !== undefined && minutesOf(known) === attendee.alarm;
  const trigger = same ? known.trigger! : { duration: `-PT${attendee.alarm}M`, related: 'START' };
  return [{ id: appointment.id, uid: `${appointment.id}-alarm`, action: 'DISPLAY', ...known, trigger }, ...others];
}

/** Whether an alarm repeats another one that was snoozed. */
export const isSnoozeOf = ({ relatedTo }: AlarmData, uid: string | undefined): boolean =>
  uid !== undefined && relatedTo?.relType === 'SNOOZE' && relatedTo.value === uid;

/** Times of the repetitions of the alarm that appointments know, ms UTC. */
export function listSnoozeTimes(
  appointment: Pick<Appointment, 'id' | 'attendees'>,
  attendee: Attendee | undefined,
): readonly number[] {
  if (!attendee || attendee.alarm === null || !getAttendeeRest(attendee).alarms) return [];
  const [planned, ...others] = listEventAlarms(appointment, attendee);
  return others
    .filter((alarm) => isSnoozeOf(alarm, planned!.uid))
    .flatMap(({ trigger }) => parseIcalendarTime(trigger?.dateTime ?? '')?.ms ?? []);
}

/** The alarms of a user that appointments do not know. Repetitions of the other one are reminders. */
export function listFurtherAlarms(
  appointment: Pick<Appointment, 'id' | 'attendees'>,
  attendee: Attendee,
): readonly StoredAlarm[] {
  const { alarms = [] } = getAttendeeRest(attendee);
  if (attendee.alarm === null) return alarms;
  const planned = listEventAlarms(appointment, attendee)[0];
  return alarms.filter((alarm) => !isSnoozeOf(alarm, planned?.uid));
}

/** Whether an attendee has an alarm that leaves by mail. */
export const hasMailAlarm = (attendee: Attendee): boolean =>
  getAttendeeRest(attendee).alarms?.some(({ action }) => action === 'EMAIL') ?? false;

/** The appointment whose new alarms are due from now on only. Alarms that appointments know are planned as reminders. */
export function startAlarms(appointment: Appointment, nowMs: number): Appointment {
  const isNew = ({ doneUntil }: StoredAlarm): boolean => doneUntil === undefined;
  if (!appointment.attendees.some((attendee) => getAttendeeRest(attendee).alarms?.some(isNew))) return appointment;
  const attendees = appointment.attendees.map((attendee) => {
    const { alarms } = getAttendeeRest(attendee);
    if (!alarms?.some(isNew)) return attendee;
    return withAttendeeRest(attendee, { alarms: alarms.map((alarm) => ({ doneUntil: nowMs, ...alarm })) });
  });
  return { ...appointment, attendees };
}

/** The alarms of a user as they are stored. Alarms without id, or with one that he does not have, are new. */
export function setEventAlarms(
  attendee: Attendee,
  wanted: readonly AlarmData[],
  known: readonly AlarmData[],
): Pick<Attendee, 'alarm'> & { rest: Pick<AttendeeRest, 'alarm' | 'alarms'> } {
  const alarms = wanted.map((alarm) => toStoredAlarm(alarm, known));
  const index = alarms.findIndex((alarm) => minutesOf(alarm) !== undefined);
  const first = alarms[index];
  const stored = getAttendeeRest(attendee).alarms ?? [];
  const others = alarms.filter((_alarm, at) => at !== index).map((alarm) => keepProgress(alarm, stored));
  return {
    alarm: first ? minutesOf(first)! : null,
    rest: { alarm: first, alarms: others.length > 0 ? others : undefined },
  };
}

/** An alarm whose trigger stays is not due again. */
export function keepProgress(alarm: AlarmData, stored: readonly StoredAlarm[]): StoredAlarm {
  const old = stored.find(({ id }) => id === alarm.id);
  const isSame = old !== undefined && isDeepStrictEqual(old.trigger, alarm.trigger);
  return isSame && old.doneUntil !== undefined ? { ...alarm, doneUntil: old.doneUntil } : alarm;
}

/** True for an alarm with a receiver by telephone (RFC 3966). */
const hasPhone = ({ attendees }: AlarmData): boolean =>
  Array.isArray(attendees) &&
  attendees.some((each: { readonly uri?: unknown } | null) => /^tel:\+?[\d(]/i.test(String(each?.uri)));

/**
 * An alarm as it is stored, with the ids of the known one that it is, acknowledged as that is unless it goes off at another time.
 * CAL-4005 for an alarm that never goes off.
 */
export function toStoredAlarm(alarm: AlarmData, known: readonly AlarmData[]): AlarmData {
  const { trigger } = alarm;
  const action = alarm.action?.toUpperCase();
  if (!action) throw CalendarErrors.badAlarm('it has no action');
  if (!ACTIONS.has(action)) throw CalendarErrors.badAlarm(`the action ${action}`);
  if (action === 'SMS' && !hasPhone(alarm)) throw CalendarErrors.badAlarm('it has no phone number');
  if (!trigger?.duration && !trigger?.dateTime) throw CalendarErrors.badAlarm('it has no trigger');
  if (trigger.duration && parseDuration(trigger.duration) === undefined)
    throw CalendarErrors.badAlarm(`the duration ${trigger.duration}`);
  if (trigger.dateTime && parseIcalendarTime(trigger.dateTime)?.kind !== 'utc')
    throw CalendarErrors.badAlarm(`the time ${trigger.dateTime}`);
  const related = trigger.related?.toUpperCase();
  if (related && related !== 'START' && related !== 'END') throw CalendarErrors.badAlarm(`related to ${related}`);
  const old = known.find(
    ({ id, uid }) => (alarm.id != null && id === alarm.id) || (alarm.uid != null && uid === alarm.uid),
  );
  const { id = randomInt(1, MAX_INT), uid = randomUUID() } = old ?? { uid: alarm.uid ?? undefined };
  const entries = Object.entries({ ...alarm, action }).filter(([, value]) => value !== null && value !== undefined);
  const kept = trigger.dateTime
    ? { dateTime: trigger.dateTime }
    : { duration: trigger.duration!, related: related ?? 'START' };
  const description = alarm.description || (action === 'DISPLAY' ? DESCRIPTION : undefined);
  const fields = Object.fromEntries(entries) as AlarmData;
  // A list may be older than the last acknowledgement.
  const done = isDeepStrictEqual(old?.trigger, kept) ? (old?.acknowledged ?? 0) : 0;
  const acknowledged = Math.max(alarm.acknowledged ?? 0, done);
  return {
    ...fields,
    id,
    uid,
    trigger: kept,
    ...(description !== undefined && { description }),
    ...(acknowledged > 0 && { acknowledged }),
  };
}
