import { type Appointment, isException } from './appointment';
import { namesOccurrence } from './appointment-reference';
import { exceptionOf, withLocal } from './exception';
import { requireOccurrence, requireSeries } from './occurrence';
import type { OccurrenceName } from './series';

/** What a change is about. */
export interface Subject {
  /** The appointment itself, a stored exception, or an occurrence as an exception that is not stored yet (id 0). */
  readonly before: Appointment;
  /** Set when the occurrence becomes an exception: the series it is taken out of. */
  readonly master?: Appointment;
}

/**
 * What a client means that names an appointment and perhaps one of its occurrences. APP-0107 when it has none; `find`
 * refuses an occurrence that is not there.
 */
export function subjectOf(
  appointment: Appointment,
  exceptions: readonly Appointment[],
  name: OccurrenceName,
  find: typeof requireOccurrence = requireOccurrence,
): Subject {
  if (!namesOccurrence(name) || isException(appointment)) return { before: appointment };
  requireSeries(appointment);
  const occurrence = find(appointment, name);
  const exception = exceptions.find(({ recurrenceLocalMs }) => recurrenceLocalMs === occurrence.localMs);
  if (exception) return { before: exception };
  return { before: exceptionOf(appointment, occurrence), master: appointment };
}

/** What has to be written when the subject becomes `after`: an occurrence that gets data of its own leaves its series. */
export function changesOf({ before, master }: Subject, after: Appointment) {
  if (!master) return { changed: [{ before, after }] };
  const changes = withLocal(master.changes, before.recurrenceLocalMs!);
  return { created: [after], changed: [{ before: master, after: { ...master, changes } }] };
}
