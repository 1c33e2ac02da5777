import { TextDecoder } from 'node:util';
import { isUtf8 } from 'node:buffer';
import { omitControls } from '@groupware/icalendar';
import type { CardProperty, CardVersion } from './card';
import { findValueSeparator, parseHeader } from './content-line';
import { escapeLine, escapeText, readList, readStructured, unescapeText } from './text-values';

const STRUCTURED: ReadonlySet<string> = new Set(['N', 'ADR', 'ORG']);
/** Properties whose values are texts in version 2.1, where commas and backslashes mean nothing. */
const TEXTS: ReadonlySet<string> = new Set([
  'FN',
  'NOTE',
  'TITLE',
  'ROLE',
  'LABEL',
  'NICKNAME',
  'MAILER',
  'SORT-STRING',
]);
/** Properties whose values are bytes. */
const BYTES: ReadonlySet<string> = new Set(['PHOTO', 'LOGO', 'SOUND', 'KEY']);
const BYTES_LINE = /^(?:[\w-]{1,256}\.)?(?:PHOTO|LOGO|SOUND|KEY)\s*[;:]/i;
/** Properties whose values are no texts: nothing in them is escaped. */
const RAW: ReadonlySet<string> = new Set(['PHOTO', 'LOGO', 'SOUND', 'KEY', 'GEO', 'AGENT']);

/** Reads names of charsets that decoders do not know as the one of the file. */
export function findDecoder(label: string | undefined): TextDecoder | undefined {
  if (!label) return undefined;
  try {
    return new TextDecoder(label.trim());
  } catch {
    return undefined;
  }
}

const windows1252 = new TextDecoder('windows-1252');

/** The text of octets: in the charset that is named, else UTF-8, else windows-1252. */
function decode(octets: string, charset: TextDecoder | undefined): string {
  if (!/[\u0080-\u00ff]/.test(octets) && (!charset || charset.encoding === 'utf-8')) return octets;
  const bytes = Buffer.from(octets, 'latin1');
  if (charset && (charset.encoding !== 'utf-8' || isUtf8(bytes))) return charset.decode(bytes);
  return isUtf8(bytes) ? bytes.toString('utf8') : windows1252.decode(bytes);
}

const EQUALS = 0x3d;
/** Values of hexadecimal digits by their octet; -1 for others. */
const HEX = Int8Array.from({ length: 256 }, (_none, octet) => {
  const value = parseInt(String.fromCharCode(octet), 16);
  return Number.isNaN(value) ? -1 : value;
});

/** Octets of quoted-printable text (RFC 2045 §6.7); what is malformed stays as it is. */
function decodeQuotedPrintable(octets: string): string {
  const bytes = Buffer.from(octets, 'latin1');
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const [high, low] = bytes[at] === EQUALS ? [HEX[bytes[at + 1] ?? 0]!, HEX[bytes[at + 2] ?? 0]!] : [-1, -1];
    const isEncoded = high >= 0 && low >= 0;
    bytes[length++] = isEncoded ? 16 * high + low : bytes[at]!;
    if (isEncoded) at += 2;
  }
  return bytes.toString('latin1', 0, length);
}

/** Whether a line names an encoding before its value, as a parameter or alone. */
function hasEncoding(octets: string, names: readonly string[]): boolean {
  const end = findValueSeparator(octets);
  if (end < 0) return false;
  const [, ...parameters] = octets.slice(0, end).toLowerCase().split(';');
  return parameters.some((parameter) => names.includes(parameter.trim().replace(/^encoding=/, '')));
}

/** Whether a line has a value in quoted-printable, which goes on in the next line after `=`. */
export const isQuotedPrintable = (octets: string): boolean => hasEncoding(octets, ['quoted-printable']);

/** Whether a line has a value in base64 that may go on in lines without indentation, as version 2.1 has them. */
export const isBase64 = (octets: string): boolean => hasEncoding(octets, ['base64', 'b']);

/** Characters of an address: what is printable in ASCII. */
const ADDRESS_CHARACTERS = Uint8Array.from({ length: 256 }, (_none, octet) => Number(octet > 0x20 && octet < 0x7f));
const BASE64_CHARACTERS = ADDRESS_CHARACTERS.map((isPrintable, octet) =>
  Number(isPrintable && /[\w+/-]/.test(String.fromCharCode(octet))),
);

