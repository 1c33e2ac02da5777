import { ProvisioningErrors } from '@groupware/contracts';
import { isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { parse } from 'csv-parse';
import { CSV_FIELDS, titleKey, type FieldMapping, type ImportRow } from './import-fields';

/** Longest row in characters: a file without line breaks must not fill the memory. */
const MAX_ROW_CHARACTERS = 1_000_000;

/** Bytes that are parsed at once. */
const PIECE_BYTES = 16_384;

/** The field of each column. One that the mapping names leaves no room for another column of the same field. */
function fieldsOf(titles: readonly string[], mapping: FieldMapping): (string | undefined)[] {
  const keys = titles.map(titleKey);
  const chosen = keys.map((key) => (Object.hasOwn(mapping, key) ? mapping[key] : undefined));
  return keys.map((key, index) => {
    if (chosen[index] !== undefined) return chosen[index] ?? undefined;
    const field = Object.hasOwn(CSV_FIELDS, key) ? CSV_FIELDS[key] : undefined;
    return chosen.includes(field) ? undefined : field;
  });
}

/**
 * Reads CSV as a stream: header row, separator `,` `;` or tab, UTF-8 with or without byte order mark. Columns with unknown
 * titles are left out.
 * @param mapping what titles stand for where the table here is not asked
 * @throws PROV-0016 for a file that cannot be read so
 */
export async function* csvRows(
  bytes: AsyncIterable<Uint8Array>,
  mapping: FieldMapping = {},
): AsyncGenerator<ImportRow> {
  let fields: (string | undefined)[] | undefined;
  let row = 0;
  try {
    for await (const cells of parser(bytes)) {
      row++;
      if (isTurnOver()) await yieldToEventLoop();
      if (!fields) {
        fields = fieldsOf(cells, mapping);
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

async function* parser(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const chunks = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let ended = false;
  // The separator shows in the header row; quoted line breaks in titles are not expected.
  while (!ended && !head.includes(0x0a) && head.length < MAX_ROW_CHARACTERS) {
    const next = await chunks.next();
    if (next.done) ended = true;
    else head = Buffer.concat([head, next.value]);
  }
  const title = head.toString('utf8').split('\n', 1)[0]!;
  const delimiter = [';', '\t', ','].reduce(
    (best, each) => (count(title, each) > count(title, best) ? each : best),
    ',',
  );
  const stream = parse({
    delimiter,
    bom: true,
    relax_column_count: true,
    skip_empty_lines: false,
    max_record_size: MAX_ROW_CHARACTERS,
  });
  const feed = async (): Promise<void> => {
    try {
      await writePieces(stream, head);
      while (!ended) {
        const next = await chunks.next();
        if (next.done) ended = true;
        else await writePieces(stream, next.value);
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

const count = (text: string, character: string): number => text.split(character).length - 1;

async function writePieces(stream: Parameters<typeof write>[0], bytes: Uint8Array): Promise<void> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    if (isTurnOver()) await yieldToEventLoop();
    await write(stream, bytes.subarray(start, start + PIECE_BYTES));
  }
}

function write(stream: NodeJS.WritableStream & { destroyed: boolean }, bytes: Uint8Array): Promise<void> {
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
