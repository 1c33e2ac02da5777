import { calendarEvents } from '@groupware/contracts';
import { announceShares } from '@groupware/folders';

/** Calendars that were shared before anybody listed shares. */
export const AnnounceShares1764300000000 = announceShares(1764300000000, calendarEvents['folder.changed'].name);
