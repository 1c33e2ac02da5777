import { type Appointment, isSeries } from './appointment';
import { namesOccurrence } from './appointment-reference';
import { exceptionOf } from './exception';
import { requireOccurrence } from './occurrence';
import type { OccurrenceName } from './series';

/** What a change is about. */
export interface Subject {
  /** The appointment itself, a stored exception, or an occurrence as an exception that is not stored yet (id 0). */
  readonly before: Appointment;
  /** Set when the occurrence becomes an exception: the series it is taken out of. */
  readonly master?: Appointment;
}

/** What a client means that names an appointment and perhaps one of its occurrences; APP-0098 when there is none such. */
export function subjectOf(appointment: Appointment, exceptions: readonly Appointment[], name: OccurrenceName): Subject {
  if (!isSeries(appointment) || !namesOccurrence(name)) return { before: appointment };
  const occurrence = requireOccurrence(appointment, name);
  const exception = exceptions.find(({ recurrenceLocalMs }) => recurrenceLocalMs === occurrence.localMs);
  if (exception) return { before: exception };
  return { before: exceptionOf(appointment, occurrence), master: appointment };
}
