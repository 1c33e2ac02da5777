import { encodeInSlices } from './chunks';

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
