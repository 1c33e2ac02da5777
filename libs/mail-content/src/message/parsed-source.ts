import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Splitter, type MimeNode, type SplitterChunk } from '@zone-eu/mailsplit';
import libmime from 'libmime';
import { MessageError } from './message-error';
import {
  fromBodyStructure,
  isEncodedMessage,
  type BodyStructure,
  type MessagePart,
  type PartSource,
} from './part-source';

/** Largest mail parsed in memory, bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_HEAD_BYTES = 256 * 1024;

/** Mails within mails parsed; deeper ones are files. */
const MAX_NESTING = 20;

/** A node of the parser with what was read of it. */
interface ParsedNode {
  node: MimeNode;
  header: Buffer;
  body: Buffer;
  children: ParsedNode[];
}

/**
 * Parses a mail in memory into its parts.
 * @param within number of the part that the mail is in
 * @throws {MessageError} when it is no mail, too large or of too many parts
 */
export async function parseMessage(message: Buffer, within = ''): Promise<PartSource> {
  if (message.length > MAX_BYTES) throw new MessageError('tooLarge');
  const root = await split(message, 0);
  const headers = new Map<string, Buffer>([[within, root.header]]);
  const bodies = new Map<string, Buffer>();
  const structure = fromBodyStructure(toBodyStructure(root), within);
  collectParts(structure, root, headers, bodies);
  return {
    structure,
    fetchHeader: (id = within) => Promise.resolve(headers.get(id) ?? Buffer.alloc(0)),

    fetchPart: async function* (id, maxBytes = Infinity, start = 0) {
      const body = bodies.get(id) ?? Buffer.alloc(0);
      yield body.subarray(start, start + maxBytes);
    },
  };
}

async function split(message: Buffer, depth: number): Promise<ParsedNode> {
  const nodes = new Map<MimeNode, ParsedNode & { chunks: Buffer[] }>();
  const splitter = new Splitter({ maxHeadSize: MAX_HEAD_BYTES, ignoreEmbedded: true });
  const read = async (chunks: AsyncIterable<SplitterChunk>) => {
    for await (const chunk of chunks) {
      if (chunk.type === 'node')
        nodes.set(chunk, { node: chunk, header: chunk.getHeaders(), body: message, children: [], chunks: [] });
      else if (chunk.value) nodes.get(chunk.node)?.chunks.push(chunk.value);
    }
  };
  try {
    await pipeline(Readable.from([message]), splitter, read);
  } catch (error) {
    throw new MessageError('unreadable', error instanceof Error ? error.message : '');
  }
  let root: ParsedNode | undefined;
  for (const parsed of nodes.values()) {
    const { node } = parsed;
    parsed.body = Buffer.concat(parsed.chunks);
    root ??= parsed;
    if (node.parentNode) nodes.get(node.parentNode)?.children.push(parsed);
    const type = node.contentType || '';
    const isMessage = type === 'message/rfc822' && !isEncodedMessage({ type, encoding: node.encoding || '' });
    if (isMessage && depth < MAX_NESTING) parsed.children.push(await split(parsed.body, depth + 1));
  }
  if (!root) throw new MessageError('unreadable');
  return root;
}

function toBodyStructure(parsed: ParsedNode): BodyStructure {
  const { node } = parsed;
  const contentType = node.headers ? node.headers.getFirst('content-type') : '';
  const cid = node.headers ? node.headers.getFirst('content-id') : '';
  // Without a boundary that is there, it is one text.
  const isWhole = parsed.children.length === 0 && /^multipart\//.test(node.contentType || '');
  return {
    type: isWhole ? 'text/plain' : node.contentType || 'text/plain',
    parameters: {
      ...(contentType ? libmime.parseHeaderValue(contentType).params : {}),
      ...(node.filename ? { name: node.filename } : {}),
    },
    ...(cid ? { id: cid } : {}),
    encoding: node.encoding || '7bit',
    size: parsed.body.length,
    ...(node.disposition ? { disposition: node.disposition } : {}),
    ...(parsed.children.length > 0 ? { childNodes: parsed.children.map(toBodyStructure) } : {}),
  };
}

function collectParts(
  part: MessagePart,
  parsed: ParsedNode,
  headers: Map<string, Buffer>,
  bodies: Map<string, Buffer>,
): void {
  if (!part.type.startsWith('multipart/')) bodies.set(part.id, parsed.body);
  part.children.forEach((child, at) => {
    const node = parsed.children[at];
    if (!node) return;
    if (part.type === 'message/rfc822') headers.set(part.id, node.header);
    collectParts(child, node, headers, bodies);
  });
}
