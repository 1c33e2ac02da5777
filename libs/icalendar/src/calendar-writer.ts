import type { CalendarEvent, CalendarTodo } from './calendar-event';
import { formatContentLine } from './content-line';
import { formatEvent, formatTodo, zonesUsedBy, zonesUsedByTodo } from './event-writer';
import { timeZoneBlock } from './time-zone-block';

/** Properties written around the events. */
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
 * is written once, before the first event that needs it. Throws RecurrenceError for a zone `ZoneOffsets` does not know.
 */
export const writeCalendar = (events: Items<CalendarEvent>, options: CalendarWriteOptions): CalendarText =>
  writeItems(events, options, { zonesUsedBy, format: formatEvent });

/** Writes one VCALENDAR of tasks as {@link writeCalendar} does. */
export const writeTodos = (todos: Items<CalendarTodo>, options: CalendarWriteOptions): CalendarText =>
  writeItems(todos, options, { zonesUsedBy: zonesUsedByTodo, format: formatTodo });

type Items<T> = AsyncIterable<T> | Iterable<T>;
/** The text of a file, piece by piece. */
type CalendarText = AsyncGenerator<string, void, undefined>;

/** How items of a kind are written. */
interface ItemFormat<T> {
  readonly zonesUsedBy: (item: T) => readonly string[];
  readonly format: (item: T, nowMs: number) => string;
}

async function* writeItems<T>(items: Items<T>, options: CalendarWriteOptions, kind: ItemFormat<T>): CalendarText {
  const nowMs = options.nowMs ?? Date.now();
  const written = new Set<string>();
  const blocksFor = (zones: readonly string[]): string => {
    let text = '';
    for (const zone of zones) {
      if (written.has(zone)) continue;
      written.add(zone);
      text += timeZoneBlock(zone);
    }
    return text;
  };
  yield header(options) + blocksFor(options.timeZones ?? []);
  for await (const item of items) yield blocksFor(kind.zonesUsedBy(item)) + kind.format(item, nowMs);
  yield 'END:VCALENDAR\r\n';
}

function header({ prodId, method, calendarName, timeZone }: CalendarWriteOptions): string {
  const text = (name: string, value: string | undefined) => (value ? formatContentLine([name, {}, 'text', value]) : '');
  return [
    'BEGIN:VCALENDAR\r\n',
    text('version', '2.0'),
    text('prodid', prodId),
    text('calscale', 'GREGORIAN'),
    text('method', method),
    text('name', calendarName),
    text('x-wr-calname', calendarName),
    text('x-wr-timezone', timeZone),
  ].join('');
}
