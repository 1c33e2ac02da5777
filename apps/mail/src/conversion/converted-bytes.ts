import { ConversionErrors } from '@groupware/contracts';

/** All bytes of a stream. @throws CNV-0007 for more than are converted */
export async function gatherBytes(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > maxBytes) throw ConversionErrors.tooLarge(maxBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
