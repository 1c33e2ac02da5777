import { isAscii, isUtf8 } from 'node:buffer';
import charsets from 'libmime/lib/charset';

/** Longest character of UTF-8 less one, bytes: so many may be missing where a text was cut. */
const MAX_CUT_BYTES = 3;
/** So much of an HTML document is searched for its charset, bytes. */
const MAX_HEAD_BYTES = 2_048;

/**
 * The text of bytes in a charset. Without a charset, with an unknown one, or one that the bytes contradict, it is guessed:
 * UTF-8 when the bytes are that, else Windows-1252, which has all of ISO-8859-1. Never fails.
 */
export function decodeCharset(bytes: Uint8Array, charset: string | undefined): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = normalizeCharset(charset);
  if (name === undefined || name === 'utf-8') {
    if (isUtf8WithCut(buffer)) return stripBom(buffer.toString('utf8'));
    // Some text and one wrong byte is still UTF-8; without any right character beyond ASCII it is not.
    if (name === 'utf-8' && /[\u0080-\ufffc]/.test(buffer.toString('utf8'))) return stripBom(buffer.toString('utf8'));
    return decode(buffer, 'windows-1252');
  }
  const text = decode(buffer, name);
  // An unknown charset is read as UTF-8.
  const isUnknown = text.includes('\ufffd') && text === decode(buffer, 'utf-8');
  return isUnknown ? decodeCharset(bytes, 'utf-8') : text;
}

/**
 * The text of an HTML document in the charset that its mail names; where that names none, in UTF-8 when the bytes are that, else in
 * the one that the document names in its head.
 */
export function decodeHtmlCharset(bytes: Uint8Array, charset: string | undefined): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isToldByMail = normalizeCharset(charset) !== undefined;
  // ASCII alone may be a charset of escape sequences, such as ISO-2022-JP.
  const isToldByBytes = !isAscii(buffer) && isUtf8WithCut(buffer);
  return decodeCharset(bytes, isToldByMail || isToldByBytes ? charset : findMetaCharset(buffer));
}

/** The charset that an HTML document names in its head. */
function findMetaCharset(buffer: Buffer): string | undefined {
  const head = buffer.toString('latin1', 0, MAX_HEAD_BYTES);
  const name = /<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(head)?.[1];
  // Bytes in which its name can be read are not in UTF-16 (HTML, section 13.2.3.2).
  return name === undefined || /^utf-?16/i.test(name) ? undefined : name;
}

function normalizeCharset(charset: string | undefined): string | undefined {
  const name = charset
    ?.trim()
    .replace(/^["']|["']$/g, '')
    .toLowerCase();
  if (!name || /^(?:us-)?ascii$|^ansi_x3|^(?:x-)?unknown|^default|^(?:7|8)bit$|^iso-10646/.test(name)) return undefined;
  if (/^utf-?8$/.test(name)) return 'utf-8';
  // Those who say Latin 1 mean its superset, as browsers read it.
  if (/^iso[-_]?8859[-_]?1$|^latin-?1$/.test(name)) return 'windows-1252';
  return name;
}

/** True for UTF-8 that has characters beyond ASCII, whose last one may be cut. */
function isUtf8WithCut(buffer: Buffer): boolean {
  if (isUtf8(buffer)) return true;
  for (let cut = 1; cut <= Math.min(MAX_CUT_BYTES, buffer.length); cut++) {
    const lead = buffer[buffer.length - cut]!;
    if (lead >= 0xc2) {
      const whole = buffer.subarray(0, buffer.length - cut);
      return isUtf8(whole) && !isAscii(whole);
    }
    if (lead < 0x80) return false;
  }
  return false;
}

function decode(buffer: Buffer, charset: string): string {
  try {
    return stripBom(charsets.decode(buffer, charset));
  } catch {
    return buffer.toString('latin1');
  }
}

function stripBom(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
