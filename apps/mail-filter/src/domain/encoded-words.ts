/** Most octets of one word: with its frame it stays below 75 characters (RFC 2047, section 2). */
const WORD_OCTETS = 45;

/** A text as encoded words, where it is not ASCII (RFC 2047). */
export function encodeWords(text: string): string {
  if (/^[\u0020-\u007e]*$/.test(text) && !text.includes('=?')) return text;
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (Buffer.byteLength(word + character) > WORD_OCTETS) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  words.push(word);
  return words.map((each) => `=?UTF-8?B?${Buffer.from(each).toString('base64')}?=`).join(' ');
}

/** Decodes encoded words; anything else stays. */
export function decodeWords(text: string): string {
  return text
    .replace(/(=\?[^?\s]+\?[bq]\?[^?\s]*\?=)\s+(?==\?[^?\s]+\?[bq]\?[^?\s]*\?=)/gi, '$1')
    .replace(
      /(?:=\?(?:utf-8|us-ascii)\?b\?[^?\s]*\?=)+|=\?(?:utf-8|us-ascii)\?q\?([^?\s]*)\?=/gi,
      (words, quoted?: string) => (quoted === undefined ? decodeBase64(words) : decodeQuoted(quoted)),
    );
}

const decodeBase64 = (words: string): string =>
  Buffer.concat([...words.matchAll(/\?b\?([^?]*)\?=/gi)].map(([, part]) => Buffer.from(part!, 'base64'))).toString();

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text.replaceAll('_', ' ').replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString();
