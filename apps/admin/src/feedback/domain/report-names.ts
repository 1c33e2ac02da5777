/** Separates cells unless the request says otherwise. */
export const DEFAULT_DELIMITER = ';';

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** File name of a report: prefix, time in UTC, kind. What could break a header is left out of the prefix. */
export function reportName(prefix: string, now: number, compressed: boolean): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');
  return `${prefix.replace(/[^\w.-]/g, '_')}-${time}.csv${compressed ? '.gz' : ''}`;
}

/** Subject of a report whose request has none. */
export function defaultSubject(start = 0, end = 0): string {
  return `User Feedback Report${start > 0 ? ` from ${day(start)}` : ''}${end > 0 ? ` to ${day(end)}` : ''}`;
}
