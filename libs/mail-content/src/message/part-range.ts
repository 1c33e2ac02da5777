import type { MessagePart, PartSource } from './part-source';
import { decodeTransferEncoding } from './transfer-encoding';

/** Layout of a part, needed to read some bytes of its content. */
export interface PartLayout {
  /** Bytes of the content, without transfer encoding. */
  readonly sizeBytes: number;
  /** Characters of each line of base64, where all but the last have the same number: then any place can be found. */
  readonly lineCharacters?: number;
}

/** Ends of lines are CRLF in what servers answer (RFC 3501, section 2.2). */
const LINE_END_BYTES = 2;
const LF = 0x0a;
const PADDING = 0x3d;

/** Measures a part. One with a transfer encoding is read for that. */
export async function measurePart(source: PartSource, part: MessagePart): Promise<PartLayout> {
  if (isPlain(part)) return { sizeBytes: part.size };
  const lines = new LineMeter();
  let sizeBytes = 0;
  for await (const chunk of decodeTransferEncoding(lines.meter(source.fetchPart(part.id)), part.encoding))
    sizeBytes += chunk.length;
  const lineCharacters = part.encoding === 'base64' ? lines.findLineCharacters(sizeBytes) : undefined;
  return { sizeBytes, ...(lineCharacters === undefined ? {} : { lineCharacters }) };
}

/** Reads some bytes of the content of a part, both bounds included; where the layout allows it, no others. */
export function readPartRange(
  source: PartSource,
  part: MessagePart,
  { lineCharacters }: PartLayout,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncIterable<Buffer> {
  const length = end - start + 1;
  if (isPlain(part)) return slice(source.fetchPart(part.id, length, start), 0, length);
  if (lineCharacters === undefined)
    return slice(decodeTransferEncoding(source.fetchPart(part.id), part.encoding), start, length);
  const lineBytes = (lineCharacters / 4) * 3;
  const step = lineCharacters + LINE_END_BYTES;
  const firstLine = Math.floor(start / lineBytes);
  const lines = Math.floor(end / lineBytes) - firstLine + 1;
  const encoded = source.fetchPart(part.id, lines * step, firstLine * step);
  return slice(decodeTransferEncoding(encoded, part.encoding), start - firstLine * lineBytes, length);
}

const isPlain = ({ encoding }: MessagePart): boolean => encoding !== 'base64' && encoding !== 'quoted-printable';

async function* slice(source: AsyncIterable<Buffer>, start: number, length: number): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of source) {
    const from = Math.max(start - at, 0);
    const to = Math.min(start + length - at, chunk.length);
    if (from < to) yield chunk.subarray(from, to);
    at += chunk.length;
    if (at >= start + length) return;
  }
}

/** Finds out whether all lines of a part have the same length. */
class LineMeter {
  private lineCharacters: number | undefined;
  private isRegular = true;
  /** A line that is shorter, or padded: only the last one may be. */
  private isOver = false;
  private open = 0;
  private isPadded = false;

  async *meter(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      if (this.isRegular) this.take(chunk);
      yield chunk;
    }
  }

  /** @param sizeBytes bytes that were decoded: as many as the lines promise, or something in them was no base64 */
  findLineCharacters(sizeBytes: number): number | undefined {
    this.endLine();
    const { lineCharacters = 0 } = this;
    const isWhole =
      lineCharacters > 0 && lineCharacters % 4 === 0 && sizeBytes > this.fullLines * lineCharacters * 0.75 - 3;
    return this.isRegular && isWhole && sizeBytes <= (this.fullLines + 1) * lineCharacters * 0.75
      ? lineCharacters
      : undefined;
  }

  private fullLines = 0;

  private take(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(LF, at);
      const stop = end < 0 ? chunk.length : end;
      this.open += stop - at;
      if (stop > at && chunk.subarray(Math.max(at, stop - 3), stop).includes(PADDING)) this.isPadded = true;
      if (end < 0) return;
      // The CR before it is no character of the line.
      this.open -= 1;
      this.endLine();
      at = end + 1;
    }
  }

  private endLine(): void {
    const length = this.open;
    this.open = 0;
    if (length <= 0) {
      this.isOver ||= this.fullLines > 0;
      return;
    }
    if (this.isOver) this.isRegular = false;
    this.lineCharacters ??= length;
    if (length > this.lineCharacters) this.isRegular = false;
    if (length < this.lineCharacters || this.isPadded) this.isOver = true;
    else this.fullLines += 1;
  }
}
