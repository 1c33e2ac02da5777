import { domainToUnicode } from 'node:url';
import type { MailAddress } from '@groupware/contracts';

/** Headers of a mail in their order: name as written, value unfolded but not decoded. */
export class MailHeaders {
  private readonly byName = new Map<string, string[]>();

  private constructor(readonly entries: readonly (readonly [name: string, value: string])[]) {
    for (const [name, value] of entries) {
      const key = name.toLowerCase();
      const known = this.byName.get(key);
      if (known) known.push(value);
      else this.byName.set(key, [value]);
    }
  }

  /** Reads a header block (RFC 5322, section 2.2). Bytes outside ASCII are UTF-8, else Windows-1252. */
  static parse(block: Uint8Array | undefined): MailHeaders {
    const entries: [string, string][] = [];
    for (const line of decodeBytes(block ?? new Uint8Array())
      .replace(/\r?\n[ \t]+/g, ' ')
      .split(/\r?\n/)) {
      const colon = line.indexOf(':');
      if (colon > 0) entries.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
    }
    return new MailHeaders(entries);
  }

  /** The first header of a name, not decoded. */
  find(name: string): string | undefined {
    return this.byName.get(name.toLowerCase())?.[0];
  }

  /** A header decoded: a text, a list of them when there are several, null when there is none. */
  decode(name: string): string | string[] | null {
    const values = this.byName.get(name.toLowerCase());
    if (!values) return null;
    return values.length === 1 ? decodeWords(values[0]!) : values.map(decodeWords);
  }

  /** The addresses of a header. */
  addresses(name: string): MailAddress[] {
    return (this.byName.get(name.toLowerCase()) ?? []).flatMap(parseAddresses);
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const latin = new TextDecoder('windows-1252');

/** Text of bytes: UTF-8, else Windows-1252. */
export function decodeBytes(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return latin.decode(bytes);
  }
}

const WORD = /=\?([^?*\s]{1,64})(?:\*[^?]*)?\?([bq])\?([^?]*)\?=/gi;

/** Decodes encoded words (RFC 2047). What cannot be decoded stays as it is. */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text;
  // White space between two encoded words is not part of the text; a character may be spread over two of the same charset.
  const joined = text
    .replace(/(\?=)[ \t\r\n]+(?==\?)/g, '$1')
    .replace(
      /=\?([^?\s]+)\?b\?([A-Za-z0-9+/]*)\?==\?\1\?b\?(?=[A-Za-z0-9+/]*=*\?=)/gi,
      (all, charset: string, data: string) => (data.length % 4 === 0 ? `=?${charset}?B?${data}` : all),
    )
    .replace(/=\?([^?\s]+)\?q\?([^?]*)\?==\?\1\?q\?/gi, '=?$1?Q?$2');
  return joined.replace(WORD, (word, charset: string, encoding: string, data: string) => {
    const bytes =
      encoding.toLowerCase() === 'b'
        ? Buffer.from(data, 'base64')
        : Buffer.from(
            data
              .replaceAll('_', ' ')
              .replace(/=([0-9a-f]{2})/gi, (_hex, code: string) => String.fromCharCode(parseInt(code, 16))),
            'latin1',
          );
    try {
      return new TextDecoder(charset).decode(bytes);
    } catch {
      return /[\x80-\xff]/.test(data) ? word : decodeBytes(bytes);
    }
  });
}

/** Most addresses of one header. */
const MAX_ADDRESSES = 10_000;
/** Characters that need quotes in a display name (RFC 5322, section 3.2.3). */
const SPECIALS = /[()<>[\]:;@\\,."]/;

/** Parses a list of addresses (RFC 5322, section 3.4). A header that is none is one address. */
export function parseAddresses(header: string): MailAddress[] {
  const found: MailAddress[] = [];
  let phrase = '';
  let angle: string | undefined;
  let comment = '';
  let quoted = false;
  const finish = (): void => {
    const name = phrase.trim();
    const address = angle ?? name;
    // Display names may also stand in a comment: `ann@x.example (Ann)`.
    const personal = angle === undefined ? comment.trim() : name || comment.trim();
    if (address.trim() !== '' && found.length < MAX_ADDRESSES)
      found.push([toPersonal(personal, quoted), toAddress(address)]);
    [phrase, angle, comment, quoted] = ['', undefined, '', false];
  };
  for (let at = 0; at < header.length; at += 1) {
    const char = header[at]!;
    if (char === '"') {
      const text = /^"((?:[^"\\]|\\.)*)"?/.exec(header.slice(at, at + 2048));
      phrase += text?.[1]?.replace(/\\(.)/g, '$1') ?? '';
      quoted = true;
      at += Math.max(0, (text?.[0].length ?? 1) - 1);
    } else if (char === '(') {
      const end = findCommentEnd(header, at);
      comment = header.slice(at + 1, end);
      at = end;
    } else if (char === '<') {
      const end = header.indexOf('>', at);
      angle = header.slice(at + 1, end < 0 ? header.length : end);
      at = end < 0 ? header.length : end;
    } else if (char === ',') finish();
    else if (char === ':' && angle === undefined && !phrase.includes('@')) phrase = '';
    else if (char === ';') finish();
    else phrase += char;
  }
  finish();
  return found;
}

function findCommentEnd(header: string, start: number): number {
  let depth = 0;
  for (let at = start; at < header.length; at += 1) {
    if (header[at] === '\\') at += 1;
    else if (header[at] === '(') depth += 1;
    else if (header[at] === ')' && (depth -= 1) === 0) return at;
  }
  return header.length;
}

function toPersonal(text: string, quoted: boolean): string | null {
  const name = decodeWords(text).trim();
  if (name === '') return null;
  return quoted && SPECIALS.test(name) ? `"${name.replace(/(["\\])/g, '\\$1')}"` : name;
}

/** Internationalized domains are told in Unicode. */
function toAddress(text: string): string {
  const address = text.replace(/\s+/g, ' ').trim();
  const at = address.lastIndexOf('@');
  if (at < 0 || !/(^|\.)xn--/i.test(address.slice(at + 1))) return address;
  return address.slice(0, at + 1) + (domainToUnicode(address.slice(at + 1)) || address.slice(at + 1));
}

/** The time of a header Date, ms UTC; undefined when it cannot be read. */
export function parseDate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text.replace(/\([^)]*\)/g, '').trim());
  return Number.isNaN(time) ? undefined : time;
}

/** Priority: 1 the highest, 3 without. Importance wins. */
export function parsePriority(headers: MailHeaders): number {
  const importance = headers.find('Importance')?.toLowerCase();
  if (importance !== undefined) return importance.startsWith('high') ? 1 : importance.startsWith('low') ? 5 : 3;
  const digit = /^\s*([1-5])/.exec(headers.find('X-Priority') ?? '');
  return digit ? Number(digit[1]) : 3;
}
