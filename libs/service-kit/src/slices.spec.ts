import * as fc from 'fast-check';
import { JsonText } from '@groupware/contracts';
import { joinToJson, sortInSlices, TextPieces, toJsonList, toJsonLists } from './slices';

async function parse(json: unknown): Promise<unknown> {
  if (!(json instanceof JsonText)) return json;
  if (typeof json.text === 'string') return JSON.parse(json.text);
  const parts: Uint8Array[] = [];
  for await (const part of json.text as AsyncIterable<Uint8Array>) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

describe('work on long lists', () => {
  it('sorts as the language does, equal elements in their order', async () => {
    const items = fc.array(fc.record({ key: fc.nat(20), value: fc.nat() }), { maxLength: 2_000 });
    const compare = (left: { key: number }, right: { key: number }) => left.key - right.key;
    await fc.assert(
      fc.asyncProperty(items, async (list) => {
        expect(await sortInSlices(list, compare)).toEqual([...list].sort(compare));
      }),
      { numRuns: 50 },
    );
  });

  it('writes lists and objects of lists of any length', async () => {
    for (const length of [0, 1, 256, 257, 5_000]) {
      const list = Array.from({ length }, (_none, index) => [index, 'ä"', null]);
      expect(await parse(toJsonList(list))).toEqual(list);
      expect(await parse(toJsonLists({ a: list, 'b"': [], c: list }))).toEqual({ a: list, 'b"': [], c: list });
    }
  });

  it('joins what was written in pieces of any length', async () => {
    for (const lengths of [[], [0], [1, 0, 2], [20_000, 1, 20_000], [0, 70_000]]) {
      const lists = lengths.map((length) => Array.from({ length }, (_none, index) => `ä😀${index}`));
      const items = lists.map((list) => {
        const item = new TextPieces();
        item.add('[');
        for (const [index, text] of list.entries()) item.add(`${index === 0 ? '' : ','}${JSON.stringify(text)}`);
        item.add(']');
        return item;
      });
      expect(await parse(joinToJson(items))).toEqual(lists);
    }
  });

  it('lets others have their turn', async () => {
    const list = Array.from({ length: 60_000 }, (_none, index) => `folder ${(index * 7919) % 60_000}`);
    const { compare } = new Intl.Collator();
    // Of processor time: what else the machine does is no hold.
    const usedMs = () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    };
    let longest = 0;
    let last = usedMs();
    const timer = setInterval(() => {
      longest = Math.max(longest, usedMs() - last);
      last = usedMs();
    }, 1);
    const sorted = await sortInSlices(list, compare);
    await parse(toJsonList(sorted));
    clearInterval(timer);
    expect(sorted[0]).toBe('folder 0');
    expect(longest).toBeLessThan(100);
  });
});
