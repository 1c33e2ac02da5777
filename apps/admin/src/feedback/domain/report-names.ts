/** Separates cells unless the request says otherwise. */
export const DEFAULT_DELIMITER = ';';

const formatDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** File name of a report: prefix, time in UTC, kind. What could break a header is left out of the prefix. */
export function createReportName(prefix: string, now: number, compressed: boolean): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');
  return `${prefix.replace(/[^\w.-]/g, '_')}-${time}.csv${compressed ? '.gz' : ''}`;
}

/** Subject of a report whose request has none. */
export function createDefaultSubject(start = 0, end = 0): string {
  return `User Feedback Report${start > 0 ? ` from ${formatDay(start)}` : ''}${end > 0 ? ` to ${formatDay(end)}` : ''}`;
}
