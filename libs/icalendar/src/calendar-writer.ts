import type { CalendarEvent } from './calendar-event';

/** What is written around the events. */
export interface CalendarWriteOptions {
  /** PRODID. */
  readonly prodId: string;
  /** METHOD; absent for files that are not scheduling messages. */
  readonly method?: string;
  /** Written as NAME and X-WR-CALNAME. */
  readonly calendarName?: string;
  /** Written as X-WR-TIMEZONE: where floating times are meant. IANA name. */
  readonly timeZone?: string;
  /** Zones whose VTIMEZONE is to stand at the top; the others precede the first event that needs them. */
  readonly timeZones?: readonly string[];
  /** DTSTAMP of events without one, ms; now unless given. */
  readonly nowMs?: number;
}

/**
 * Writes one VCALENDAR (RFC 5545) piece by piece, one event after the other: CRLF, folded at 75 octets. Every VTIMEZONE
 * is written once, before the first event that needs it.
 */
// eslint-disable-next-line require-yield
export async function* writeCalendar(
  _events: AsyncIterable<CalendarEvent> | Iterable<CalendarEvent>,
  _options: CalendarWriteOptions,
): AsyncGenerator<string, void, undefined> {
  throw new Error('in preparation');
}
