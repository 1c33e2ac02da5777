/** One day in ms. */
export const DAY_MS = 86_400_000;

/** A DATE or DATE-TIME as written (RFC 5545 §3.3.4, §3.3.5). */
export interface WrittenTime {
  readonly kind: 'date' | 'local' | 'utc';
  /** As if it were UTC. */
  readonly localMs: number;
}

/** A DURATION (RFC 5545 §3.3.6): days follow the calendar, the rest is exact. */
export interface WrittenDuration {
  readonly days: number;
  readonly ms: number;
}

/** The last second that can be written. */
export const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59);
/** The first second that can be written. */
export const FIRST_MS = utcMs(1, 1, 1, 0, 0, 0);

/** The groups of a match as numbers; those that are missing are 0. */
const numbersOf = <T extends readonly number[]>(groups: readonly (string | undefined)[]): T =>
  groups.map((digits) => Number(digits ?? 0)) as readonly number[] as T;

const TIME = /^\d{8}(?:T\d{6})?Z?$/i;
const ZERO = 0x30;

/** The number of some digits of a text. */
function numberAt(digits: string, at: number, count: number): number {
  let value = 0;
  for (let place = at; place < at + count; place++) value = 10 * value + digits.charCodeAt(place) - ZERO;
  return value;
}

/** Reads DATE or DATE-TIME; `undefined` when it is none or lies outside the years 1 to 9999. */
export function parseTime(text: string): WrittenTime | undefined {
  const digits = text.trim();
  if (!TIME.test(digits)) return undefined;
  const [year, month, day] = [numberAt(digits, 0, 4), numberAt(digits, 4, 2), numberAt(digits, 6, 2)];
  const isDate = digits.length < 10;
  const [hour, minute, second] = isDate
    ? [0, 0, 0]
    : [numberAt(digits, 9, 2), numberAt(digits, 11, 2), numberAt(digits, 13, 2)];
  if (year < 1 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 60) return undefined;
  if (day > 28 && new Date(utcMs(year, month, day, 0, 0, 0)).getUTCDate() !== day) return undefined;
  // A leap second is the 59th for systems that know none (RFC 5545 §3.3.12).
  const localMs = utcMs(year, month, day, hour, minute, Math.min(second, 59));
  return { kind: isDate ? 'date' : digits.length === 16 ? 'utc' : 'local', localMs };
}

/** Writes a DATE. */
export function formatDate(localMs: number): string {
  return new Date(clampTime(localMs)).toISOString().slice(0, 10).replaceAll('-', '');
}

/** Writes a DATE-TIME; with `Z` when `utc`. */
export function formatDateTime(localMs: number, utc: boolean): string {
  return `${new Date(clampTime(localMs)).toISOString().slice(0, 19).replace(/[-:]/g, '')}${utc ? 'Z' : ''}`;
}

/** Reads a DURATION; `undefined` when it is none or longer than all writable time. */
export function parseDuration(text: string): WrittenDuration | undefined {
  const match = /^([+-])?P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12})S)?)?$/i.exec(
    text.trim(),
  );
  if (!match || !match.slice(2).some((digits) => digits !== undefined)) return undefined;
  const [weeks, days, hours, minutes, seconds] = numbersOf<[number, number, number, number, number]>(match.slice(2));
  // No negative zero: 0 - x, not -x.
  const sign = (value: number) => (match[1] === '-' ? 0 - value : value);
  const duration = { days: sign(weeks * 7 + days), ms: sign(((hours * 60 + minutes) * 60 + seconds) * 1000) };
  return Math.abs(duration.days * DAY_MS) + Math.abs(duration.ms) > LAST_MS - FIRST_MS ? undefined : duration;
}

/** Writes an exact length of time, in days where `days` allows it and it fits. */
export function formatDuration(ms: number, days: boolean): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const sign = ms < 0 && seconds > 0 ? '-' : '';
  if (days && seconds > 0 && seconds % 86_400 === 0) return `${sign}P${seconds / 86_400}D`;
  const parts = [
    [Math.floor(seconds / 3600), 'H'],
    [Math.floor(seconds / 60) % 60, 'M'],
    [seconds % 60, 'S'],
  ].filter(([value]) => value !== 0);
  return `${sign}PT${parts.length > 0 ? parts.map(([value, unit]) => `${value}${unit}`).join('') : '0S'}`;
}

/** Reads a UTC-OFFSET in ms (RFC 5545 §3.3.14). */
export function parseUtcOffset(text: string): number | undefined {
  const match = /^([+-])(\d{2}):?(\d{2})(?::?(\d{2}))?$/.exec(text.trim());
  if (!match) return undefined;
  const [hours, minutes, seconds] = numbersOf<[number, number, number]>(match.slice(2));
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const ms = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return match[1] === '-' ? 0 - ms : ms;
}

/** Writes a UTC-OFFSET. */
export function formatUtcOffset(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const rest = seconds % 60 === 0 ? '' : two(seconds % 60);
  return `${ms < 0 ? '-' : '+'}${two(Math.floor(seconds / 3600))}${two(Math.floor(seconds / 60) % 60)}${rest}`;
}

/** Reads an INTEGER within bounds. */
export function parseInteger(text: string, min: number, max: number): number | undefined {
  if (!/^[+-]?\d{1,10}$/.test(text.trim())) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

/** Reads a FLOAT within bounds. */
export function parseFloatValue(text: string, min: number, max: number): number | undefined {
  if (!/^[+-]?\d{1,15}(\.\d{0,20})?$/.test(text.trim())) return undefined;
  const value = Number(text) + 0;
  return value >= min && value <= max ? value : undefined;
}

/** Writes a FLOAT without an exponent. */
export function formatFloat(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(15) : text;
}

function clampTime(ms: number): number {
  return Math.min(Math.max(ms, FIRST_MS), LAST_MS);
}

function utcMs(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  if (year > 99) return Date.UTC(year, month - 1, day, hour, minute, second);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // Date.UTC would read the years 0 to 99 as 1900 to 1999
  date.setUTCHours(hour, minute, second);
  return date.getTime();
}
