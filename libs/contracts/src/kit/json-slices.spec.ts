import fc from 'fast-check';
import { JsonLimitExceeded, parseJsonInSlices, type JsonLimits } from './json-slices';

const WIDE: JsonLimits = { depth: 1_000, values: 1_000_000, members: 1_000_000 };
const parse = (text: string, sliceBytes = 1, limits: Partial<JsonLimits> = {}) =>
  parseJsonInSlices(Buffer.from(text), { limits: { ...WIDE, ...limits }, sliceBytes, pause: () => undefined });

/** Verdict of a parser on a text: the value, or that there is none. */
async function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    return { value: await work() };
  } catch (error) {
    return (error as Error).name;
  }
}
const sameAsInOneGo = async (text: string, sliceBytes: number): Promise<void> =>
  expect(await outcomeOf(() => parse(text, sliceBytes))).toStrictEqual(await outcomeOf(() => JSON.parse(text)));

describe('parseJsonInSlices', () => {
  it('reads what JSON.parse reads, wherever the slices end', async () => {
    const spaces = fc.constantFrom('', ' ', '\n\t');
    const texts = fc
      .tuple(fc.json({ maxDepth: 5 }), spaces, spaces)
      .map(([text, before, after]) => before + text + after);
    await fc.assert(fc.asyncProperty(texts, fc.integer({ min: 0, max: 40 }), sameAsInOneGo), { numRuns: 1_000 });
  });

  it('refuses what JSON.parse refuses, wherever the slices end', async () => {
    const pieces = fc.constantFrom('[', ']', '{', '}', ',', ':', '"a"', '"a":', '1', 'null', ' ', '"', '\\', '\u00a0');
    const broken = fc
      .tuple(fc.json({ maxDepth: 4 }), fc.nat(), pieces, fc.boolean())
      .map(([text, place, piece, replaces]) => {
        const at = place % (text.length + 1);
        return text.slice(0, at) + piece + text.slice(replaces ? at + 1 : at);
      });
    const heaps = fc.array(pieces, { maxLength: 12 }).map((all) => all.join(''));
    const texts = fc.oneof(broken, heaps);
    await fc.assert(fc.asyncProperty(texts, fc.integer({ min: 0, max: 20 }), sameAsInOneGo), { numRuns: 5_000 });
  });

  it.each([
    '[[1,2],[3,4],]',
    '[[1,2] [3,4]]',
    '[[1,2],,[3,4]]',
    '[,[1,2]]',
    '{"a":[1,2],}',
    '{"a" [1,2]}',
    '{[1,2]:1}',
    '{"a":[1,2]:[3,4]}',
    '{"a":[1,2],"b":[3,4',
    '[1,2]x',
    'x[1,2]',
    '[1,2][3,4]',
    '[[1,2]}',
    '[1,2,]',
    '',
  ])('refuses %s', (text) => expect(parse(text)).rejects.toThrow(SyntaxError));

  it('keeps repeated and dangerous names as JSON.parse does', async () => {
    const text = '{"__proto__":{"a":[1,2]},"b":[1,2],"b":[3,4],"__proto__":[5,6]}';
    const value = (await parse(text)) as object;
    expect(value).toStrictEqual(JSON.parse(text));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.each([
    ['[[[]]]', { depth: 2 }],
    ['[1,2,3]', { values: 3 }],
    ['{"a":1,"b":2}', { members: 1 }],
  ])('refuses %s with the limits %j', async (text, limits) => {
    await expect(parse(text, 1, limits)).rejects.toThrow(JsonLimitExceeded);
    const [[name, limit]] = Object.entries(limits) as [[string, number]];
    await expect(parse(text, 1, { [name]: limit + 1 })).resolves.toEqual(JSON.parse(text));
  });

  it('pauses after each slice', async () => {
    const pause = jest.fn(() => Promise.resolve());
    const bytes = Buffer.from(JSON.stringify(new Array(1_000).fill('text')));
    await parseJsonInSlices(bytes, { limits: WIDE, sliceBytes: 1_000, pause });
    expect(pause).toHaveBeenCalledTimes(Math.floor(bytes.length / 1_001));
  });
});
