import { groupBy } from '@groupware/contracts';
import { type Appointment, findAttendee, isException, isSeries } from '../domain/appointment';
import { attendeeKey } from '../domain/attendee-list';
import { hasOriginalStart } from '../domain/series';
import { getIcalendarExtra } from '../domain/icalendar-extra';
import type { SeenEvent } from '../persistence/event.repository';

/** True for an exception that differs from its occurrence in answers and alarms only. */
export function isTechnicalException(exception: Appointment, series: Appointment): boolean {
  const same = (['title', 'location', 'note', 'attachments', 'organizer', 'shownAs'] as const).every(
    (field) => exception[field] === series[field],
  );
  const geo = (each: Appointment): string => JSON.stringify(getIcalendarExtra(each).geo ?? null);
  const people = (each: Appointment): string => each.attendees.map(attendeeKey).sort().join();
  return (
    same &&
    hasOriginalStart(exception, series.timeZone) &&
    exception.fullTime === series.fullTime &&
    exception.endMs - exception.startMs === series.endMs - series.startMs &&
    geo(exception) === geo(series) &&
    people(exception) === people(series)
  );
}

/** Unanswered events: a series stands for those of its exceptions that nothing but answers make differ. */
export function listUnanswered(
  events: readonly SeenEvent[],
  masters: readonly Appointment[],
  userId: number,
): SeenEvent[] {
  const series = new Map(masters.map((each) => [each.id, each]));
  const waiting = new Set(events.filter(isSeries).map(({ id }) => id));
  const isCovered = (event: SeenEvent): boolean => {
    if (!isException(event) || !waiting.has(event.seriesId!)) return false;
    const master = series.get(event.seriesId!);
    return master !== undefined && findAttendee(master, userId) !== undefined && isTechnicalException(event, master);
  };
  const covered = new Set(events.filter(isCovered));
  const skipped = groupBy(
    covered,
    ({ seriesId }) => seriesId!,
    ({ recurrenceLocalMs }) => recurrenceLocalMs!,
  );
  return events.flatMap((event) => {
    if (covered.has(event)) return [];
    const locals = skipped.get(event.id);
    if (!locals) return [event];
    const left = new Set(locals);
    return [{ ...event, changes: event.changes?.filter((local) => !left.has(local)) ?? null }];
  });
}
