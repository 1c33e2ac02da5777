import { monthLength } from './calendar-math';
import { RecurrenceError } from './recurrence-error';
import type { Frequency, RecurrenceRule, RuleDay, RuleUntil, Weekday } from './rule';

const FREQUENCIES: readonly Frequency[] = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** Longest RRULE text that is read; every list of the RFC written out in full is shorter. */
const MAX_RULE_TEXT = 8_192;
/** Largest INTERVAL and COUNT: what the RFC's INTEGER type (§3.3.8) can hold. */
const MAX_INTEGER = 2_147_483_647;
const CACHED_RULES = 2_000;

const cache = new Map<string, RecurrenceRule>();

/**
 * Reads an RRULE value (with or without `RRULE:` in front) and checks everything RFC 5545 §3.3.10 forbids.
 * The same text gives the same frozen object. Throws {@link RecurrenceError} `INVALID_RULE`.
 */
export function parseRule(text: string): RecurrenceRule {
  const known = cache.get(text);
  if (known) return known;
  const rule = readRule(text);
  if (cache.size >= CACHED_RULES) cache.delete(cache.keys().next().value as string);
  cache.set(text, rule);
  return rule;
}

/** Writes a rule as an RRULE value without the property name; the parts always come in the same order. */
export function formatRule(rule: RecurrenceRule): string {
  const parts = [`FREQ=${rule.frequency}`];
  if (rule.until) parts.push(`UNTIL=${formatUntil(rule.until)}`);
  if (rule.count !== undefined) parts.push(`COUNT=${rule.count}`);
  if (rule.interval !== 1) parts.push(`INTERVAL=${rule.interval}`);
  const list = (name: string, values: readonly number[] | undefined) => {
    if (values) parts.push(`${name}=${values.join(',')}`);
  };
  list('BYMONTH', rule.byMonth);
  list('BYWEEKNO', rule.byWeekNo);
  list('BYYEARDAY', rule.byYearDay);
  list('BYMONTHDAY', rule.byMonthDay);
  if (rule.byDay) parts.push(`BYDAY=${rule.byDay.map((d) => `${d.ordinal ?? ''}${WEEKDAYS[d.weekday]}`).join(',')}`);
  list('BYHOUR', rule.byHour);
  list('BYMINUTE', rule.byMinute);
  list('BYSECOND', rule.bySecond);
  list('BYSETPOS', rule.bySetPos);
  if (rule.weekStart !== 1) parts.push(`WKST=${WEEKDAYS[rule.weekStart]}`);
  return parts.join(';');
}

/**
 * Builds a rule from parts: checks what RFC 5545 §3.3.10 forbids, sorts and freezes it.
 * Throws {@link RecurrenceError} `INVALID_RULE`.
 */
