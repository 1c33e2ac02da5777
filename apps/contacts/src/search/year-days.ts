const DAY_MS = 86_400_000;
const LEAP_DAY = 229;
const MARCH_FIRST = 301;

/** Month and day of any year, as month times 100 plus day. */
const yearDayOf = (ms: number): number => {
  const date = new Date(ms);
  return (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
};

/** Days of a year that a range covers. */
export interface YearDays {
  /** The range is as long as a year: it covers all days. */
  readonly isWholeYear: boolean;
  /** First day. */
  readonly from: number;
  /** Day behind the last one; not after `from` when the range passes New Year. */
  readonly to: number;
  /** 29 February is covered, by itself or, in a year without it, by 1 March. */
  readonly hasLeapDay: boolean;
  /** The position of 29 February in the order of days. */
  readonly leapDay: number;
}

/** The days that a range covers, in UTC: that of its start, and those up to that of its end, which is exclusive. */
export function toYearDays(startMs: number, endMs: number): YearDays {
  const start = Math.floor(startMs / DAY_MS) * DAY_MS;
  // A range within one day covers that day.
  const end = Math.max(Math.floor(endMs / DAY_MS) * DAY_MS, start + DAY_MS);
  const years = [new Date(start).getUTCFullYear(), new Date(end).getUTCFullYear()];
  const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const celebrated = years.map((year) => ({
    isLeap: isLeap(year),
    at: Date.UTC(year, isLeap(year) ? 1 : 2, isLeap(year) ? 29 : 1),
  }));
  const covered = celebrated.find(({ at }) => at >= start && at < end);
  return {
    isWholeYear: endMs - startMs >= 365 * DAY_MS,
    from: yearDayOf(start),
    to: yearDayOf(end),
    hasLeapDay: covered !== undefined,
    leapDay: covered?.isLeap === false ? MARCH_FIRST : LEAP_DAY,
  };
}
