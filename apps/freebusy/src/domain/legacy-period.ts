import type { BusyDetails, FreeBusyData } from '@groupware/contracts';
import { toShownAs, type Period } from './period';

/** Converts a period to the form of the older client module, with what is known of its appointment. */
export const toLegacyPeriod = (
  { startMs, endMs, type, appointmentId }: Period,
  details?: ReadonlyMap<number, BusyDetails>,
): FreeBusyData => ({
  ...(appointmentId !== undefined && details?.get(appointmentId)),
  start_date: startMs,
  end_date: endMs,
  shown_as: toShownAs(type),
});
