import type { FreeBusyData } from '@groupware/contracts';
import { shownAsOf, type Period } from './period';

/** A period as the older client module knows it. */
export const olderForm = ({ startMs, endMs, type }: Period): FreeBusyData => ({
  start_date: startMs,
  end_date: endMs,
  shown_as: shownAsOf(type),
});
