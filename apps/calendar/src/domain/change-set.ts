import { type Appointment, isSeries } from './appointment';
import { type FollowingOptions, reconcileExceptions } from './exception';
import type { BookingReply } from './reschedule';

/** Changes to write for an appointment or a whole series. */
export interface ChangeSet {
  /** The appointment itself first. */
  readonly changed: readonly { readonly before: Appointment; readonly after: Appointment }[];
  /** Exceptions that have no place any more. */
  readonly removed?: readonly Appointment[];
}

/** A change of an appointment or a whole series, with what becomes of its exceptions. */
export function createChangeSet(
  before: Appointment,
  after: Appointment,
  exceptions: readonly Appointment[],
  bookingReply?: BookingReply,
  options?: FollowingOptions,
): ChangeSet {
  if (!isSeries(before)) return { changed: [{ before, after }] };
  // A series that becomes a single appointment loses its exceptions.
  if (!isSeries(after)) return { changed: [{ before, after }], removed: exceptions };
  const { master, kept, dropped } = reconcileExceptions(before, after, exceptions, bookingReply, options);
  const different = kept.filter((pair) => JSON.stringify(pair.before) !== JSON.stringify(pair.after));
  return { changed: [{ before, after: master }, ...different], removed: dropped };
}
