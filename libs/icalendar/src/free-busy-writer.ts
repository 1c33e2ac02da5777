import { formatContentLine } from './content-line';
import { formatDateTime } from './values';

/** One FREEBUSY property. */
export interface PublishedPeriod {
  readonly startMs: number;
  readonly endMs: number;
  /** FBTYPE (RFC 5545, section 3.2.9); absent: no type is told. */
  readonly type?: string;
}

/** Content of a VFREEBUSY. Times are ms UTC. */
export interface PublishedTimes {
  readonly prodId: string;
  readonly uid: string;
  readonly nowMs: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Mail address of the calendar user. */
  readonly address: string;
  readonly periods: readonly PublishedPeriod[];
}

const utc = (ms: number): string => formatDateTime(ms, true);

/** A VCALENDAR with one VFREEBUSY (RFC 5545, section 3.6.4), METHOD:PUBLISH; CRLF, folded at 75 octets. */
export function writeFreeBusy({ prodId, uid, nowMs, startMs, endMs, address, periods }: PublishedTimes): string {
  const text = (name: string, value: string) => formatContentLine([name, {}, 'text', value]);
  return [
    'BEGIN:VCALENDAR\r\n',
    text('version', '2.0'),
    text('prodid', prodId),
    text('method', 'PUBLISH'),
    'BEGIN:VFREEBUSY\r\n',
    text('uid', uid),
    `DTSTAMP:${utc(nowMs)}\r\n`,
    `DTSTART:${utc(startMs)}\r\n`,
    `DTEND:${utc(endMs)}\r\n`,
    formatContentLine(['attendee', {}, 'cal-address', `mailto:${address}`]),
    ...periods.map(
      (period) =>
        `FREEBUSY${period.type ? `;FBTYPE=${period.type}` : ''}:${utc(period.startMs)}/${utc(period.endMs)}\r\n`,
    ),
    'END:VFREEBUSY\r\n',
    'END:VCALENDAR\r\n',
  ].join('');
}
