import { type Appointment, isSeries } from './appointment';
import { remapped } from './exception';
import type { BookingAnswer } from './reschedule';

/** What has to be written when an appointment or a whole series changes. */
export interface WholeChange {
  /** The appointment itself first. */
  readonly changed: readonly { readonly before: Appointment; readonly after: Appointment }[];
  /** Exceptions that have no place any more. */
  readonly removed?: readonly Appointment[];
}

/** A change of an appointment or a whole series, with what becomes of its exceptions. */
export function wholeChange(
  before: Appointment,
  after: Appointment,
  exceptions: readonly Appointment[],
  bookingAnswer?: BookingAnswer,
): WholeChange {
  if (!isSeries(before)) return { changed: [{ before, after }] };
  // A series that becomes a single appointment loses its exceptions.
  if (!isSeries(after)) return { changed: [{ before, after }], removed: exceptions };
  const { master, kept, dropped } = remapped(before, after, exceptions, bookingAnswer);
  const different = kept.filter((pair) => JSON.stringify(pair.before) !== JSON.stringify(pair.after));
  return { changed: [{ before, after: master }, ...different], removed: dropped };
}
