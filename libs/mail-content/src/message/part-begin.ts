import type { MessagePart, PartSource } from './part-source';
import { decodeTransferEncoding, encodedLimit } from './transfer-encoding';

/** The first bytes of a part, without its transfer encoding. */
export interface PartBegin {
  bytes: Buffer;
  /** The part has more. */
  isCut: boolean;
}

/** Reads so many bytes of a part at most. */
export async function readPartBegin(source: PartSource, part: MessagePart, maxBytes: number): Promise<PartBegin> {
  const limit = encodedLimit(maxBytes, part.encoding);
  const encoded = source.fetchPart(part.id, part.size > limit ? limit : undefined);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of decodeTransferEncoding(encoded, part.encoding)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: part.size > limit || size > maxBytes };
}
