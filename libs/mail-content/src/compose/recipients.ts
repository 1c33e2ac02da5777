import { domainToASCII } from 'node:url';
import type { MailAddress } from '@groupware/contracts';
import { parseAddresses } from '../message/headers';
import { ComposeError } from './compose-error';

/** Longest address (RFC 5321 §4.5.3.1: local part 64, domain 255). */
const MAX_LOCAL_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 255;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const CONTROLS = new RegExp(`${CONTROL.source}+`, 'g');

/**
 * Addresses as clients send them: `[[name, address], …]`, or a text as a header has it.
 * @param isDraft true takes what is no address yet
 * @throws {ComposeError} badAddress, controlCharacter
 */
export function readRecipients(field: string, value: unknown, isDraft = false): MailAddress[] {
  const readAddress = isDraft ? cleanAddress : checkAddress;
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') {
    // A tab is a blank between the words of a header (RFC 5322 §2.2.2).
    const text = value.replaceAll('\t', ' ');
    requireNoControlCharacters(field, text);
    return parseAddresses(text).map(([name, address]) => readAddress(field, name, address));
  }
  if (!Array.isArray(value)) throw new ComposeError('badAddress', field);
  return value.map((entry: unknown) => {
    const [name, address] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (typeof address !== 'string' || (name !== null && name !== undefined && typeof name !== 'string'))
      throw new ComposeError('badAddress', field);
    return readAddress(field, name ?? null, address);
  });
}

/** Nothing of a header can begin a new line. @throws {ComposeError} controlCharacter */
export function requireNoControlCharacters(field: string, value: string): void {
  if (CONTROL.test(value)) throw new ComposeError('controlCharacter', field);
}

/** A subject or name that was typed: blanks for tabs and ends of lines that were pasted. CRLF stays: it begins a header, and is refused. */
export function toTypedText(text: string): string {
  return text.includes('\r\n') ? text : text.replace(CONTROLS, ' ');
}

/** An address compared by its meaning: without case, its domain as servers write it. */
export function normalizeAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return `${address.slice(0, at + 1)}${domainToASCII(domain) || domain}`.toLowerCase();
}

function checkAddress(field: string, name: string | null, raw: string): MailAddress {
  const checked = cleanAddress(field, name, raw);
  const [, address] = checked;
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  const isPlain =
    at > 0 && local.length <= MAX_LOCAL_LENGTH && !/[\s<>(),;:\\"[\]]/.test(address) && !local.includes('@');
  if (!isPlain || domain === '' || domain.length > MAX_DOMAIN_LENGTH || domainToASCII(domain) === '')
    throw new ComposeError('badAddress', field, address.slice(0, 100));
  return checked;
}

function cleanAddress(field: string, name: string | null, raw: string): MailAddress {
  const typed = toTypedText(name ?? '').trim();
  requireNoControlCharacters(field, typed);
  requireNoControlCharacters(field, raw);
  return [unquote(typed) || null, raw.trim()];
}

/** A name that came quoted is quoted again when it is written. */
function unquote(name: string): string {
  return /^".*"$/s.test(name) ? name.slice(1, -1).replace(/\\(.)/g, '$1') : name;
}
