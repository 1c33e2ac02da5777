import { CalendarErrors, findFeedFolder } from '@groupware/contracts';
import { FEED_PROVIDER } from './feed-description';

/** Refuses a write in a calendar of the web (CAL-4228). */
export function requireOwnCalendar(folder: string): void {
  if (findFeedFolder(folder) !== undefined) throw CalendarErrors.providerReadOnly(FEED_PROVIDER);
}
