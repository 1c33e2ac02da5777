/** FREQ of RFC 5545 §3.3.10. */
export type Frequency = 'SECONDLY' | 'MINUTELY' | 'HOURLY' | 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';

/** Day of the week, 0 = Sunday to 6 = Saturday. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** One entry of BYDAY; without `ordinal` every such weekday, `ordinal` -1 is the last one of the month or year. */
export interface RuleDay {
  readonly weekday: Weekday;
  readonly ordinal?: number;
}

/**
 * UNTIL, inclusive. `utc`: `ms` is an instant. `local`: wall clock of the series as if it were UTC.
 * `date`: midnight of a day as if it were UTC; the whole day belongs to the series.
 */
export interface RuleUntil {
  readonly kind: 'utc' | 'local' | 'date';
  readonly ms: number;
}

/** A valid RRULE (RFC 5545 §3.3.10), normalised: lists sorted and without duplicates, defaults filled in, frozen. */
export interface RecurrenceRule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count?: number;
  readonly until?: RuleUntil;
  /** First day of the week (WKST), Monday unless given. */
  readonly weekStart: Weekday;
  readonly bySecond?: readonly number[];
  readonly byMinute?: readonly number[];
  readonly byHour?: readonly number[];
  readonly byDay?: readonly RuleDay[];
  readonly byMonthDay?: readonly number[];
  readonly byYearDay?: readonly number[];
  readonly byWeekNo?: readonly number[];
  /** 1 = January, as in the RRULE. */
  readonly byMonth?: readonly number[];
  readonly bySetPos?: readonly number[];
}