export function createRule(parts: Partial<RecurrenceRule> & Pick<RecurrenceRule, 'frequency'>): RecurrenceRule {
  const { frequency } = parts;
  if (!FREQUENCIES.includes(frequency)) throw invalid(`unknown FREQ ${String(frequency)}`);
  const rule: { -readonly [K in keyof RecurrenceRule]: RecurrenceRule[K] } = {
    frequency,
    interval: checkInteger('INTERVAL', parts.interval ?? 1, 1, MAX_INTEGER),
    weekStart: parts.weekStart ?? 1,
  };
  if (parts.count !== undefined) rule.count = checkInteger('COUNT', parts.count, 1, MAX_INTEGER);
  if (parts.until !== undefined) rule.until = Object.freeze({ ...parts.until });
  if (rule.count !== undefined && rule.until !== undefined) throw invalid('COUNT and UNTIL exclude each other');

  // A leap second is the 59th for systems that know none (RFC 5545 §3.3.12).
  rule.bySecond = checkList('BYSECOND', parts.bySecond, 0, 60)?.map((s) => Math.min(s, 59));
  rule.bySecond = rule.bySecond && sortedUnique(rule.bySecond);
  rule.byMinute = checkList('BYMINUTE', parts.byMinute, 0, 59);
  rule.byHour = checkList('BYHOUR', parts.byHour, 0, 23);
  rule.byMonthDay = checkSignedList('BYMONTHDAY', parts.byMonthDay, 31);
  rule.byYearDay = checkSignedList('BYYEARDAY', parts.byYearDay, 366);
  rule.byWeekNo = checkSignedList('BYWEEKNO', parts.byWeekNo, 53);
  rule.byMonth = checkList('BYMONTH', parts.byMonth, 1, 12);
  rule.bySetPos = checkSignedList('BYSETPOS', parts.bySetPos, 366);
  rule.byDay = checkDays(parts.byDay);

  if (rule.byDay?.some((d) => d.ordinal !== undefined)) {
    if (frequency !== 'MONTHLY' && frequency !== 'YEARLY')
      throw invalid(`numbers in BYDAY need FREQ MONTHLY or YEARLY`);
    if (rule.byWeekNo) throw invalid('numbers in BYDAY and BYWEEKNO exclude each other');
  }
  if (rule.byMonthDay && frequency === 'WEEKLY') throw invalid('BYMONTHDAY is not allowed with FREQ=WEEKLY');
  if (rule.byYearDay && (frequency === 'DAILY' || frequency === 'WEEKLY' || frequency === 'MONTHLY')) {
    throw invalid(`BYYEARDAY is not allowed with FREQ=${frequency}`);
  }
  if (rule.byWeekNo && frequency !== 'YEARLY') throw invalid('BYWEEKNO needs FREQ=YEARLY');
  if (rule.bySetPos) {
    const { bySecond, byMinute, byHour, byDay, byMonthDay, byYearDay, byWeekNo, byMonth } = rule;
    if (!(bySecond || byMinute || byHour || byDay || byMonthDay || byYearDay || byWeekNo || byMonth)) {
      throw invalid('BYSETPOS needs another BY part');
    }
  }
  for (const key of Object.keys(rule) as (keyof RecurrenceRule)[]) {
    if (rule[key] === undefined) delete rule[key];
    else Object.freeze(rule[key]);
  }
  return Object.freeze(rule);
}

function readRule(text: string): RecurrenceRule {
  if (text.length > MAX_RULE_TEXT) throw invalid('the rule is too long');
  const parts: { -readonly [K in keyof RecurrenceRule]?: RecurrenceRule[K] } = {};
  const seen = new Set<string>();
  const body = text
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, '')
    .replace(/;$/, '');
  for (const part of body.split(';')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, equals < 0 ? part.length : equals).trim();
    const value = equals < 0 ? '' : part.slice(equals + 1).trim();
    if (equals < 0 || value === '') throw invalid(`${name || 'an empty part'} has no value`);
    if (seen.has(name)) throw invalid(`${name} is given twice`);
    seen.add(name);
    readPart(parts, name, value);
  }
  if (!parts.frequency) throw invalid('FREQ is missing');
  return createRule({ ...parts, frequency: parts.frequency });
}

function readPart(
  parts: { -readonly [K in keyof RecurrenceRule]?: RecurrenceRule[K] },
  name: string,
  value: string,
): void {
  switch (name) {
    case 'FREQ':
      if (!FREQUENCIES.includes(value as Frequency)) throw invalid(`unknown FREQ ${value}`);
      parts.frequency = value as Frequency;
      break;
    case 'INTERVAL':
      parts.interval = readInteger(name, value);
      break;
    case 'COUNT':
      parts.count = readInteger(name, value);
      break;
    case 'UNTIL':
      parts.until = readUntil(value);
      break;
    case 'WKST':
      parts.weekStart = readWeekday(name, value);
      break;
    case 'BYSECOND':
      parts.bySecond = readIntegers(name, value);
      break;
    case 'BYMINUTE':
      parts.byMinute = readIntegers(name, value);
      break;
    case 'BYHOUR':
      parts.byHour = readIntegers(name, value);
      break;
    case 'BYDAY':
      parts.byDay = value.split(',').map(readDay);
      break;
    case 'BYMONTHDAY':
      parts.byMonthDay = readIntegers(name, value);
      break;
    case 'BYYEARDAY':
      parts.byYearDay = readIntegers(name, value);
      break;
    case 'BYWEEKNO':
      parts.byWeekNo = readIntegers(name, value);
      break;
    case 'BYMONTH':
      parts.byMonth = readIntegers(name, value);
      break;
    case 'BYSETPOS':
      parts.bySetPos = readIntegers(name, value);
      break;
    case 'RSCALE':
      // RFC 7529 with its defaults says the same as RFC 5545.
      if (value !== 'GREGORIAN') throw invalid(`RSCALE=${value} is not supported`);
      break;
    case 'SKIP':
      if (value !== 'OMIT') throw invalid(`SKIP=${value} is not supported`);
      break;
    default:
      throw invalid(`unknown part ${name}`);
  }
}

