import { DAY_MS, monthIndexOf, monthStart, weekdayOf } from './calendar-math';
import { RecurrenceError } from './recurrence-error';
import { createRule } from './rule-text';
import type { Frequency, RecurrenceRule, RuleDay, Weekday } from './rule';
import { ZoneOffsets } from './zone-offsets';

/** Recurrence as the numeric fields of the API carry it; `until` is a Date (ms, midnight UTC of the last day). */
export interface RecurrenceFields {
  /** 1 daily, 2 weekly, 3 monthly, 4 yearly. */
  readonly recurrence_type: number;
  readonly interval?: number;
  /** Bits: 1 Sunday to 64 Saturday. */
  readonly days?: number;
  /** Day of the month 1..31, or with `days` the n-th such day, 5 = the last one. */
  readonly day_in_month?: number;
  /** 0 = January. */
  readonly month?: number;
  readonly until?: number;
  readonly occurrences?: number;
}

/** Fields of which those without value may be null. */
export type NullableFields = Pick<RecurrenceFields, 'recurrence_type'> & {
  readonly [K in Exclude<keyof RecurrenceFields, 'recurrence_type'>]?: number | null | undefined;
};

/** Context that gives the fields their meaning: whole-day or timed, and the zone whose days count. */
export interface FieldsContext {
  readonly fullTime: boolean;
  /** As `resolveTimeZone` gives it. */
  readonly timeZone: string;
  /** DTSTART in local ms: fills in what a foreign rule leaves to its start. */
  readonly startLocalMs?: number;
}

const EVERY_DAY = 127;
const FREQUENCIES: readonly Frequency[] = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
/** Longest length of each month, January first. */
const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** From this day of the month on, some month is too short. */
const SHORTEST_MONTH = 28;

/**
 * Turns API fields into a rule. A day that a month lacks becomes its last day (decision D2); weekly without `days` is
 * every day (D8); `until` includes its whole day in the zone of the series. Throws {@link RecurrenceError}
 * `INVALID_RULE` when a value is missing or out of range.
 */
export function ruleFromFields(given: NullableFields, context: FieldsContext): RecurrenceRule {
  const fields = withoutNulls(given);
  const frequency = FREQUENCIES[fields.recurrence_type - 1];
  if (!frequency) throw invalid(`recurrence_type ${fields.recurrence_type} is no series`);
  return createRule({
    frequency,
    interval: fields.interval ?? 1,
    count: fields.occurrences,
    until: fields.until === undefined ? undefined : untilOf(fields.until, context),
    ...dayParts(fields, frequency),
  });
}

const withoutNulls = (fields: NullableFields): RecurrenceFields => ({
  recurrence_type: fields.recurrence_type,
  interval: fields.interval ?? undefined,
  days: fields.days ?? undefined,
  day_in_month: fields.day_in_month ?? undefined,
  month: fields.month ?? undefined,
  until: fields.until ?? undefined,
  occurrences: fields.occurrences ?? undefined,
});

/**
 * Turns a rule into API fields, `undefined` when they cannot say exactly the same (such a rule is kept as it is).
 * Pass `startLocalMs` so that parts a rule leaves to DTSTART can be filled in.
 */
export function fieldsFromRule(rule: RecurrenceRule, context: FieldsContext): RecurrenceFields | undefined {
  if (rule.byHour || rule.byMinute || rule.bySecond || rule.byYearDay || rule.byWeekNo) return undefined;
  const start = context.startLocalMs;
  const days = fieldsOfDays(rule, start === undefined ? undefined : Math.floor(start / DAY_MS));
  if (!days) return undefined;
  return {
    interval: rule.interval,
    ...days,
    ...(rule.until && { until: untilField(rule.until, context) }),
    ...(rule.count !== undefined && { occurrences: rule.count }),
  };
}

function dayParts(fields: RecurrenceFields, frequency: Frequency): Partial<RecurrenceRule> {
  if (frequency === 'DAILY') return {};
  if (fields.days !== undefined && (!Number.isInteger(fields.days) || fields.days < 1 || fields.days > EVERY_DAY)) {
    throw invalid(`days ${fields.days} is outside 1..${EVERY_DAY}`);
  }
  if (frequency === 'WEEKLY') return { byDay: daysOfBits(fields.days ?? EVERY_DAY) };

  const { day_in_month: n, month } = fields;
  const byMonth = frequency === 'YEARLY' ? { byMonth: [requireInteger('month', month, 0, 11) + 1] } : {};
  if (fields.days !== undefined) {
    const rank = requireInteger('day_in_month', n, 1, 5);
    return { ...byMonth, byDay: daysOfBits(fields.days), bySetPos: [rank === 5 ? -1 : rank] };
  }
  const day = requireInteger('day_in_month', n, 1, 31);
  const alwaysThere = byMonth.byMonth && month !== 1 ? LONGEST_MONTHS[month as number]! : SHORTEST_MONTH;
  if (day <= alwaysThere) return { ...byMonth, byMonthDay: [day] };
  const candidates = Array.from({ length: day - SHORTEST_MONTH + 1 }, (_, i) => SHORTEST_MONTH + i);
  return { ...byMonth, byMonthDay: candidates, bySetPos: [-1] };
}

