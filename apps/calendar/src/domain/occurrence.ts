import { AppointmentErrors, CalendarErrors, type CatalogueError } from '@groupware/contracts';
import { type Occurrence, occurrencesBetween, RecurrenceError } from '@groupware/recurrence';
import { type Appointment, isException, isSeries } from './appointment';
import { namesOccurrence } from './appointment-reference';
import { DAY_MS, dayOf } from './local-days';
import { findNamedOccurrence, type OccurrenceName, seriesOf } from './series';

/** An appointment, or one occurrence of it. */
export interface ShownAppointment {
  readonly appointment: Appointment;
  readonly occurrence?: Occurrence;
}

/**
 * Resolves the requested appointment: the appointment itself when no occurrence is named, else the change exception or the computed
 * occurrence. APP-0098 for one that was deleted or never existed, APP-0107 when the appointment is no series.
 */
export function resolveOccurrence(
  appointment: Appointment,
  exceptions: readonly Appointment[],
  name: OccurrenceName,
): ShownAppointment {
  if (!namesOccurrence(name) || isException(appointment)) return { appointment };
  requireSeries(appointment);
  const occurrence = requireOccurrence(appointment, name);
  const exception = exceptions.find(({ recurrenceLocalMs }) => recurrenceLocalMs === occurrence.localMs);
  if (exception) return { appointment: exception };
  if (appointment.changes?.includes(occurrence.localMs))
    throw AppointmentErrors.occurrenceGone(describeOccurrence(name));
  return { appointment, occurrence };
}

/** APP-0107 for a single appointment. */
export function requireSeries(appointment: Appointment): void {
  if (!isSeries(appointment)) throw AppointmentErrors.notASeries(appointment.id);
}

/** The occurrence a client names; APP-0098 when it was deleted or lies outside of the series. */
export function requireOccurrence(appointment: Appointment, name: OccurrenceName): Occurrence {
  const occurrence = findNamedOccurrence(seriesOf(appointment), name);
  if (!occurrence || appointment.exdates?.includes(occurrence.localMs))
    throw AppointmentErrors.occurrenceGone(describeOccurrence(name));
  return occurrence;
}

/** The occurrence as the client named it, for messages: its number, or its day. */
export const describeOccurrence = ({ position, day, original }: OccurrenceName): string =>
  position === undefined ? new Date(original?.ms ?? dayOf(day!)).toISOString().slice(0, 10) : String(position);

/** The occurrence a client wants to change or delete; APP-0074 when the series has none such, APP-0098 when it was deleted before. */
export function requireKnownOccurrence(appointment: Appointment, name: OccurrenceName): Occurrence {
  const occurrence = findNamedOccurrence(seriesOf(appointment), name);
  if (!occurrence) throw AppointmentErrors.unknownPosition(describeOccurrence(name));
  if (appointment.exdates?.includes(occurrence.localMs))
    throw AppointmentErrors.occurrenceGone(describeOccurrence(name));
  return occurrence;
}

/** True when anything of a series is left besides its exceptions. */
export function hasOccurrences(appointment: Appointment): boolean {
  const series = seriesOf(appointment);
  return occurrencesBetween(series, appointment.startMs - DAY_MS, appointment.rangeEndMs, { limit: 1 }).length > 0;
}

/** True for a series all of whose occurrences are deleted. One that is too complex to tell has some. */
export function isEmptied(appointment: Appointment): boolean {
  if (!isSeries(appointment) || !appointment.exdates?.length || appointment.changes?.length) return false;
  try {
    return !hasOccurrences(appointment);
  } catch (error) {
    if (error instanceof RecurrenceError) return false;
    throw error;
  }
}

/** Error for a series that would have no occurrence (CAL-4002). */
export const toEmptyError = ({ rule }: Pick<Appointment, 'rule'>): CatalogueError =>
  CalendarErrors.badRule(`${rule}: all of its occurrences are deleted`);
