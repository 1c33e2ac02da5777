import { parameterText, parseContentLine } from './content-line';
import type { PublishedPeriod } from './free-busy-writer';
import { LineSplitter, type LogicalLine } from './line-splitter';
import { DAY_MS, parseDuration, parseTime } from './values';

const MAX_LINE_BYTES = 1024 * 1024;

/** How free/busy times are read. */
export interface FreeBusyReadOptions {
  readonly maxPeriods: number;
  /** Asked after every line: reading goes on when what it answers is settled. */
  readonly pause: () => Promise<void> | undefined;
}

function* linesOf(splitter: LineSplitter, text: Uint8Array): Generator<LogicalLine> {
  yield* splitter.feed(text);
  yield* splitter.end();
}

/**
 * The FREEBUSY periods of every VFREEBUSY in an iCalendar text (RFC 5545, section 3.6.4), ms UTC; `type` is FBTYPE in upper
 * case, BUSY when it is absent. Broken periods are left out; at most so many. Undefined when the text has no VFREEBUSY.
 */
export async function readFreeBusy(
  text: Uint8Array,
  { maxPeriods, pause }: FreeBusyReadOptions,
): Promise<PublishedPeriod[] | undefined> {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  const periods: PublishedPeriod[] = [];
  let inside = false;
  let found = false;
  for (const { text: line, tooLong } of linesOf(splitter, text)) {
    const pausing = pause();
    if (pausing) await pausing;
    const boundary = /^(BEGIN|END):VFREEBUSY\s*$/i.exec(line);
    if (boundary) {
      inside = boundary[1]!.toUpperCase() === 'BEGIN';
      found ||= inside;
    }
    if (!inside || tooLong || !/^FREEBUSY[;:]/i.test(line)) continue;
    const property = parseContentLine(line);
    if (!property) continue;
    const [, parameters, , ...values] = property;
    const type = (parameterText(parameters, 'fbtype') ?? 'BUSY').toUpperCase();
    for (const value of values) {
      const period = readPeriod(value);
      if (!period) continue;
      if (periods.length >= maxPeriods) return periods;
      periods.push({ ...period, type });
    }
  }
  return found ? periods : undefined;
}

/** A PERIOD with UTC times (section 3.3.9): begin and end, or begin and duration. */
function readPeriod(text: string): { startMs: number; endMs: number } | undefined {
  const [begin = '', end = ''] = text.split('/');
  const start = parseTime(begin);
  if (start?.kind !== 'utc') return undefined;
  const until = parseTime(end);
  const duration = until ? undefined : parseDuration(end);
  if (!duration && until?.kind !== 'utc') return undefined;
  const endMs = duration ? start.localMs + duration.days * DAY_MS + duration.ms : until!.localMs;
  return endMs > start.localMs ? { startMs: start.localMs, endMs } : undefined;
}
