import { MAX_TIME, MIN_TIME, RequestErrors, type DateTimeData } from '@groupware/contracts';
import { toCalendarTime, type CalendarTime } from '@groupware/icalendar';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';
import type { Appointment } from '../domain/appointment';
import { dayOf, timeOfDay } from '../domain/local-days';
import type { OriginalStart } from '../domain/series';

const DAY = /^(\d{4})(\d{2})(\d{2})$/;
const TIME = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(Z?)$/;

/** A date or date-time of RFC 5545. */
interface ParsedTime {
  readonly kind: 'date' | 'local' | 'utc';
  /** As if it were UTC. */
  readonly ms: number;
}

/** Reads a date or date-time; undefined for anything else, also for days that there are not. */
export function parseIcalendarTime(text: string): ParsedTime | undefined {
  const [, year, month, day, hour = '0', minute = '0', second = '0', utc] = TIME.exec(text) ?? DAY.exec(text) ?? [];
  if (year === undefined) return undefined;
  const parts = [year, month, day, hour, minute, second].map(Number);
  const ms = Date.UTC(parts[0]!, parts[1]! - 1, parts[2], parts[3], parts[4], parts[5]);
  const read = new Date(ms);
  // Years below 100 and days that overflow their month are read as others.
  if (read.getUTCFullYear() !== parts[0] || read.getUTCMonth() !== parts[1]! - 1 || read.getUTCDate() !== parts[2])
    return undefined;
  if (parts[3]! > 23 || parts[4]! > 59 || parts[5]! > 60 || ms < MIN_TIME || ms > MAX_TIME) return undefined;
  return { kind: text.length === 8 ? 'date' : utc ? 'utc' : 'local', ms };
}

const TWO_DIGITS = Array.from({ length: 60 }, (_each, number) => String(number).padStart(2, '0'));
/** The day that was written last: start, end and original start of an event mostly share it. */
let written = { day: NaN, text: '' };

/** `20170708` */
function formatDay(ms: number): string {
  const day = dayOf(ms);
  if (day !== written.day) {
    const text = new Date(day).toISOString();
    written = { day, text: text.slice(0, 4) + text.slice(5, 7) + text.slice(8, 10) };
  }
  return written.text;
}

/** `20170708T220000` */
function formatLocal(ms: number): string {
  const seconds = Math.floor(timeOfDay(ms) / 1_000);
  const minutes = Math.floor(seconds / 60);
  const [hour, minute, second] = [Math.floor(minutes / 60), minutes % 60, seconds % 60];
  return `${formatDay(ms)}T${TWO_DIGITS[hour]}${TWO_DIGITS[minute]}${TWO_DIGITS[second]}`;
}

/** `20170708T220000Z` */
export const formatInstant = (ms: number): string => `${formatLocal(ms)}Z`;

/** An instant of a parameter: days and times without Z are those of UTC; anything else is SVL-0010. */
export function parseInstant(name: string, text: string): number {
  const time = parseIcalendarTime(text);
  if (!time) throw RequestErrors.badParameter(name, text);
  return time.ms;
}

/** A time of an appointment as events write it. */
export function toDateTime({ kind, localMs, timeZone }: CalendarTime): DateTimeData {
  if (kind === 'date') return { value: formatDay(localMs) };
  if (kind === 'floating') return { value: formatLocal(localMs) };
  if (kind === 'utc') return { value: formatInstant(localMs) };
  return { value: formatLocal(localMs), tzid: timeZone };
}

/** A time of an event; unknown zones become the first of the `fallbacks`. Undefined for a malformed value. */
export function parseDateTime({ value, tzid }: DateTimeData, fallback: string): CalendarTime | undefined {
  const time = parseIcalendarTime(value.trim());
  if (!time) return undefined;
  if (time.kind === 'date') return { kind: 'date', localMs: time.ms };
  if (time.kind === 'utc') return { kind: 'utc', localMs: time.ms };
  if (tzid === undefined || tzid === null) return { kind: 'floating', localMs: time.ms };
  const timeZone = resolveTimeZone(tzid) ?? fallback;
  return timeZone === 'UTC' ? { kind: 'utc', localMs: time.ms } : { kind: 'zoned', localMs: time.ms, timeZone };
}

type Clock = Pick<Appointment, 'fullTime' | 'floating' | 'timeZone'>;

/** An original start within a series as events write it: an instant, or a day or time without zone. */
export function formatRecurrenceId(series: Clock, localMs: number): string {
  const time = toCalendarTime(series, localMs);
  if (time.kind === 'date') return formatDay(localMs);
  if (time.kind === 'floating') return formatLocal(localMs);
  return formatInstant(ZoneOffsets.forZone(series.timeZone).localToInstant(localMs));
}

/** Reads any form of an original start: a day, a time with or without Z, or one with its zone before a colon. SVL-0010. */
export function parseRecurrenceId(text: string, parameter = 'recurrenceId'): OriginalStart {
  const [, zone, value] = /^(?:([^:]+):)?([^:]+)$/.exec(text.trim()) ?? [];
  const time = value === undefined ? undefined : parseIcalendarTime(value);
  if (!time) throw RequestErrors.badParameter(parameter, text);
  if (zone === undefined || time.kind !== 'local')
    return { kind: time.kind === 'utc' ? 'instant' : time.kind, ms: time.ms };
  const timeZone = resolveTimeZone(zone);
  if (!timeZone) throw RequestErrors.badParameter(parameter, text);
  return { kind: 'instant', ms: ZoneOffsets.forZone(timeZone).localToInstant(time.ms) };
}
