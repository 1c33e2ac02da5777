import { type ExpansionBudget, type Occurrence, occurrencesBetween } from '@groupware/recurrence';
import { type Appointment, isSeries } from './appointment';
import { isInRange, type Range } from './range';
import { seriesOf, startLocalOf } from './series';

/** The times of an appointment in a range: instants, or wall-clock times when it is floating. At most so many. */
export function listBusyOccurrences(
  appointment: Appointment,
  range: Range,
  limit: number,
  budget: ExpansionBudget,
): Occurrence[] {
  const { startMs, endMs, floating } = appointment;
  const times = isSeries(appointment)
    ? budget.spend((steps) =>
        occurrencesBetween(
          seriesOf(appointment),
          floating ? range.localFromMs : range.fromMs,
          floating ? range.localToMs : range.toMs,
          { limit, positions: true, steps },
        ),
      )
    : [{ startMs, endMs, localMs: startLocalOf(appointment) }];
  return times.filter((time) => isInRange(range, time.startMs, time.endMs, floating));
}
