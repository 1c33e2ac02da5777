import { TextDecoder } from 'node:util';
import { isUtf8 } from 'node:buffer';
import type { CardProperty, CardVersion } from './card';
import { findValueSeparator, parseHeader } from './content-line';
import { escapeLine, escapeText } from './text-values';

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

/** Characters that the format does not allow; line breaks are escaped. */
const CONTROLS = /(?!\t)\p{Cc}/gu;
const windows1252 = new TextDecoder('windows-1252');

/** The text of octets: in the charset that is named, else UTF-8, else windows-1252. */
function decode(octets: string, charset: TextDecoder | undefined): string {
  if (!/[\u0080-\u00ff]/.test(octets) && (!charset || charset.encoding === 'utf-8')) return octets;
  const bytes = Buffer.from(octets, 'latin1');
  if (charset && (charset.encoding !== 'utf-8' || isUtf8(bytes))) return charset.decode(bytes);
  return isUtf8(bytes) ? bytes.toString('utf8') : windows1252.decode(bytes);
}

/** Octets of quoted-printable text (RFC 2045 §6.7); what is malformed stays as it is. */
const decodeQuotedPrintable = (octets: string): string =>
  octets.replace(/=([0-9A-Fa-f]{2})/g, (_match, hex: string) => String.fromCharCode(parseInt(hex, 16)));

/** Whether a line has a value in quoted-printable, which goes on in the next line after `=`. */
export const isQuotedPrintable = (octets: string): boolean =>
  /^[^:]*;\s*(?:encoding=)?quoted-printable\s*(?:;[^:]*)?:/i.test(octets);

/** Whether a line has a value in base64 that may go on in lines without indentation, as version 2.1 has them. */
export const isBase64 = (octets: string): boolean =>
  /^[^:]*;\s*(?:encoding=)?(?:base64|b)\s*(?:;[^:]*)?:/i.test(octets);

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
    const value = decode(content, undefined).replace(/[\s\p{Cc}]+/gu, '');
    return { ...header, parameters: { ...parameters, encoding: ['b'] }, value };
  }
  const isQuoted = kind === 'quoted-printable';
  const octetsOfText = isBinary
    ? Buffer.from(content, 'base64').toString('latin1')
    : isQuoted
      ? decodeQuotedPrintable(content)
      : content;
  const text = decode(octetsOfText, own);
  const value = version === '2.1' || isQuoted || isBinary ? toNotation(header.name, text, version) : text;
  return { ...header, parameters, value: value.replace(CONTROLS, '') };
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
  return TEXTS.has(name) || name.startsWith('X-') ? escapeText(unescape(text)) : escapeLine(text);
}
