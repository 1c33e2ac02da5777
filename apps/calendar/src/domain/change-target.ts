import { isDeepStrictEqual } from 'node:util';
import { type Appointment, isException } from './appointment';
import { namesOccurrence } from './appointment-reference';
import { createException, addLocalTime } from './exception';
import { requireOccurrence, requireSeries } from './occurrence';
import type { OccurrenceName } from './series';

/** Target of a change. */
export interface ChangeTarget {
  /** The appointment itself, a stored exception, or an occurrence as an exception that is not stored yet (id 0). */
  readonly before: Appointment;
  /** Set when the occurrence becomes an exception: the series it is taken out of. */
  readonly master?: Appointment;
}

/**
 * Resolves the target of a request that names an appointment and perhaps one of its occurrences. APP-0107 when it has none; `find`
 * refuses an occurrence that is not there.
 */
export function resolveTarget(
  appointment: Appointment,
  exceptions: readonly Appointment[],
  name: OccurrenceName,
  find: typeof requireOccurrence = requireOccurrence,
): ChangeTarget {
  if (!namesOccurrence(name) || isException(appointment)) return { before: appointment };
  requireSeries(appointment);
  const occurrence = find(appointment, name);
  const exception = exceptions.find(({ recurrenceLocalMs }) => recurrenceLocalMs === occurrence.localMs);
  if (exception) return { before: exception };
  return { before: createException(appointment, occurrence), master: appointment };
}

/** As it is stored: the order of the fields counts nothing, nor do fields without value. */
const toStored = (appointment: Appointment): unknown => JSON.parse(JSON.stringify(appointment));

/** Whether a change leaves an appointment, or an occurrence of a series, as it is: nothing is to be written then. */
export const isUnchanged = (before: Appointment, after: Appointment): boolean =>
  isDeepStrictEqual(toStored(before), toStored(after));

/** Changes to write when the target becomes `after`: an occurrence with data of its own leaves its series. */
export function createOccurrenceChanges({ before, master }: ChangeTarget, after: Appointment) {
  if (!master) return { changed: [{ before, after }] };
  const changes = addLocalTime(master.changes, before.recurrenceLocalMs!);
  return { created: [after], changed: [{ before: master, after: { ...master, changes } }] };
}
