import { Readable, pipeline, type Transform } from 'node:stream';
import * as libbase64 from 'libbase64';
import * as libqp from 'libqp';

/** The bytes of a part without their transfer encoding, as they come. What is no base64 or quoted-printable is left out or kept as it is. */
export function decodeTransferEncoding(source: AsyncIterable<Buffer>, encoding: string): AsyncIterable<Buffer> {
  const decoder = createDecoder(encoding);
  if (!decoder) return source;
  // A failure of the source ends the decoder, whose reader gets it; a reader that stops ends the source.
  pipeline(Readable.from(source), decoder, () => undefined);
  return decoder;
}

function createDecoder(encoding: string): Transform | undefined {
  if (encoding === 'base64') return new libbase64.Decoder();
  if (encoding === 'quoted-printable') return new libqp.Decoder();
  return undefined;
}

/** Bytes that so many encoded ones hold, about: lines of base64 carry 57 bytes in 78. */
export function estimateDecodedSize(encodedBytes: number, encoding: string): number {
  return encoding === 'base64' ? Math.floor((encodedBytes * 57) / 78) : encodedBytes;
}

/** Encoded bytes that are enough for so many decoded ones. */
export function encodedLimit(decodedBytes: number, encoding: string): number {
  if (encoding === 'base64') return Math.ceil((decodedBytes * 78) / 57) + 100;
  return encoding === 'quoted-printable' ? decodedBytes * 3 : decodedBytes;
}
