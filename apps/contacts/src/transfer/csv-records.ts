import { isUtf8 } from 'node:buffer';
import { Readable, pipeline } from 'node:stream';
import { TextDecoder } from 'node:util';
import { isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { parse } from 'csv-parse';

/** Longest row in characters: a file without line breaks must not fill the memory. */
const MAX_ROW_CHARACTERS = 1_000_000;
/** Bytes by whose look the charset is found out. */
const HEAD_BYTES = 1_048_576;
/** Most rows that are told as not readable. */
const MAX_FAILED = 1_000;
/** Bytes parsed at once. */
const SLICE_BYTES = 16_384;

/** A row of a file: its cells, or why it could not be read. */
export interface CsvRecord {
  readonly cells: readonly string[];
  /** Line on which it ends, from 1. */
  readonly line: number;
  /** English, technical. */
  readonly error?: string;
}

/**
 * Reads the rows of a CSV file. The delimiter is the most frequent of comma, semicolon and tab in the first line; without a charset
 * the file is UTF-8 (or UTF-16 with a byte order mark), else windows-1252. Rows that cannot be read come last.
 */
export async function* readCsvRecords(
  source: AsyncIterable<Uint8Array>,
  charset: string | undefined,
): AsyncGenerator<CsvRecord> {
  const chunks = source[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let size = 0;
  let isEnded = false;
  while (size < HEAD_BYTES && !isEnded) {
    const { done, value } = await chunks.next();
    if (done) isEnded = true;
    else {
      head.push(value);
      size += value.length;
    }
  }
  const start = Buffer.concat(head);
  const decoder = new TextDecoder(charset ?? detectCharset(start, isEnded));
  const delimiter = detectDelimiter(new TextDecoder(decoder.encoding).decode(start.subarray(0, 65_536)));
  const texts = async function* (): AsyncGenerator<string> {
    yield* decodeSlices(start, decoder);
    while (!isEnded) {
      const { done, value } = await chunks.next();
      if (done) isEnded = true;
      else yield* decodeSlices(value, decoder);
    }
    yield decoder.decode();
  };
  const failed: CsvRecord[] = [];
  const parser = parse({
    delimiter,
    info: true,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_CHARACTERS,
    skip_records_with_error: true,
    on_skip: (error) => {
      const { lines } = (error ?? {}) as { readonly lines?: number };
      if (error && failed.length < MAX_FAILED)
        failed.push({ cells: [], line: lines ?? 0, error: error.message.slice(0, 200) });
      return undefined;
    },
  });
  // Failures come out of the parser, which is read below.
  pipeline(Readable.from(texts()), parser, () => undefined);
  for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>)
    yield { cells: record, line: info.lines };
  yield* failed;
}

async function* decodeSlices(bytes: Uint8Array, decoder: TextDecoder): AsyncGenerator<string> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (isTurnOver()) await yieldToEventLoop();
    const text = decoder.decode(bytes.subarray(at, at + SLICE_BYTES), { stream: true });
    if (text !== '') yield text;
  }
}

function detectCharset(head: Buffer, isWhole: boolean): string {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  // The last character may be cut.
  let end = head.length;
  if (!isWhole) while (end > 0 && head.length - end < 4 && head[end - 1]! >= 0x80) end -= 1;
  return isUtf8(head.subarray(0, end)) ? 'utf-8' : 'windows-1252';
}

function detectDelimiter(text: string): string {
  const [title = ''] = text.split(/[\r\n]/, 1);
  const count = (delimiter: string): number => title.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best));
}
