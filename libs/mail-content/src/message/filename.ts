import libmime from 'libmime';
import { decodeWords, MailHeaders } from './headers';
import type { MessagePart } from './part-source';

const MAX_FILENAME_LENGTH = 255;
// eslint-disable-next-line no-control-regex
const UNSAFE_IN_FILENAMES = /[\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Name of a part as a file: decoded, without paths and characters that deceive; made up when it has none. */
export function filenameOf(part: Pick<MessagePart, 'id' | 'type' | 'filename'>): string {
  const name = part.filename === undefined ? '' : cleanFilename(decodeWords(part.filename));
  return name || makeFilename(part);
}

/**
 * The name in the header of a part up to the next semicolon, where it has no quotes although it should, and a server told no more
 * than its first word; undefined where that is the whole name.
 */
export function findUnquotedName(header: Buffer, told: string): string | undefined {
  const headers = new MailHeaders(header);
  const named = [
    libmime.parseHeaderValue(headers.getRaw('content-disposition')).params['filename'],
    libmime.parseHeaderValue(headers.getRaw('content-type')).params['name'],
  ];
  return named.find((name) => name?.startsWith(`${told} `));
}

/** Name of a part by its number, which no other part of the mail has. */
export function makeFilename(part: Pick<MessagePart, 'id' | 'type'>): string {
  const extension = part.type === 'message/rfc822' ? 'eml' : libmime.detectExtension(part.type);
  return `part_${part.id || '1'}.${extension}`;
}

function cleanFilename(name: string): string {
  const base = name.replace(UNSAFE_IN_FILENAMES, '').split(/[\\/]/).at(-1)!.trim();
  return /^\.{1,2}$/.test(base) ? '' : base.slice(-MAX_FILENAME_LENGTH);
}
