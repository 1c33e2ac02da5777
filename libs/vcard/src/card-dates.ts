/** Midnight UTC of a day. Years below 100 are no years of the last century. */
function toMidnight(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

/** Stands for a year that is not known. */
const UNKNOWN_YEAR = 1;
/** The same for the 29th of February, which the year 1 does not have. */
const UNKNOWN_LEAP_YEAR = 4;

/**
 * The day of BDAY or ANNIVERSARY, ms UTC at midnight: `yyyymmdd`, `yyyy-mm-dd`, both also with a time, or `--mmdd`, which is a day of
 * the year 1, or the 29th of February of the year 4. Undefined when it is none.
 * @param omittedYear the year that stands for none (`X-APPLE-OMIT-YEAR`)
 */
export function parseDay(value: string, omittedYear?: string): number | undefined {
  const text = value.trim();
  const found = /^(\d{4}|--)-?(\d{2})-?(\d{2})(?:[T ].*)?$/.exec(text);
  if (!found) return undefined;
  const [, year, month, day] = found;
  const hasNoYear = year === '--' || year === omittedYear || year === '0000';
  const noYear = month === '02' && day === '29' ? UNKNOWN_LEAP_YEAR : UNKNOWN_YEAR;
  return toMidnight(hasNoYear ? noYear : Number(year), Number(month), Number(day));
}

/** Writes a day: `yyyy-mm-dd`, or `--mmdd` for one without year; undefined for years that the format cannot write. */
export function formatDay(ms: number): string | undefined {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  const [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()].map((part) => String(part).padStart(2, '0'));
  const isLeapDay = month === '02' && day === '29';
  if (year === UNKNOWN_YEAR || (year === UNKNOWN_LEAP_YEAR && isLeapDay)) return `--${month}${day}`;
  return year > 0 && year < 10_000 ? `${String(year).padStart(4, '0')}-${month}-${day}` : undefined;
}
