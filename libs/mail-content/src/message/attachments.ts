import libmime from 'libmime';
import { decodeWords } from './headers';
import { MessageError } from './message-error';
import type { MessagePart, PartSource } from './part-source';
import { parseTnef, type TnefContent } from './tnef';
import { decodeTransferEncoding } from './transfer-encoding';

/** Largest winmail.dat that is unpacked, bytes; larger ones stay files. */
const MAX_TNEF_BYTES = 32 * 1024 * 1024;
const MAX_FILENAME_LENGTH = 255;
// eslint-disable-next-line no-control-regex
const UNSAFE_IN_FILENAMES = /[\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A file of a mail, ready to be sent. */
export interface AttachmentContent {
  filename: string;
  type: string;
  /** Bytes without transfer encoding, as they come. */
  content: AsyncIterable<Buffer>;
}

/** Opens the file with that part number or Content-ID. @throws {MessageError} noSuchPart */
export async function openAttachment(
  source: PartSource,
  wanted: { id: string } | { cid: string },
): Promise<AttachmentContent> {
  const part = findPart(source.structure, wanted);
  if (part) {
    return {
      filename: filenameOf(part),
      type: part.type,
      content: decodeTransferEncoding(source.fetchPart(part.id), part.encoding),
    };
  }
  const tnef = 'id' in wanted ? /^(.+)\.([1-9]\d{0,3})$/.exec(wanted.id) : null;
  const holder = tnef ? findPart(source.structure, { id: tnef[1]! }) : undefined;
  const file = holder && isTnef(holder) ? (await readTnef(source, holder))?.files[Number(tnef![2]) - 1] : undefined;
  if (!file) throw new MessageError('noSuchPart');
  return {
    filename: cleanFilename(file.filename) || `part_${'id' in wanted ? wanted.id : ''}.bin`,
    type: file.type ?? libmime.detectMimeType(file.filename),
    content: streamOf(file.content),
  };
}

/** A part by its number or Content-ID; undefined without one. Multiparts are none. */
export function findPart(part: MessagePart, wanted: { id: string } | { cid: string }): MessagePart | undefined {
  const isWanted = 'id' in wanted ? part.id === wanted.id : part.cid === wanted.cid.replace(/^<|>$/g, '');
  if (isWanted && !part.type.startsWith('multipart/')) return part;
  for (const child of part.children) {
    const found = findPart(child, wanted);
    if (found) return found;
  }
  return undefined;
}

/** Name of a part as a file: decoded, without paths and characters that deceive; made up when it has none. */
export function filenameOf(part: MessagePart): string {
  const name = part.filename === undefined ? '' : cleanFilename(decodeWords(part.filename));
  if (name) return name;
  const extension = part.type === 'message/rfc822' ? 'eml' : libmime.detectExtension(part.type);
  return `part_${part.id || '1'}.${extension}`;
}

/** True for parts in Outlook's own format. */
export function isTnef(part: MessagePart): boolean {
  return /^application\/(?:vnd\.)?ms-tnef$/.test(part.type) || /^winmail\.dat$/i.test(part.filename ?? '');
}

/** Unpacks a part in Outlook's own format; undefined when it is too large or none. */
export async function readTnef(source: PartSource, part: MessagePart): Promise<TnefContent | undefined> {
  if (part.size > MAX_TNEF_BYTES * 1.4) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of decodeTransferEncoding(source.fetchPart(part.id), part.encoding)) {
    size += chunk.length;
    if (size > MAX_TNEF_BYTES) return undefined;
    chunks.push(chunk);
  }
  return parseTnef(Buffer.concat(chunks));
}

function cleanFilename(name: string): string {
  const base = name.replace(UNSAFE_IN_FILENAMES, '').split(/[\\/]/).at(-1)!.trim();
  return /^\.{1,2}$/.test(base) ? '' : base.slice(-MAX_FILENAME_LENGTH);
}

async function* streamOf(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
