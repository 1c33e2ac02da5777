/** Milliseconds of one day. */
export const DAY_MS = 86_400_000;

/** Last moment the engine calculates with: the end of the year 9999, as local wall clock in ms. */
export const MAX_LOCAL_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** First moment the engine calculates with: the beginning of the year 1. */
export const MIN_LOCAL_MS = -62_135_596_800_000;

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a year of the proleptic Gregorian calendar has 366 days. */
export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Length of a month in days; `month` 0 = January. */
export function monthLength(year: number, month: number): number {
  return month === 1 && isLeapYear(year) ? 29 : MONTH_LENGTHS[month]!;
}

/**
 * Day number (days since 1970-01-01) of 1 January. Years from -400 to 9999 and somewhat beyond, so that plain
 * truncation will do.
 */
export function yearStart(year: number): number {
  const before = year + 399;
  return 365 * (year - 1970) + ((before / 4) | 0) - ((before / 100) | 0) + ((before / 400) | 0) - 574;
}

/** Days of the year before the first day of a month; `month` 0 = January. */
export function dayOfYearAtMonth(year: number, month: number): number {
  return DAYS_BEFORE_MONTH[month]! + (month > 1 && isLeapYear(year) ? 1 : 0);
}

/** Weekday of a day number, 0 = Sunday. */
export function weekdayOf(day: number): number {
  const weekday = (day + 4) % 7;
  return weekday < 0 ? weekday + 7 : weekday;
}

/** Year of a day number. */
export function yearOf(day: number): number {
  const year = (((day + 865_625) / 365.2425) | 0) - 400; // counted from 1 January of the year -400
  if (day < yearStart(year)) return year - 1;
  return day >= yearStart(year + 1) ? year + 1 : year;
}

/** Month counted from year 0 (year * 12 + month) that holds a day number. */
export function monthIndexOf(day: number): number {
  const year = yearOf(day);
  const dayOfYear = day - yearStart(year);
  let month = dayOfYear >= 319 ? 11 : (dayOfYear / 29) | 0;
  while (dayOfYear < dayOfYearAtMonth(year, month)) month--;
  return year * 12 + month;
}

/** Year of a month counted from year 0. */
export function yearOfMonth(monthIndex: number): number {
  return (((monthIndex + 4_800) / 12) | 0) - 400;
}

/** Day number of the first day of a month counted from year 0. */
export function monthStart(monthIndex: number): number {
  const year = yearOfMonth(monthIndex);
  return yearStart(year) + dayOfYearAtMonth(year, monthIndex - year * 12);
}

/** Greatest common divisor of two positive integers. */
export function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
