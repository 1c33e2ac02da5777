import { MailFilterErrors } from '@groupware/contracts';
import { requireWord, type Fields } from './rule-values';
import { Unreadable } from './sieve-arguments';

/** Parts of dates that rules may compare. */
export const DATE_PARTS = ['date', 'time', 'weekday'] as const;
/** A part of a date. */
export type DatePart = (typeof DATE_PARTS)[number];

/** A zone of a test: an offset, or the one of the mail. */
const ZONE = /^(?:[+-]\d{4}|original)$/i;
const MAX_DATE = Date.UTC(9999, 11, 31);

/** Values of a script for `datevalue`: ms UTC for dates and times, 0 (Sunday) to 6 for days of the week. @throws MAIL_FILTER-0017, 0025, 0001 */
export function toDateValues({ datevalue, datepart }: Fields): { readonly part: DatePart; readonly values: string[] } {
  const part = requireWord(datepart, 'datepart', DATE_PARTS);
  if (datevalue === undefined || datevalue === null) throw MailFilterErrors.missingParameter('datevalue');
  const list: readonly unknown[] = Array.isArray(datevalue) ? datevalue : [datevalue];
  if (list.length === 0 || list.length > 1_000) throw MailFilterErrors.badRule('datevalue is empty or too long');
  return { part, values: list.map((value) => toDateValue(value, part)) };
}

function toDateValue(value: unknown, part: DatePart): string {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number))
    throw MailFilterErrors.badNumber(typeof value === 'object' ? 'datevalue' : value);
  if (part === 'weekday') {
    if (number < 0 || number > 6) throw MailFilterErrors.badRule('a day of the week is between 0 and 6');
    return String(number);
  }
  if (number < 0 || number > MAX_DATE) throw MailFilterErrors.badRule('a date is out of range');
  const [date = '', time = ''] = new Date(number).toISOString().split('T');
  return part === 'date' ? date : time.slice(0, 5);
}

/** The `datevalue` of values in a script. @throws Unreadable */
export function readDateValues(part: string, values: readonly string[]): readonly (number | string)[] {
  return values.map((value) => {
    if (part === 'weekday' && /^[0-6]$/.test(value)) return value;
    const ms =
      part === 'date' && /^\d{4}-\d\d-\d\d$/.test(value)
        ? Date.parse(`${value}T00:00:00Z`)
        : part === 'time' && /^\d\d:\d\d(:\d\d)?$/.test(value)
          ? Date.parse(`1970-01-01T${value}Z`)
          : NaN;
    if (Number.isNaN(ms)) throw new Unreadable(`the date ${value} cannot be edited`);
    return ms;
  });
}

/** The zone of a test; undefined for none. @throws MAIL_FILTER-0025 */
export function readZone({ zone }: Fields): string | undefined {
  if (zone === undefined || zone === null || zone === '') return undefined;
  if (typeof zone !== 'string' || !ZONE.test(zone)) throw MailFilterErrors.badRule('zone is no offset such as +0100');
  return zone.toLowerCase();
}
