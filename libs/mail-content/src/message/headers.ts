import { domainToUnicode } from 'node:url';
import type { MailAddress } from '@groupware/contracts';
import { Headers } from '@zone-eu/mailsplit';
import libmime from 'libmime';
import addressparser from 'nodemailer/lib/addressparser';
import { decodeCharset } from '../text/charset';

/** So much of a header block is read, bytes. */
const MAX_BLOCK_BYTES = 256 * 1024;
/** So much of one header is read, characters. */
const MAX_VALUE_LENGTH = 64 * 1024;
const MAX_HEADERS = 1_000;
const MAX_ADDRESSES = 5_000;
/** Headers that have fields of their own. */
const OWN_FIELDS = /^(?:from|to|cc|bcc|subject|date|content-.*|x-priority|disposition-notification-to|mime-version)$/;
/** Characters of a display name that needs quotes (RFC 5322 §3.2.3). */
const SPECIALS = /[()<>[\]:;@\\,."]/;
/** Its charset without a language (RFC 2231, section 5), encoding and content. */
const ENCODED_WORD = /=\?([^?*\s]{1,40})(?:\*[^?\s]*)?\?([QqBb])\?([^?]*)\?=/g;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
/** Tabs, ends of lines, and control characters beyond ASCII: mails that are written have none of them in a header. */
const LINE_CONTROL = /[\t\r\n\u0080-\u009f\u2028\u2029]+/g;

/** The headers of a mail: raw values as text, unfolded, in the order they stand. */
export class MailHeaders {
  private readonly lines: { key: string; name: string; value: string }[] = [];

  /** @param block header lines; a mail whose server told none has no headers */
  constructor(block: Buffer = Buffer.alloc(0)) {
    for (const { key, line } of new Headers(block.toString('latin1', 0, MAX_BLOCK_BYTES))
      .getList()
      .slice(0, MAX_HEADERS)) {
      const colon = line.indexOf(':');
      if (colon <= 0) continue;
      this.lines.push({ key, name: line.slice(0, colon).trim(), value: toText(line.slice(colon + 1)) });
    }
  }

  /** The first value of a header, as it stands; empty without one. */
  getRaw(name: string): string {
    return this.lines.find(({ key }) => key === name.toLowerCase())?.value ?? '';
  }

  /** All values of a header, as they stand; the topmost comes first. */
  listRaw(name: string): string[] {
    return this.lines.filter(({ key }) => key === name.toLowerCase()).map(({ value }) => value);
  }

  /** The first value of a header with its encoded words decoded; empty without one. */
  getText(name: string): string {
    return decodeWords(this.getRaw(name));
  }

  /** All values of a header with their encoded words decoded; empty without one. */
  listTexts(name: string): string[] {
    return this.listRaw(name).map(decodeWords);
  }

  /** All values with their encoded words decoded. */
  listAllTexts(): string[] {
    return this.lines.map(({ value }) => decodeWords(value));
  }

  /** Addresses of all headers of that name. */
  getAddresses(name: string): MailAddress[] {
    return this.listRaw(name).flatMap(parseAddresses);
  }

  /** Time of the header Date, milliseconds UTC; undefined without one that can be read. */
  getDate(): number | undefined {
    const text = this.getRaw('date')
      .replace(/\([^()]*\)/g, '')
      .trim();
    const time = text ? Date.parse(text) : NaN;
    return Number.isNaN(time) ? undefined : time;
  }

  /** 1 highest, 3 normal, 5 lowest: Importance wins over X-Priority. */
  getPriority(): number {
    const importance = this.getRaw('importance').toLowerCase();
    if (importance) return importance.startsWith('high') ? 1 : importance.startsWith('low') ? 5 : 3;
    const priority = /^\s*([1-5])/.exec(this.getRaw('x-priority'))?.[1];
    return priority === undefined ? 3 : Number(priority);
  }

  /** Headers without a field of their own: a text, or a list where there are several of a name. */
  listOthers(): Record<string, string | string[]> {
    const others = new Map<string, { name: string; values: string[] }>();
    for (const { key, name, value } of this.lines) {
      if (OWN_FIELDS.test(key)) continue;
      const other = others.get(key);
      if (other) other.values.push(decodeWords(value));
      else others.set(key, { name, values: [decodeWords(value)] });
    }
    return Object.fromEntries(
      [...others.values()].map(({ name, values }) => [name, values.length === 1 ? values[0]! : values]),
    );
  }
}

/**
 * Addresses of a header: display name decoded, quoted where it needs to be; domains as they are read. A header that cannot be
 * parsed is one address as it stands.
 */
export function parseAddresses(value: string): MailAddress[] {
  const text = value.trim();
  if (!text) return [];
  const found = addressparser(text, { flatten: true })
    .slice(0, MAX_ADDRESSES)
    .filter(({ name, address }) => name || address);
  if (found.some(({ address }) => address?.endsWith('>'))) return [[null, decodeWords(text)]];
  return found.map(({ name, address }) => {
    const personal = decodeWords(name).trim();
    if (!address) return [null, personal];
    const word = unquoteWord(address);
    // A text that is no address yet is its own name, too.
    return [personal && personal !== word ? quotePhrase(personal) : null, toUnicodeAddress(word)];
  });
}

/** Text with its encoded words (RFC 2047) decoded, also where they were encoded twice; in one line, without control characters. */
export function decodeWords(text: string): string {
  let decoded = text;
  for (let round = 0; round < 2 && decoded.includes('=?'); round++) {
    try {
      decoded = decodeEncodedWords(decoded);
    } catch {
      break;
    }
  }
  return decoded.replace(CONTROL, '').replace(LINE_CONTROL, ' ').trim();
}

/** Bytes that are none of the charset of their word are guessed. */
function decodeEncodedWords(text: string): string {
  const decoded = libmime.decodeWords(text);
  if (!decoded.includes('\ufffd') || text.includes('\ufffd')) return decoded;
  return text
    .replace(/(\?=)\s+(?==\?)/g, '$1')
    .replace(ENCODED_WORD, (_word, charset: string, encoding: libmime.MimeWordEncoding, content: string) =>
      decodeCharset(Buffer.from(libmime.decodeWord('iso-8859-1', encoding, content), 'latin1'), charset),
    );
}

/** The value of a header as text: bytes beyond ASCII are UTF-8 or Latin 1, lines are joined. */
function toText(value: string): string {
  const unfolded = value
    .slice(0, MAX_VALUE_LENGTH)
    .replace(/\r?\n[ \t]*/g, ' ')
    .trim();
  return /[\u0080-\u00ff]/.test(unfolded) ? decodeCharset(Buffer.from(unfolded, 'latin1'), undefined) : unfolded;
}

/** The text of an address that is one quoted word only, as drafts have recipients that are being typed. */
const unquoteWord = (address: string): string =>
  /^"[^"@]*"$/.test(address) ? address.slice(1, -1).replace(/\\(.)/g, '$1') : address;

function quotePhrase(name: string): string {
  if (/^".*"$/.test(name) || !SPECIALS.test(name)) return name;
  return `"${name.replace(/["\\]/g, '\\$&')}"`;
}

function toUnicodeAddress(address: string): string {
  const at = address.lastIndexOf('@');
  if (at < 0 || !/xn--/i.test(address.slice(at))) return address;
  return `${address.slice(0, at + 1)}${domainToUnicode(address.slice(at + 1)) || address.slice(at + 1)}`;
}
