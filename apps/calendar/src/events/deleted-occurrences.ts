import { CalendarErrors } from '@groupware/contracts';
import { positionOf, type Series } from '@groupware/recurrence';
import { type Appointment, type AppointmentContent, isSeries } from '../domain/appointment';
import { dayOf, timeOfDay } from '../domain/local-days';
import { localOf, type OriginalStart, startLocalOf, wholeSeriesOf } from '../domain/series';
import { parseRecurrenceId } from './event-time';

/** How far the start of a series moves on its clock; undefined where whole days become times or the reverse. */
export const shiftOf = (before: Appointment, after: Appointment): number | undefined =>
  isSeries(before) ? findShift(before, after) : undefined;

const findShift = (before: AppointmentContent, after: AppointmentContent): number | undefined =>
  before.fullTime === after.fullTime ? startLocalOf(after) - startLocalOf(before) : undefined;

/** Local time of an original start; days of timed series without an occurrence mean the usual time on that day. */
export const toLocal = (series: Series, original: OriginalStart): number =>
  localOf(series, original) ?? dayOf(original.ms) + timeOfDay(series.startLocalMs);

/** The place of an occurrence on the clock of a series that begins so much later, or on the same day where that is not known. */
const moveInto = ({ startLocalMs }: Series, localMs: number, shiftMs: number | undefined): number =>
  shiftMs === undefined ? dayOf(localMs) + timeOfDay(startLocalMs) : localMs + shiftMs;

const isRecurring = ({ rule, rdates }: AppointmentContent): boolean => rule !== null || Boolean(rdates?.length);

const hasOccurrence = (series: Series, localMs: number): boolean => positionOf(series, localMs) !== undefined;

/**
 * Resolves the deleted occurrences that a change of a series names, on the clock that it had: with its start they move, as its
 * exceptions do. A list with all that are deleted already names these as they were. All others are named as the series will be,
 * or as it was. CAL-4061 for what is neither.
 */
export function resolveDeletedOccurrences(
  texts: readonly string[],
  before: AppointmentContent,
  after: AppointmentContent,
): number[] {
  const next = wholeSeriesOf(after);
  const former = isRecurring(before) ? wholeSeriesOf(before) : undefined;
  const shiftMs = findShift(before, after);
  const named = texts.map((text) => {
    const original = parseRecurrenceId(text, 'deleteExceptionDates');
    return { text, local: toLocal(next, original), formerLocal: former && toLocal(former, original) };
  });
  if (!isRecurring(after)) return [];
  const known = new Set(before.exdates);
  const formerLocals = new Set(named.map(({ formerLocal }) => formerLocal));
  const namesKnown = [...known].every((local) => formerLocals.has(local));
  const locals = named.map(({ text, local, formerLocal }) => {
    if (former === undefined || formerLocal === undefined) {
      if (hasOccurrence(next, local)) return local;
      throw CalendarErrors.occurrenceNotInSeries(before.uid, text);
    }
    const isKnown = known.has(formerLocal);
    if (isKnown && namesKnown) return formerLocal;
    if (hasOccurrence(next, local)) return moveInto(former, local, shiftMs && -shiftMs);
    const isLeft = hasOccurrence(former, formerLocal) && hasOccurrence(next, moveInto(next, formerLocal, shiftMs));
    if (isKnown || isLeft) return formerLocal;
    throw CalendarErrors.occurrenceNotInSeries(before.uid, text);
  });
  return [...new Set(locals)].sort((a, b) => a - b);
}
