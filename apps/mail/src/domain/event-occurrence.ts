import type { CalendarEvent, CalendarTime } from '@groupware/icalendar';
import { occurrenceAt, parseRule, RecurrenceError, ZoneOffsets } from '@groupware/recurrence';

const zoneOf = ({ kind, timeZone }: CalendarTime): string => (kind === 'zoned' && timeZone ? timeZone : 'UTC');
const toInstant = (time: CalendarTime): number => ZoneOffsets.forZone(zoneOf(time)).localToInstant(time.localMs);

/** The same moment on the clock of a zone; days and floating times stay. */
function toZone(time: CalendarTime, timeZone: string): CalendarTime {
  if (time.kind === 'date' || time.kind === 'floating') return time;
  const instant = toInstant(time);
  if (timeZone === 'UTC') return { kind: 'utc', localMs: instant };
  return { kind: 'zoned', timeZone, localMs: ZoneOffsets.forZone(timeZone).instantToLocal(instant) };
}

/** An event with its times, those of its series included, on the clock of a zone. */
export function toEventInZone(event: CalendarEvent, timeZone: string): CalendarEvent {
  const shift = (localMs: number): number => toZone({ ...event.start, localMs }, timeZone).localMs;
  return {
    ...event,
    start: toZone(event.start, timeZone),
    end: toZone(event.end, timeZone),
    ...(event.recurrenceId && { recurrenceId: toZone(event.recurrenceId, timeZone) }),
    rdates: event.rdates.map(shift),
    exdates: event.exdates.map(shift),
  };
}

/**
 * The occurrence with a number, from 1, of the series among some events: as it was changed, where it was. Events that are no
 * series stay; undefined where a series has no such occurrence.
 */
export function findOccurrences(events: readonly CalendarEvent[], position: number): CalendarEvent[] | undefined {
  const found: CalendarEvent[] = [];
  const series = new Set<string>();
  for (const event of events) {
    if (event.recurrenceId || (!event.rrule && event.rdates.length === 0)) continue;
    const occurrence = occurrenceOf(event, position);
    if (!occurrence) return undefined;
    const at = toInstant(occurrence.recurrenceId!);
    const changed = events.find(
      ({ uid, recurrenceId }) => uid === event.uid && recurrenceId && toInstant(recurrenceId) === at,
    );
    series.add(event.uid);
    found.push(changed ?? occurrence);
  }
  return [...found, ...events.filter(({ uid }) => !series.has(uid))];
}

function occurrenceOf(event: CalendarEvent, position: number): CalendarEvent | undefined {
  const { start, end, rrule, rdates, rdatePeriods } = event;
  const series = {
    rule: rrule === undefined ? undefined : parseRule(rrule),
    startLocalMs: start.localMs,
    timeZone: zoneOf(start),
    durationMs: toInstant(end) - toInstant(start),
    allDay: start.kind === 'date',
    ...{ rdates, rdatePeriods },
  };
  try {
    const occurrence = occurrenceAt(series, position);
    if (!occurrence) return undefined;
    const [clock, last] = [ZoneOffsets.forZone(zoneOf(start)), ZoneOffsets.forZone(zoneOf(end))];
    return {
      ...event,
      ...{ rrule: undefined, rdates: [], rdatePeriods: [], exdates: [] },
      recurrenceId: { ...start, localMs: occurrence.localMs },
      start: { ...start, localMs: clock.instantToLocal(occurrence.startMs) },
      end: { ...end, localMs: last.instantToLocal(occurrence.endMs) },
    };
  } catch (error) {
    if (error instanceof RecurrenceError) return undefined;
    throw error;
  }
}
