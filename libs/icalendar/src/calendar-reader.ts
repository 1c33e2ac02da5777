import type { CalendarReadOptions, ImportedItem } from './imported-item';

/**
 * Reads a file of iCalendar objects (RFC 5545) as it streams in; memory does not grow with the file. Every component of
 * a calendar other than VTIMEZONE gives exactly one item, in the order of the file except for those that wait for their
 * VTIMEZONE. Never throws for what the file contains; errors of the source are passed on.
 */
// eslint-disable-next-line require-yield
export async function* readCalendar(
  _source: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  _options: CalendarReadOptions,
): AsyncGenerator<ImportedItem, void, undefined> {
  throw new Error('in preparation');
}
