import type { FetchMessageObject } from 'imapflow';
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
});