function fieldsOfDays(rule: RecurrenceRule, startDay: number | undefined): RecurrenceFields | undefined {
  const { frequency, byDay, byMonthDay, byMonth, bySetPos, interval } = rule;
  if (frequency === 'DAILY' || frequency === 'WEEKLY') {
    if (byMonth || byMonthDay || bySetPos) return undefined;
    if (frequency === 'DAILY') {
      if (!byDay) return { recurrence_type: 1 };
      // Every day that is one of these weekdays: the same as weekly on them.
      return interval === 1 ? { recurrence_type: 2, days: bitsOfDays(byDay) } : undefined;
    }
    const days = byDay ? bitsOfDays(byDay) : startDay === undefined ? undefined : 1 << weekdayOf(startDay);
    return days !== undefined && weekStartIsIrrelevant(rule, days) ? { recurrence_type: 2, days } : undefined;
  }
  if (frequency !== 'MONTHLY' && frequency !== 'YEARLY') return undefined;
  const startMonth = startDay === undefined ? undefined : monthIndexOf(startDay);
  const yearly = frequency === 'YEARLY';
  if (yearly ? byMonth && byMonth.length !== 1 : byMonth) return undefined;
  // Without BYMONTH a yearly rule takes the month from its start, unless another part says "of the year".
  if (yearly && !byMonth && (byDay || byMonthDay || startMonth === undefined)) return undefined;
  const month = !yearly ? undefined : byMonth ? byMonth[0]! - 1 : (((startMonth as number) % 12) + 12) % 12;
  const head = { recurrence_type: yearly ? 4 : 3, ...(month !== undefined && { month }) };

  if (byDay) {
    const ranked = byMonthDay ? undefined : rankedDays(byDay, bySetPos);
    return ranked && { ...head, ...ranked };
  }
  const dates = byMonthDay ?? (startDay === undefined ? undefined : [startDay - monthStart(startMonth as number) + 1]);
  const day = dates && dayOfDates(dates, bySetPos, month);
  return day === undefined ? undefined : { ...head, day_in_month: day };
}

/** `day_in_month` for BYMONTHDAY, as far as the fields mean the same days. */
function dayOfDates(
  dates: readonly number[],
  setPos: readonly number[] | undefined,
  month: number | undefined,
): number | undefined {
  const alwaysThere = month === undefined || month === 1 ? SHORTEST_MONTH : LONGEST_MONTHS[month]!;
  if (setPos) {
    if (setPos.length !== 1 || setPos[0] !== -1) return undefined;
    const last = dates[dates.length - 1];
    const complete = dates[0] === SHORTEST_MONTH && dates.every((d, i) => d === SHORTEST_MONTH + i);
    return complete ? last : undefined;
  }
  if (dates.length !== 1) return undefined;
  if (dates[0] === -1) return 31;
  return dates[0]! >= 1 && dates[0]! <= alwaysThere ? dates[0] : undefined;
}

/** `days` and `day_in_month` for BYDAY with a rank, given as `2MO` or as BYSETPOS. */
function rankedDays(
  byDay: readonly RuleDay[],
  setPos: readonly number[] | undefined,
): Pick<RecurrenceFields, 'days' | 'day_in_month'> | undefined {
  let rank: number | undefined;
  if (setPos) {
    if (setPos.length !== 1 || byDay.some((d) => d.ordinal !== undefined)) return undefined;
    rank = setPos[0];
  } else {
    if (byDay.length !== 1) return undefined;
    rank = byDay[0]!.ordinal;
  }
  if (rank === undefined || rank < -1 || rank > 4) return undefined;
  return { days: bitsOfDays(byDay), day_in_month: rank === -1 ? 5 : rank };
}

/** The fields have no WKST and mean Monday; with an interval another first day can shift some days into another week. */
function weekStartIsIrrelevant(rule: RecurrenceRule, days: number): boolean {
  if (rule.interval === 1 || rule.weekStart === 1) return true;
  let shifted = 1; // Sunday, up from the rule's first day of the week
  for (let weekday = rule.weekStart as number; weekday > 1 && weekday < 7; weekday++) shifted |= 1 << weekday;
  return (days & shifted) === 0 || (days & ~shifted) === 0;
}

function untilOf(untilMs: number, context: FieldsContext): RecurrenceRule['until'] {
  if (!Number.isFinite(untilMs)) throw invalid('until is not a date');
  const day = Math.floor(untilMs / DAY_MS) * DAY_MS;
  if (context.fullTime) return { kind: 'date', ms: day };
  return { kind: 'utc', ms: ZoneOffsets.forZone(context.timeZone).localToInstant(day + DAY_MS - 1000) };
}

function untilField(until: NonNullable<RecurrenceRule['until']>, context: FieldsContext): number {
  if (until.kind === 'date') return until.ms;
  const local = until.kind === 'local' ? until.ms : ZoneOffsets.forZone(context.timeZone).instantToLocal(until.ms);
  const day = Math.floor(local / DAY_MS) * DAY_MS;
  if (context.startLocalMs === undefined) return day;
  // The occurrence of that day is left out when it begins after UNTIL.
  const timeOfDay = context.startLocalMs - Math.floor(context.startLocalMs / DAY_MS) * DAY_MS;
  return local - day < timeOfDay ? day - DAY_MS : day;
}

function daysOfBits(bits: number): RuleDay[] {
  return ([0, 1, 2, 3, 4, 5, 6] as Weekday[])
    .filter((weekday) => (bits >> weekday) & 1)
    .map((weekday) => ({ weekday }));
}

function bitsOfDays(days: readonly RuleDay[]): number {
  return days.reduce((bits, { weekday }) => bits | (1 << weekday), 0);
}

function requireInteger(name: string, value: number | undefined, min: number, max: number): number {
  if (value === undefined || !Number.isInteger(value) || value < min || value > max) {
    throw invalid(`${name} ${value ?? 'is missing'}: must be ${min}..${max}`);
  }
  return value;
}

function invalid(message: string): RecurrenceError {
  return new RecurrenceError('INVALID_RULE', message);
}