/** Leaves out the octets that a text cannot have. */
function keepOctets(octets: string, allowed: Uint8Array): string {
  const bytes = Buffer.from(octets, 'latin1');
  let length = 0;
  // By index: pictures have millions of them.
  for (let at = 0; at < bytes.length; at++) {
    const octet = bytes[at]!;
    if (allowed[octet]) bytes[length++] = octet;
  }
  return bytes.toString('latin1', 0, length);
}

/** Base64 as it should be written, whatever stands between and behind its characters. */
function normalizeBase64(octets: string): string {
  const text = keepOctets(octets, BASE64_CHARACTERS);
  const rest = text.length % 4;
  // One character alone holds no octet.
  return rest === 1 ? text.slice(0, -1) : text.padEnd(text.length + ((4 - rest) % 4), '=');
}

/** Whether the value of a line is bytes as text, which may be larger than texts. */
export const holdsBytes = (octets: string): boolean =>
  BYTES_LINE.test(octets) && (isBase64(octets) || /^[^:]{1,256}:data:/i.test(octets));

/**
 * Reads one unfolded line into a property in the notation of RFC 6350, whatever the version of its card; undefined when it is none.
 * @param octets one per character
 * @param charset of the file; undefined: UTF-8, else windows-1252
 */
export function readProperty(
  octets: string,
  version: CardVersion,
  charset: TextDecoder | undefined,
): CardProperty | undefined {
  const separator = findValueSeparator(octets);
  if (separator < 0) return undefined;
  const header = parseHeader(decode(octets.slice(0, separator), charset));
  if (!header) return undefined;
  const { encoding, charset: named, ...parameters } = header.parameters;
  const kind = encoding?.[0]?.toLowerCase();
  const own = findDecoder(named?.[0]) ?? charset;
  const content = octets.slice(separator + 1);
  const isBinary = kind === 'b' || kind === 'base64';
  if (isBinary && (BYTES.has(header.name) || header.name.startsWith('X-'))) {
    return { ...header, parameters: { ...parameters, encoding: ['b'] }, value: normalizeBase64(content) };
  }
  if (kind === undefined && BYTES.has(header.name) && /^data:/i.test(content))
    return { ...header, parameters, value: keepOctets(content, ADDRESS_CHARACTERS) };
  const isQuoted = kind === 'quoted-printable';
  const octetsOfText = isBinary
    ? Buffer.from(content, 'base64').toString('latin1')
    : isQuoted
      ? decodeQuotedPrintable(content)
      : content;
  const text = decode(octetsOfText, own);
  const value = version === '2.1' || isQuoted || isBinary ? toNotation(header.name, text, version) : text;
  return { ...header, parameters, value: omitControls(value) };
}

/** The value of a text of version 2.1, where a semicolon is escaped and nothing else. */
function toNotation(name: string, text: string, version: CardVersion): string {
  // Quoted-printable does not belong to the later versions: only line breaks are put in order.
  if (version !== '2.1') return text.replace(/\r\n?|\n/g, '\\n');
  const unescape = (part: string): string => part.replaceAll('\\;', ';');
  if (STRUCTURED.has(name))
    return text
      .split(/(?<!\\);/)
      .map((part) => escapeText(unescape(part)))
      .join(';');
  if (RAW.has(name)) return text.replace(/[\r\n]+/g, '');
  // The commas of a list are those between its values.
  if (name === 'CATEGORIES') return text.split(',').map(escapeText).join(',');
  return isText(name) ? escapeText(unescape(text)) : escapeLine(text);
}

const isText = (name: string): boolean => TEXTS.has(name) || name.startsWith('X-');

/** A value in the notation of RFC 6350 as a text of version 2.1. */
export function toVersion2Text({ name, value }: Pick<CardProperty, 'name' | 'value'>): string {
  const escapeSemicolons = (text: string): string => text.replaceAll(';', '\\;');
  if (STRUCTURED.has(name)) return readStructured(value).map(escapeSemicolons).join(';');
  if (RAW.has(name)) return value;
  if (name === 'CATEGORIES') return readList(value).join(',');
  return isText(name) ? escapeSemicolons(unescapeText(value)) : unescapeText(value);
}
