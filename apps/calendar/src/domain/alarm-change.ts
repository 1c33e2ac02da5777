import { isDeepStrictEqual } from 'node:util';
import { type Appointment, type Attendee, PARTICIPANT } from './appointment';
import { getEventRest, withRest } from './appointment-rest';
import { getAttendeeRest, withAttendeeRest } from './attendee-rest';
import { isUnchanged } from './change-target';

/** Alarms are of one user each: what happened to an appointment since a stamp that concerns these users alone. */
export interface AlarmChanges {
  /** Stamp of the newest change that concerns all who see the appointment. */
  readonly since: number;
  /** Stamp of the newest change of alarms. With another one the appointment was changed for all since then. */
  readonly until: number;
  readonly users: readonly number[];
}

/** Whether nothing but alarms differs. */
export const isAlarmChange = (before: Appointment, after: Appointment): boolean =>
  listAlarmUsers(before, after).length > 0 && isUnchanged(withoutAlarms(before), withoutAlarms(after));

/** An appointment of which nothing but alarms was changed, with the stamp of that: still changed by the same user as before. */
export function stampAlarmChange(before: Appointment, after: Appointment, stamp: number): Appointment {
  const known = findAlarmChanges(before);
  const users = [...new Set([...(known?.users ?? []), ...listAlarmUsers(before, after)])];
  const alarmChanges = { since: known?.since ?? before.lastModified, until: stamp, users };
  return { ...after, lastModified: stamp, extra: withRest(after, { event: { alarmChanges } }) };
}

/** Stamp of the newest change of an appointment that concerns a user: alarms of others do not. */
export function changedFor(appointment: Pick<Appointment, 'lastModified' | 'extra'>, userId: number): number {
  const known = findAlarmChanges(appointment);
  return known && !known.users.includes(userId) ? known.since : appointment.lastModified;
}

function findAlarmChanges(appointment: Pick<Appointment, 'lastModified' | 'extra'>): AlarmChanges | undefined {
  const { alarmChanges } = getEventRest(appointment);
  return alarmChanges?.until === appointment.lastModified ? alarmChanges : undefined;
}

/** Users whose alarms differ, where the attendees are the same. */
const listAlarmUsers = (before: Appointment, after: Appointment): number[] =>
  before.attendees.length !== after.attendees.length
    ? []
    : after.attendees.flatMap((each, index) => {
        const isSame = isDeepStrictEqual(alarmsOf(each), alarmsOf(before.attendees[index]!));
        return isSame || each.type !== PARTICIPANT.user ? [] : [each.entity!];
      });

const alarmsOf = (attendee: Attendee): unknown[] => {
  const { alarm, alarms } = getAttendeeRest(attendee);
  return [attendee.alarm, alarm, alarms];
};

const withoutAlarms = (appointment: Appointment): Appointment => ({
  ...appointment,
  attendees: appointment.attendees.map((each) =>
    withAttendeeRest({ ...each, alarm: null }, { alarm: undefined, alarms: undefined }),
  ),
});
