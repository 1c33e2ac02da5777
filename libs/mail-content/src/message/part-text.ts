import { decodeCharset, decodeHtmlCharset } from '../text/charset';
import type { MessagePart } from './part-source';
import { decodeTransferEncoding } from './transfer-encoding';

/** Decodes the text of a part, with the markup it has, by its first bytes as they were sent. */
export async function decodePartText({ type, encoding, parameters }: MessagePart, begin: Buffer): Promise<string> {
  const bytes = await decodePartBegin(encoding, begin);
  const decode = type === 'text/html' ? decodeHtmlCharset : decodeCharset;
  return decode(bytes, parameters['charset']);
}

/** The first bytes of a part without its transfer encoding. */
export async function decodePartBegin(encoding: string, begin: Buffer): Promise<Buffer> {
  const decoded: Buffer[] = [];
  for await (const chunk of decodeTransferEncoding(once(begin), encoding)) decoded.push(chunk);
  return Buffer.concat(decoded);
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
