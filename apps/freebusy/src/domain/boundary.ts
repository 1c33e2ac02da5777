import { FreeBusyRequestErrors } from '@groupware/contracts';

/** A range, ms UTC; the end is exclusive. */
export interface Range {
  readonly fromMs: number;
  readonly untilMs: number;
}

const DAY_MS = 86_400_000;
/** Longest range of a question: two years, a leap day included. */
export const MAX_RANGE_DAYS = 731;
const DEFAULT_RANGE_MS = 28 * DAY_MS;
/** Instants are limited to what every date library takes: the years 1 to 9999. */
const EARLIEST_MS = -62_135_596_800_000;
const LATEST_MS = 253_402_300_799_999;

const ICALENDAR = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})Z?)?$/i;
const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

function instant(parts: readonly (string | undefined)[], zone = 'Z'): number | undefined {
  const [year, month, day, hour = 0, minute = 0, second = 0] = parts.map((part) => Number(part ?? 0));
  const date = new Date(0);
  date.setUTCFullYear(year!, month! - 1, day);
  date.setUTCHours(hour, minute, second);
  const exists =
    date.getUTCMonth() === month! - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  if (!exists) return undefined;
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  const shift = offset ? (offset[1] === '-' ? 1 : -1) * (Number(offset[2]) * 60 + Number(offset[3])) * 60_000 : 0;
  return date.getTime() + shift;
}

/**
 * A point in time as clients write it: ms UTC, ISO 8601 or iCalendar notation. No zone means UTC; a day alone its midnight.
 * Eight digits that are a date from 1900 to 2199 are that day. Undefined for anything else.
 */
export function parseBoundary(input: string): number | undefined {
  // A plus sign that nobody encoded arrives as a blank.
  const text = input.trim().replace(/^(.*T.*) (\d{2}:?\d{2})$/i, '$1+$2');
  const compact = ICALENDAR.exec(text);
  if (compact && (text.length > 8 || /^(19|20|21)/.test(text))) {
    const found = instant(compact.slice(1, 7));
    if (found !== undefined || text.length > 8) return found;
  }
  if (/^-?\d{1,16}$/.test(text)) {
    const ms = Number(text);
    return ms >= EARLIEST_MS && ms <= LATEST_MS ? ms : undefined;
  }
  const iso = ISO.exec(text);
  if (!iso) return undefined;
  const base = instant(iso.slice(1, 7), iso[8]);
  return base === undefined ? undefined : base + Math.floor(Number(`0.${iso[7] ?? 0}`) * 1000);
}

/**
 * The range of a question; absent boundaries are now and four weeks after the begin.
 * @throws FBY-0001 for a boundary that is no time, FBY-0002 unless the end is after the begin, FBY-0003 above two years
 */
export function rangeOf(from: string | undefined, until: string | undefined, nowMs: number): Range {
  const read = (name: string, text: string): number => {
    const found = parseBoundary(text);
    if (found === undefined) throw FreeBusyRequestErrors.badBoundary(name, text);
    return found;
  };
  const fromMs = from === undefined ? nowMs : read('from', from);
  const untilMs = until === undefined ? fromMs + DEFAULT_RANGE_MS : read('until', until);
  return checkedRange(fromMs, untilMs);
}

/** A range of instants. @throws FBY-0002, FBY-0003 */
export function checkedRange(fromMs: number, untilMs: number): Range {
  if (untilMs <= fromMs) throw FreeBusyRequestErrors.badRange();
  if (untilMs - fromMs > MAX_RANGE_DAYS * DAY_MS) throw FreeBusyRequestErrors.rangeTooLong(MAX_RANGE_DAYS);
  return { fromMs, untilMs };
}
