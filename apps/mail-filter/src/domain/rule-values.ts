import { MailFilterErrors } from '@groupware/contracts';

/** A part of a rule as clients send it: an object of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

/** Most values of one list. */
const MAX_VALUES = 1_000;
/** Longest text of a rule, characters: vacation notices are the longest. */
const MAX_TEXT = 100_000;
/** Line breaks and control characters but tabs: no value of a test has them. */
// eslint-disable-next-line no-control-regex -- these are meant
const UNPRINTABLE = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** Zero bytes, and halves of characters. */
// eslint-disable-next-line no-control-regex -- these are meant
const UNSTORABLE = /[\u0000\ud800-\udfff]/u;

/** True for an object that is no list. */
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object. @throws MAIL_FILTER-0003 */
export function requireFields(value: unknown, what: string): Fields {
  if (!isFields(value)) throw MailFilterErrors.badJson(`${what} is no object`);
  return value;
}

/** A text that a script can hold: without zero bytes and halves of characters. @throws MAIL_FILTER-0025, 0001 */
export function requireText(value: unknown, name: string): string {
  if (value === undefined || value === null) throw MailFilterErrors.missingParameter(name);
  if (typeof value !== 'string') throw MailFilterErrors.badRule(`${name} is no text`);
  if (value.length > MAX_TEXT) throw MailFilterErrors.badRule(`${name} is too long`);
  if (UNSTORABLE.test(value)) throw MailFilterErrors.badRule(`${name} has bad characters`);
  return value;
}

/** A text of one line. @throws MAIL_FILTER-0025, 0001 */
export function requireLine(value: unknown, name: string): string {
  const line = requireText(value, name);
  if (UNPRINTABLE.test(line)) throw MailFilterErrors.badRule(`${name} has line breaks or control characters`);
  return line;
}

/** Lines, at least one. @throws MAIL_FILTER-0025, 0001 */
export function requireLines(value: unknown, name: string): readonly string[] {
  if (value === undefined || value === null) throw MailFilterErrors.missingParameter(name);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw MailFilterErrors.badRule(`${name} is empty`);
  if (list.length > MAX_VALUES) throw MailFilterErrors.badRule(`${name} has more than ${MAX_VALUES} values`);
  return list.map((each) => requireLine(typeof each === 'number' ? String(each) : each, name));
}

/** Names of headers (RFC 5322, section 2.2). @throws MAIL_FILTER-0025, 0001 */
export function requireHeaders(value: unknown, name = 'headers'): readonly string[] {
  const headers = requireLines(value, name);
  const wrong = headers.find((header) => !/^[!-9;-~]{1,200}$/.test(header));
  if (wrong !== undefined) throw MailFilterErrors.badRule(`${wrong} is no header`);
  return headers;
}

/** An integer of 0 or more. @throws MAIL_FILTER-0017, 0025, 0001 */
export function requireNumber(value: unknown, name: string): number {
  if (value === undefined || value === null || value === '') throw MailFilterErrors.missingParameter(name);
  const number = typeof value === 'string' && /^\s*-?\d{1,16}\s*$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number))
    throw MailFilterErrors.badNumber(typeof value === 'object' ? name : value);
  if (number < 0) throw MailFilterErrors.badRule(`${name} is below zero`);
  return number;
}

/** One of some words, in any case. @throws MAIL_FILTER-0025, 0001 */
export function requireWord<T extends string>(value: unknown, name: string, words: readonly T[]): T {
  if (value === undefined || value === null) throw MailFilterErrors.missingParameter(name);
  const word = words.find((each) => typeof value === 'string' && each.toLowerCase() === value.trim().toLowerCase());
  if (word === undefined)
    throw MailFilterErrors.badRule(`${name} is not ${words.length === 1 ? words[0] : `one of ${words.join(', ')}`}`);
  return word;
}
