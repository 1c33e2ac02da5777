import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { filenameOf } from './filename';
import { readInnerFiles } from './inner-files';
import { MessageError } from './message-error';
import type { MessagePart, PartSource } from './part-source';
import { decodeTransferEncoding } from './transfer-encoding';

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
  const inner = 'id' in wanted ? /^(.+)\.[1-9]\d{0,3}$/.exec(wanted.id) : null;
  const holder = inner ? findPart(source.structure, { id: inner[1]! }) : undefined;
  const file = holder && (await readInnerFiles(source, holder)).find(({ id }) => id === inner![0]);
  if (!file) throw new MessageError('noSuchPart');
  return { filename: file.filename, type: file.type, content: streamOf(file.read()) };
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

/** Pieces, between which others have their turn. */
async function* streamOf(pieces: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    yield piece;
    await yieldToOthers();
  }
}
