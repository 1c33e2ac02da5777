import type { ImportedItem } from '@groupware/contracts';
import { ImportResults } from './import-results';

const item = (id: number): ImportedItem => ({ id: String(id), folder_id: '7', last_modified: id });

async function readItems(results: ImportResults): Promise<unknown> {
  const { text } = results.toJson();
  if (typeof text === 'string') return JSON.parse(text);
  const pieces: Uint8Array[] = [];
  for await (const piece of text as AsyncIterable<Uint8Array>) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString());
}

describe('results of an import', () => {
  it('are answered in the order of the file, whenever they came', async () => {
    const results = new ImportResults();
    results.set(1, item(1));
    results.set(0, item(0));
    results.set(4, item(4));
    results.set(3, item(3));
    results.set(2, item(2));
    // An entry has none.
    results.set(7, item(7));
    expect(await readItems(results)).toEqual([0, 1, 2, 3, 4, 7].map(item));
  });

  it('may be many, or none', async () => {
    const results = new ImportResults();
    const all = Array.from({ length: 20_000 }, (_none, index) => item(index));
    for (const each of all) results.set(Number(each.id), each);
    expect(await readItems(results)).toEqual(all);
    expect(await readItems(new ImportResults())).toEqual([]);
  });
});
