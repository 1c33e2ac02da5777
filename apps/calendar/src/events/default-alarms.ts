import { AlarmData, CalendarErrors, MAX_INT, parseInput } from '@groupware/contracts';
import type { Appointment } from '../domain/appointment';
import { MAX_ALARMS, toStoredAlarm } from './event-alarms';
import type { StoredAlarm } from '../domain/attendee-rest';

/** Alarms of a user for events for which he set none himself. */
export interface DefaultAlarms {
  /** Of whole days. */
  readonly date: readonly AlarmData[];
  /** Of all others. */
  readonly dateTime: readonly AlarmData[];
}

/** Parses alarms among settings of a client. @throws CAL-4005 for what is no alarm, or has a time of its own; CAL-5074 */
export function parseDefaultAlarms(value: unknown): AlarmData[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw CalendarErrors.badAlarm('a list was expected');
  if (value.length > MAX_ALARMS) throw CalendarErrors.tooManyAlarms(MAX_ALARMS);
  return value.map((each: unknown) => {
    const { value: alarm, problems } = parseInput(AlarmData, each, 'json');
    if (typeof each !== 'object' || problems.length > 0)
      throw CalendarErrors.badAlarm(problems[0]?.reason ?? 'an object was expected');
    if (alarm.trigger?.dateTime) throw CalendarErrors.badAlarm('it has a time, not a duration');
    const { id: _id, uid: _uid, acknowledged: _done, relatedTo: _related, ...fields } = toStoredAlarm(alarm, []);
    return fields;
  });
}

/** The default alarms of an event with their ids, which they keep; earlier times than the given one are over. */
export function createDefaultAlarms(
  { id, fullTime }: Pick<Appointment, 'id' | 'fullTime'>,
  alarms: DefaultAlarms,
  sinceMs: number,
): StoredAlarm[] {
  return (fullTime ? alarms.date : alarms.dateTime).map((alarm, index) => ({
    ...alarm,
    id: toAlarmId(id, index),
    uid: `${id}-default-${index}`,
    doneUntil: sinceMs,
  }));
}

/** A number of its own for each default alarm of an event: the first has that of the event. */
const toAlarmId = (eventId: number, index: number): number => (eventId + index * 1_000_000_007) % MAX_INT || MAX_INT;
