import { ProvisioningErrors } from '@groupware/contracts';
import { isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { parse } from 'csv-parse';
import { CSV_FIELDS, normalizeTitle, type FieldMapping, type ImportRow } from './import-fields';

/** Longest row in characters: a file without line breaks must not fill the memory. */
const MAX_ROW_CHARACTERS = 1_000_000;

/** Bytes parsed at once. */
const CHUNK_BYTES = 8_192;

/** Resolves the field of each column; a mapped column takes precedence over others of the same field. */
function resolveFields(titles: readonly string[], mapping: FieldMapping): (string | undefined)[] {
  const keys = titles.map(normalizeTitle);
  const chosen = keys.map((key) => (Object.hasOwn(mapping, key) ? mapping[key] : undefined));
  return keys.map((key, index) => {
    if (chosen[index] !== undefined) return chosen[index] ?? undefined;
    const field = Object.hasOwn(CSV_FIELDS, key) ? CSV_FIELDS[key] : undefined;
    return chosen.includes(field) ? undefined : field;
  });
}

/**
 * Reads CSV as a stream: header row, separator `,` `;` or tab, UTF-8 with or without byte order mark. Columns with
 * unknown titles are left out.
 * @param mapping fields by title, before the built-in table
 * @throws PROV-0016 for malformed files
 */
export async function* parseCsvRows(
  bytes: AsyncIterable<Uint8Array>,
  mapping: FieldMapping = {},
): AsyncGenerator<ImportRow> {
  let fields: (string | undefined)[] | undefined;
  let row = 0;
  try {
    for await (const cells of parseRecords(bytes)) {
      row++;
      if (isTurnOver()) await yieldToEventLoop();
      if (!fields) {
        fields = resolveFields(cells, mapping);
        if (!fields.some(Boolean)) throw ProvisioningErrors.unreadableImport('the first row names no known field');
        continue;
      }
      const values: Record<string, string> = {};
      fields.forEach((field, index) => {
        const cell = cells[index]?.trim();
        if (field && cell) values[field] = cell;
      });
      if (Object.keys(values).length > 0) yield { row, values };
    }
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('CSV_'))
      throw ProvisioningErrors.unreadableImport(`row ${row + 1}: ${(error as Error).message}`);
    throw error;
  }
  if (!fields) throw ProvisioningErrors.unreadableImport('the file is empty');
}

async function* parseRecords(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const chunks = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let ended = false;
  // The header row determines the separator; quoted line breaks in titles are not supported.
  while (!ended && !head.includes(0x0a) && head.length < MAX_ROW_CHARACTERS) {
    const next = await chunks.next();
    if (next.done) ended = true;
    else head = Buffer.concat([head, next.value]);
  }
  const title = head.toString('utf8').split('\n', 1)[0]!;
  const delimiter = [';', '\t', ','].reduce(
    (best, each) => (countCharacter(title, each) > countCharacter(title, best) ? each : best),
    ',',
  );
  const stream = parse({
    delimiter,
    record_delimiter: findLineEnd(head),
    bom: true,
    relax_column_count: true,
    skip_empty_lines: false,
    max_record_size: MAX_ROW_CHARACTERS,
  });
  const feed = async (): Promise<void> => {
    try {
      await writeChunks(stream, head);
      while (!ended) {
        const next = await chunks.next();
        if (next.done) ended = true;
        else await writeChunks(stream, next.value);
      }
      stream.end();
    } catch (error) {
      stream.destroy(error as Error);
    }
  };
  void feed();
  try {
    for await (const cells of stream) yield cells as string[];
  } finally {
    stream.destroy();
    await chunks.return?.(undefined);
  }
}

/** The line end of the header row. The parser would look for it with each byte, at the cost of two copies. */
const findLineEnd = (head: Buffer): string => /\r\n|\n|\r/.exec(head.toString('latin1'))?.[0] ?? '\n';

const countCharacter = (text: string, character: string): number => text.split(character).length - 1;

async function writeChunks(stream: Parameters<typeof writeChunk>[0], bytes: Uint8Array): Promise<void> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    if (isTurnOver()) await yieldToEventLoop();
    await writeChunk(stream, bytes.subarray(start, start + CHUNK_BYTES));
  }
}

function writeChunk(stream: NodeJS.WritableStream & { destroyed: boolean }, bytes: Uint8Array): Promise<void> {
  return new Promise((done, failed) => {
    if (stream.destroyed) return done();
    stream.once('error', failed);
    const finish = (): void => {
      stream.removeListener('error', failed);
      done();
    };
    if (bytes.length === 0 || stream.write(bytes)) finish();
    else {
      stream.once('drain', finish);
      stream.once('close', finish);
    }
  });
}
