import { encodeInSlices, encodeList } from './chunks';

describe('a long text in slices', () => {
  it.each([
    ['nothing', ''],
    ['few characters', 'é😀'],
    ['exactly one slice', 'a'.repeat(262_144)],
    ['characters of four bytes on every border', `a${'😀'.repeat(200_000)}`],
    ['halves of such characters', '\ud83d'.repeat(270_000)],
  ])('is the same text: %s', async (_name, text) => {
    const slices: Uint8Array[] = [];
    for await (const slice of encodeInSlices(text)) slices.push(slice);
    expect(Buffer.concat(slices).equals(Buffer.from(text))).toBe(true);
    for (const { length } of slices) expect(length).toBeLessThanOrEqual(4 * 262_145);
  });
});

describe('a list as JSON', () => {
  it.each([0, 1, 2_000, 2_001, 5_000])('is what it is in one go, with %i elements', async (count) => {
    const list = Array.from({ length: count }, (_none, index) =>
      index % 3 === 0 ? { index, text: '],[' } : undefined,
    );
    expect(Buffer.from(await encodeList(list)).toString()).toBe(JSON.stringify(list));
  });

  it('lets other work have its turn between slices', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    await encodeList(Array.from({ length: 200_000 }, (_none, index) => ({ index, text: 'some text' })));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});
