import { MessageError } from './message-error';
import { parseMessage } from './parsed-source';
import { readPartBegin } from './part-begin';
import { isEncodedMessage, type MessagePart, type PartSource } from './part-source';
import { encodedLimit } from './transfer-encoding';

/** Encoded mails of one mail that are read, and their bytes together; further ones stay files. */
const MAX_MESSAGES = 10;
const MAX_BYTES = 8 * 1024 * 1024;

/** A source whose encoded mails within the mail have parts, too: servers do not read what is in them. */
export async function openEncodedMessages(source: PartSource): Promise<PartSource> {
  const opened = new Map<string, PartSource>();
  let left = MAX_BYTES;
  for (const part of listEncoded(source.structure).slice(0, MAX_MESSAGES)) {
    if (part.size > encodedLimit(left, part.encoding)) continue;
    const { bytes, isCut } = await readPartBegin(source, part, left);
    left -= bytes.length;
    const message = isCut ? undefined : await tryParse(bytes, part.id);
    if (message) opened.set(part.id, message);
  }
  if (opened.size === 0) return source;
  const insert = (part: MessagePart): MessagePart => {
    const message = opened.get(part.id);
    const isOpened = message !== undefined && isEncodedMessage(part);
    return { ...part, children: isOpened ? [message.structure] : part.children.map(insert) };
  };
  const sourceOf = (id: string, isHeader: boolean): PartSource => {
    for (const [within, message] of opened)
      if (id.startsWith(`${within}.`) || (isHeader && id === within)) return message;
    return source;
  };
  return {
    structure: insert(source.structure),
    fetchHeader: (id = '') => sourceOf(id, true).fetchHeader(id),
    fetchPart: (id, maxBytes, start) => sourceOf(id, false).fetchPart(id, maxBytes, start),
  };
}

const listEncoded = (part: MessagePart): MessagePart[] =>
  isEncodedMessage(part) ? [part] : part.children.flatMap(listEncoded);

/** The parts of a mail; undefined where it is none. */
async function tryParse(bytes: Buffer, within: string): Promise<PartSource | undefined> {
  try {
    return await parseMessage(bytes, within);
  } catch (error) {
    if (error instanceof MessageError) return undefined;
    throw error;
  }
}