function readInteger(name: string, text: string): number {
  if (!/^[+-]?\d{1,10}$/.test(text.trim())) throw invalid(`${name}: ${text} is not a number`);
  return Number(text);
}

function readIntegers(name: string, text: string): number[] {
  return text.split(',').map((t) => readInteger(name, t));
}

function readWeekday(name: string, text: string): Weekday {
  const weekday = WEEKDAYS.indexOf(text);
  if (weekday < 0) throw invalid(`${name}: ${text} is not a weekday`);
  return weekday as Weekday;
}

function readDay(text: string): RuleDay {
  const match = /^\s*([+-]?\d{1,2})?([A-Z]{2})\s*$/.exec(text);
  if (!match) throw invalid(`BYDAY: ${text} is not a weekday`);
  const weekday = readWeekday('BYDAY', match[2]!);
  return match[1] === undefined ? { weekday } : { weekday, ordinal: Number(match[1]) };
}

type Six = [number, number, number, number, number, number];

function readUntil(text: string): RuleUntil {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z)?)?$/.exec(text);
  if (!match) throw invalid(`UNTIL: ${text} is not a date`);
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((t) => Number(t ?? 0)) as Six;
  if (month < 1 || month > 12 || day < 1 || day > monthLength(year, month - 1))
    throw invalid(`UNTIL: no such day ${text}`);
  if (hour > 23 || minute > 59 || second > 60) throw invalid(`UNTIL: no such time ${text}`);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // Date.UTC would read the years 0 to 99 as 1900 to 1999
  date.setUTCHours(hour, minute, Math.min(second, 59));
  return { kind: match[4] === undefined ? 'date' : match[7] ? 'utc' : 'local', ms: date.getTime() };
}

function formatUntil(until: RuleUntil): string {
  const date = new Date(until.ms);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${String(date.getUTCFullYear()).padStart(4, '0')}${two(date.getUTCMonth() + 1)}${two(date.getUTCDate())}`;
  if (until.kind === 'date') return day;
  const time = `${two(date.getUTCHours())}${two(date.getUTCMinutes())}${two(date.getUTCSeconds())}`;
  return `${day}T${time}${until.kind === 'utc' ? 'Z' : ''}`;
}

function checkInteger(name: string, value: number, min: number, max: number): number {
  if (!Number.isInteger(value) || value < min || value > max)
    throw invalid(`${name}=${value} is outside ${min}..${max}`);
  return value;
}

function checkList(
  name: string,
  values: readonly number[] | undefined,
  min: number,
  max: number,
): number[] | undefined {
  if (values === undefined) return undefined;
  if (values.length === 0) throw invalid(`${name} is empty`);
  for (const value of values) checkInteger(name, value, min, max);
  return sortedUnique(values);
}

function checkSignedList(name: string, values: readonly number[] | undefined, max: number): number[] | undefined {
  if (values?.includes(0)) throw invalid(`${name}=0 does not exist`);
  return checkList(name, values, -max, max);
}

function checkDays(days: readonly RuleDay[] | undefined): RuleDay[] | undefined {
  if (days === undefined) return undefined;
  if (days.length === 0) throw invalid('BYDAY is empty');
  const unique = new Map<string, RuleDay>();
  for (const { weekday, ordinal } of days) {
    checkInteger('BYDAY', weekday, 0, 6);
    if (ordinal === 0) throw invalid('BYDAY: number 0 does not exist');
    if (ordinal !== undefined) checkInteger('BYDAY', ordinal, -53, 53);
    unique.set(`${ordinal}${weekday}`, Object.freeze(ordinal === undefined ? { weekday } : { weekday, ordinal }));
  }
  const order = (d: RuleDay) => (d.ordinal ?? 0) * 7 + ((d.weekday + 6) % 7);
  return [...unique.values()].sort((a, b) => order(a) - order(b));
}

function sortedUnique(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

function invalid(message: string): RecurrenceError {
  return new RecurrenceError('INVALID_RULE', message);
}
