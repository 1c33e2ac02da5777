import { FreeBusyRequestErrors, RequestErrors } from '@groupware/contracts';

/** A range, ms UTC; the end is exclusive. */
export interface Range {
  readonly fromMs: number;
  readonly untilMs: number;
}

const DAY_MS = 86_400_000;
/** Maximum range of a request: two years with a leap day. */
const MAX_RANGE_DAYS = 731;
const DEFAULT_RANGE_MS = 28 * DAY_MS;
/** Instants are limited to the years 1 to 9999, which every date library supports. */
const EARLIEST_MS = -62_135_596_800_000;
const LATEST_MS = 253_402_300_799_999;

const ICALENDAR = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})Z?)?$/i;
const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

function toInstant(parts: readonly (string | undefined)[], zone = 'Z'): number | undefined {
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
 * Parses a point in time: ms UTC, ISO 8601 or iCalendar notation. No zone means UTC; a date means midnight. Eight
 * digits that form a date from 1900 to 2199 are that date. Undefined for other texts.
 */
export function parseBoundary(input: string): number | undefined {
  // An unencoded plus sign arrives as a blank.
  const text = input.trim().replace(/^([^T]*T.*) (\d{2}:?\d{2})$/i, '$1+$2');
  const compact = ICALENDAR.exec(text);
  if (compact && (text.length > 8 || /^(19|20|21)/.test(text))) {
    const found = toInstant(compact.slice(1, 7));
    if (found !== undefined || text.length > 8) return found;
  }
  if (/^-?\d{1,16}$/.test(text)) {
    const ms = Number(text);
    return ms >= EARLIEST_MS && ms <= LATEST_MS ? ms : undefined;
  }
  const iso = ISO.exec(text);
  if (!iso) return undefined;
  const base = toInstant(iso.slice(1, 7), iso[8]);
  return base === undefined ? undefined : base + Math.floor(Number(`0.${iso[7] ?? 0}`) * 1000);
}

/**
 * Parses the range of a request; absent boundaries are now and four weeks after the start.
 * @throws FBY-0001 for a malformed boundary, FBY-0002 unless the end is after the begin, FBY-0003 above two years
 */
export function parseRange(from: string | undefined, until: string | undefined, nowMs: number): Range {
  const read = (name: string, text: string): number => {
    const found = parseBoundary(text);
    if (found === undefined) throw FreeBusyRequestErrors.badBoundary(name, text);
    return found;
  };
  const fromMs = from === undefined ? nowMs : read('from', from);
  const untilMs = until === undefined ? fromMs + DEFAULT_RANGE_MS : read('until', until);
  return createRange(fromMs, untilMs);
}

/**
 * Parses the range of a request for events, which write times as iCalendar does and in no other way.
 * @throws SVL-0010 for a malformed boundary, FBY-0002, FBY-0003
 */
export function parseEventRange(from: string, until: string): Range {
  const read = (name: string, text: string): number => {
    const compact = ICALENDAR.exec(text.trim());
    const found = compact ? toInstant(compact.slice(1, 7)) : undefined;
    if (found === undefined) throw RequestErrors.badParameter(name, text);
    return found;
  };
  return createRange(read('from', from), read('until', until));
}

/** Creates a validated range. @throws FBY-0002, FBY-0003 */
export function createRange(fromMs: number, untilMs: number): Range {
  if (untilMs <= fromMs) throw FreeBusyRequestErrors.badRange();
  if (untilMs - fromMs > MAX_RANGE_DAYS * DAY_MS) throw FreeBusyRequestErrors.rangeTooLong(MAX_RANGE_DAYS);
  return { fromMs, untilMs };
}
