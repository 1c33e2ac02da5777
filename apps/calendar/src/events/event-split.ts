import { randomUUID } from 'node:crypto';
import { CalendarErrors } from '@groupware/contracts';
import { firstOccurrence, positionOf } from '@groupware/recurrence';
import { type Appointment, isSeries } from '../domain/appointment';
import { hasOccurrences, requireOccurrence } from '../domain/occurrence';
import { type OccurrenceName, wholeSeriesOf } from '../domain/series';
import { seriesBefore, seriesFrom } from '../domain/series-cut';
import { getIcalendarExtra } from '../domain/icalendar-extra';
import { withRest } from '../domain/appointment-rest';
import { relatedToOf, setRelatedTo } from './event-rest';

/** A series in two: what lies before an occurrence gets an id of its own, the rest keeps the old one. */
export interface SplitSeries {
  /** Not stored yet; it gets copies of the files. */
  readonly detached: Appointment;
  /** Exceptions that go with it. */
  readonly detachedExceptions: readonly Appointment[];
  readonly rest: Appointment;
  readonly restExceptions: readonly { readonly before: Appointment; readonly after: Appointment }[];
}

/**
 * Splits a series before an occurrence; undefined when nothing lies before it. CAL-4063 for what is no series, for an occurrence
 * that it does not have, and for a deleted one that nothing follows.
 */
export function splitSeries(
  series: Appointment,
  exceptions: readonly Appointment[],
  name: OccurrenceName,
): SplitSeries | undefined {
  const { kind, ms } = name.original!;
  const describe = `${new Date(ms).toISOString()} (${kind})`;
  if (!isSeries(series)) throw CalendarErrors.badSplit(series.id, describe);
  const whole = wholeSeriesOf(series);
  const first = firstOccurrence(whole);
  if (first && kind !== 'date' && ms <= (kind === 'instant' ? first.startMs : first.localMs)) return undefined;
  const occurrence = findOccurrence(series, name);
  if (!occurrence) throw CalendarErrors.badSplit(series.id, describe);
  const { localMs } = occurrence;
  const head = seriesBefore(series, localMs);
  const early = exceptions.filter(({ recurrenceLocalMs }) => recurrenceLocalMs! < localMs);
  if (!head || (early.length === 0 && !hasOccurrences(head))) return undefined;
  const extra = withRelation(series);
  const rest = seriesFrom({ ...series, extra }, occurrence);
  if (early.length === exceptions.length && !hasOccurrences(rest)) throw CalendarErrors.badSplit(series.id, describe);
  const following = wholeSeriesOf(rest);
  return {
    detached: { ...head, extra, id: -1, seriesId: -1, uid: randomUUID() },
    detachedExceptions: early,
    rest,
    restExceptions: exceptions
      .filter((each) => !early.includes(each))
      .map((before) => ({
        before,
        after: { ...before, position: positionOf(following, before.recurrenceLocalMs!) ?? before.position },
      })),
  };
}

function findOccurrence(series: Appointment, name: OccurrenceName) {
  try {
    return requireOccurrence({ ...series, exdates: null }, name);
  } catch {
    return undefined;
  }
}

/** `extra` of a series that says what all of its parts belong to. */
function withRelation(series: Appointment): Appointment['extra'] {
  const rest = getIcalendarExtra(series);
  if (relatedToOf(rest) !== undefined) return series.extra;
  return withRest(series, { file: { extraProperties: setRelatedTo(rest, randomUUID()) } });
}
