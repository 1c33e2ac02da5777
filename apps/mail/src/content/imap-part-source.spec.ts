import type { FetchBodyPartQuery, FetchMessageObject } from 'imapflow';
import { ImapPartSource } from './imap-part-source';

/** Structure that Dovecot tells of a multipart without parts. */
const EMPTY = [{ part: '1', type: 'text/plain', encoding: '7bit', size: 0 }];

describe('parts of a mail on a server', () => {
  async function read(boundary: string | undefined, text: string, childNodes: object[] = EMPTY): Promise<string> {
    const bodyStructure = {
      type: 'multipart/mixed',
      parameters: boundary === undefined ? {} : { boundary },
      childNodes,
    };
    const wanted: unknown[] = [];
    const source = new ImapPartSource({ uid: 1, bodyStructure } as FetchMessageObject, async (query) => {
      wanted.push(query.bodyParts);
      return { uid: 1, bodyParts: new Map([['text', Buffer.from(text)]]) } as FetchMessageObject;
    });
    const blocks: Buffer[] = [];
    for await (const block of source.fetchPart('1')) blocks.push(block);
    expect(wanted).toHaveLength(1);
    return Buffer.concat(blocks).toString();
  }

  it('are the text where a boundary is missing, and empty where they are', async () => {
    expect(await read(undefined, 'hello')).toBe('hello');
    expect(await read('b', 'hello')).toBe('hello');
    expect(await read('b', '--b\r\n\r\n\r\n--b--')).toBe('');
    expect(await read('b', 'hello', [...EMPTY, ...EMPTY])).toBe('');
  });

  describe('without a boundary', () => {
    const MiB = 1024 * 1024;
    const text = Buffer.from(Array.from({ length: 2.5 * MiB }, (_each, index) => index % 251));

    async function readRange(whole: Buffer, maxBytes?: number, start?: number): Promise<Buffer> {
      const bodyStructure = { type: 'multipart/mixed', parameters: { boundary: 'b' }, childNodes: EMPTY };
      const source = new ImapPartSource({ seq: 1, uid: 1, bodyStructure }, async ({ bodyParts }) => {
        const { start: from = 0, maxLength = Infinity } = bodyParts![0] as FetchBodyPartQuery;
        const block = whole.subarray(from, from + maxLength);
        expect(block.length).toBeLessThanOrEqual(MiB);
        return { uid: 1, bodyParts: new Map([['text', block]]) } as FetchMessageObject;
      });
      const blocks: Buffer[] = [];
      for await (const block of source.fetchPart('1', maxBytes, start)) blocks.push(block);
      return Buffer.concat(blocks);
    }

    it('are read to their end', async () => {
      expect((await readRange(text)).equals(text)).toBe(true);
    });

    it.each([
      [10, 0],
      [10, 100],
      [MiB, 100],
      [2 * MiB, MiB - 5],
      [MiB, 2 * MiB],
      [undefined, 2 * MiB + 7],
      [10, 3 * MiB],
    ])('are read in ranges: %p bytes from %p on', async (maxBytes, start) => {
      const wanted = text.subarray(start, start + (maxBytes ?? Infinity));
      expect((await readRange(text, maxBytes, start)).equals(wanted)).toBe(true);
    });

    it('are empty in all ranges where the boundary is there', async () => {
      const whole = Buffer.concat([Buffer.alloc(100, 'x'), Buffer.from('\r\n--b\r\n\r\n\r\n--b--')]);
      for (const [maxBytes, start] of [[undefined], [10], [10, 50]])
        expect(await readRange(whole, maxBytes, start)).toHaveLength(0);
    });
  });
});
