import { decodeCharset } from '../text/charset';

/** A file that a text holds in the lines that `uuencode` writes (POSIX.1-2017, uuencode, "uuencode Historical Algorithm"). */
export interface UuencodedBlock {
  /** Name as the text has it: decoded, not made safe. */
  filename: string;
  /** Bytes of the file. */
  size: number;
  /** Bytes of the text from the line `begin` to the end of the line `end`. */
  start: number;
  end: number;
  /** Begin of the first line with content. */
  contentStart: number;
}

/** A line of a text without its end, and where the next one begins. */
interface Line {
  start: number;
  end: number;
  next: number;
}

/** So many files of one text are taken out; further ones stay text. */
export const MAX_UUENCODED = 500;
const BEGIN = 'begin ';
const BEGIN_LINE = /^begin [0-7]{3,4} +(\S[^\n]{0,299})$/;
const MAX_BEGIN_LENGTH = 320;
/** Bytes that may follow the content of a line: a checksum, blanks. */
const MAX_TRAILING = 2;
/** Bytes of a file that are decoded at once. */
const PIECE_BYTES = 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Finds the files of a text. What is not whole, or has a line that is none of theirs, stays text. Reads each line once.
 * @param isCut the text goes on: a file may end where it was cut
 */
export function findUuencoded(text: Buffer, charset?: string, most = MAX_UUENCODED, isCut = false): UuencodedBlock[] {
  const blocks: UuencodedBlock[] = [];
  for (let at = text.indexOf(BEGIN); at >= 0 && blocks.length < most;) {
    const block = at === 0 || text[at - 1] === LF ? readBlock(text, at, charset, isCut) : undefined;
    if (block) blocks.push(block);
    at = text.indexOf(BEGIN, block?.end ?? at + BEGIN.length);
  }
  return blocks;
}

/** The text without its files. */
export function cutUuencoded(text: Buffer, blocks: readonly UuencodedBlock[]): Buffer {
  const ends = [0, ...blocks.map(({ end }) => end)];
  return Buffer.concat(ends.map((end, at) => text.subarray(end, blocks[at]?.start)));
}

/** The bytes of a file of a text, in pieces. */
export function* decodeUuencoded(text: Buffer, { contentStart, size }: UuencodedBlock): Generator<Buffer> {
  let piece = Buffer.alloc(Math.min(size, PIECE_BYTES));
  let written = 0;
  let left = size;
  for (let line = readLine(text, contentStart); left > 0; line = readLine(text, line.next)) {
    const length = Math.min(left, valueAt(text, line.start, line.end));
    if (written + length > piece.length) {
      yield piece.subarray(0, written);
      piece = Buffer.alloc(Math.min(left, PIECE_BYTES));
      written = 0;
    }
    const end = written + length;
    left -= length;
    for (let at = line.start + 1; written < end; at += 4) {
      const group =
        (valueAt(text, at, line.end) << 18) |
        (valueAt(text, at + 1, line.end) << 12) |
        (valueAt(text, at + 2, line.end) << 6) |
        valueAt(text, at + 3, line.end);
      for (let shift = 16; shift >= 0 && written < end; shift -= 8) piece[written++] = (group >> shift) & 0xff;
    }
  }
  if (written > 0) yield piece.subarray(0, written);
}

/** The file whose line `begin` stands there. */
function readBlock(
  text: Buffer,
  start: number,
  charset: string | undefined,
  isCut: boolean,
): UuencodedBlock | undefined {
  const begin = readLine(text, start);
  if (begin.end - start > MAX_BEGIN_LENGTH) return undefined;
  const name = BEGIN_LINE.exec(text.toString('latin1', start, begin.end).trimEnd())?.[1];
  if (name === undefined) return undefined;
  let size = 0;
  let isOver = false;
  const endAt = (end: number): UuencodedBlock => {
    const filename = decodeCharset(Buffer.from(name, 'latin1'), charset);
    return { filename, size, start, end, contentStart: begin.next };
  };
  for (let at = begin.next; at < text.length;) {
    const line = readLine(text, at);
    if (isEnd(text, line)) return endAt(line.next);
    if (isCut && text[line.next - 1] !== LF) return endAt(line.next);
    const length: number | undefined = isOver ? undefined : measureLine(text, line);
    if (length === undefined) return undefined;
    isOver = length === 0;
    size += length;
    at = line.next;
  }
  return isCut ? endAt(text.length) : undefined;
}

/** Bytes that a line of a file holds; undefined when it is none. */
function measureLine(text: Buffer, { start, end }: Line): number | undefined {
  if (start === end) return 0;
  const length = end - start - 1;
  const bytes = isCharacter(text[start]!) ? valueAt(text, start, end) : undefined;
  // The last group need not be padded.
  if (bytes === undefined || length < Math.ceil((bytes * 4) / 3)) return undefined;
  const characters = Math.min(length, Math.ceil(bytes / 3) * 4);
  if (length > characters + MAX_TRAILING) return undefined;
  for (let at = start + 1; at <= start + characters; at++) if (!isCharacter(text[at]!)) return undefined;
  return bytes;
}

const isCharacter = (byte: number): boolean => byte >= 0x20 && byte <= 0x60;

/** Six bits: a space or a back quote is 0, as what is missing. */
const valueAt = (text: Buffer, at: number, end: number): number => (at < end ? (text[at]! - 0x20) & 0x3f : 0);

const isEnd = (text: Buffer, { start, end }: Line): boolean =>
  end - start <= 3 + MAX_TRAILING && text.toString('latin1', start, end).trimEnd() === 'end';

function readLine(text: Buffer, start: number): Line {
  const found = text.indexOf(LF, start);
  const next = found < 0 ? text.length : found + 1;
  const last = found < 0 ? text.length : found;
  return { start, end: last > start && text[last - 1] === CR ? last - 1 : last, next };
}
