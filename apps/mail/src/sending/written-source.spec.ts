import { encodedSize, WrittenSource, type WritingOptions } from './written-source';

const HEAD = 'From: a@x.example\r\nBcc: b@x.example,\r\n c@x.example\r\nSubject: Hi\r\n\r\n';
const VISIBLE = 'From: a@x.example\r\nSubject: Hi\r\n\r\n';
const BODY = `text\r\n${'x'.repeat(200)}\r\nBcc: no header\r\n`;
const writerOf = (text: string, pieceBytes: number, options: Partial<WritingOptions> = {}) =>
  new WrittenSource(
    async function* () {
      for (let at = 0; at < text.length; at += pieceBytes) yield Buffer.from(text.slice(at, at + pieceBytes));
    },
    { maxBytes: 10_000, hidesBlindCopies: true, isKept: true, ...options },
  );
async function read(written: WrittenSource): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of written.write()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('a mail that leaves while it is written', () => {
  it.each([1, 7, 60, 10_000])(
    'hides blind copies from others, and keeps them, in pieces of %i bytes',
    async (bytes) => {
      const written = writerOf(HEAD + BODY, bytes);
      expect(await read(written)).toBe(VISIBLE + BODY);
      expect(String(written.readCopy())).toBe(HEAD + BODY);
      expect(await read(writerOf(HEAD, bytes))).toBe(VISIBLE);
      expect(await read(writerOf(HEAD + BODY, bytes, { hidesBlindCopies: false }))).toBe(HEAD + BODY);
    },
  );

  it('keeps nothing unless it is asked to', async () => {
    const written = writerOf(HEAD + BODY, 60, { isKept: false });
    await read(written);
    expect(written.readCopy()).toHaveLength(0);
  });

  it('ends before it is larger than it may be, and says so', async () => {
    const written = writerOf(HEAD + BODY, 60, { maxBytes: 100 });
    await expect(read(written)).rejects.toMatchObject({ code: 'MSG-0088' });
    expect(written.failure).toMatchObject({ code: 'MSG-0088' });
    expect(writerOf(HEAD, 60).failure).toBeUndefined();
  });

  it('knows the size of files within it', () => {
    const sizes = [0, 1, 57, 58, 1_000_000];
    const lines = sizes.map((size) =>
      Buffer.alloc(size)
        .toString('base64')
        .replace(/.{1,76}/g, '$&\r\n'),
    );
    expect(
      sizes
        .map((sizeBytes) => encodedSize({ type: 'text/plain', sizeBytes }))
        .map((size, at) => size - lines[at]!.length),
    ).toEqual([0, 72, 0, 72, 8]);
    expect(encodedSize({ type: 'message/rfc822', sizeBytes: 100 })).toBe(100);
  });
});
