import type { UserRequest } from '@groupware/contracts';
import { ImapRefusal } from '@groupware/mail-access';
import type { Clock } from '@groupware/service-kit';
import type { Mailboxes } from '../accounts/mailboxes';
import type { MaliciousFolders } from '../content/malicious-folders';
import { OpenedMails } from './opened-mails';

const malicious = { includes: async () => false } as unknown as MaliciousFolders;
const CALL_MS = 60_000;
const BLOCK = Buffer.alloc(64 * 1024, 'x');

describe('mails that are downloaded', () => {
  it('give each block the time of a call: slow clients read for longer', async () => {
    let now = 1_000_000;
    const deadlines: number[] = [];
    const session = {
      mailbox: { uidValidity: 1n },
      isReadOnly: true,
      fetch: async () => [{ uid: 7, source: BLOCK, bodyStructure: { type: 'text/plain' } }],
    };
    const mailboxes = {
      useFolder: async (
        { deadline }: UserRequest,
        _folder: unknown,
        _use: unknown,
        work: (open: unknown) => unknown,
      ) => {
        deadlines.push(deadline - now);
        return work({ session, account: { id: 0 } });
      },
    };
    const mails = new OpenedMails(mailboxes as unknown as Mailboxes, malicious, { now: () => now } satisfies Clock);
    const request = { principal: { contextId: 1, userId: 2 }, deadline: now + CALL_MS } as UserRequest;
    const { readSource } = await mails.openMail(request, 'default0/INBOX', '7', false);
    const source = readSource();
    expect((await source.next()).value).toEqual(BLOCK);
    now += 10 * CALL_MS;
    expect((await source.next()).value).toEqual(BLOCK);
    expect(deadlines).toEqual([CALL_MS, CALL_MS, CALL_MS]);
  });

  it('have the first bytes of the part that is wanted with their structure, in one round trip', async () => {
    const content = Buffer.concat([BLOCK, Buffer.from('the rest')]);
    const queries: { bodyParts?: { key: string; start: number; maxLength: number }[] }[] = [];
    let refuses = false;
    const session = {
      mailbox: { uidValidity: 1n },
      isReadOnly: true,
      fetch: async (_uids: number[], query: (typeof queries)[number]) => {
        queries.push(query);
        if (refuses && 'bodyStructure' in query && query.bodyParts) throw new ImapRefusal('', 'BAD');
        const blocks = (query.bodyParts ?? []).map(
          ({ key, start, maxLength }) => [key, content.subarray(start, start + maxLength)] as const,
        );
        return [{ uid: 7, bodyStructure: { type: 'text/plain' }, bodyParts: new Map(blocks) }];
      },
    };
    const mailboxes = {
      useFolder: async (_request: unknown, _folder: unknown, _use: unknown, work: (open: unknown) => unknown) =>
        work({ session, account: { id: 0 } }),
    };
    const mails = new OpenedMails(mailboxes as unknown as Mailboxes, malicious, { now: () => 0 } satisfies Clock);
    const request = { principal: { contextId: 1, userId: 2 }, deadline: CALL_MS } as UserRequest;
    const read = async (part: string) => {
      queries.length = 0;
      const { source } = await mails.openMail(request, 'default0/INBOX', '7', false, part);
      const blocks: Buffer[] = [];
      for await (const block of source.fetchPart('1')) blocks.push(block);
      expect(Buffer.concat(blocks).equals(content)).toBe(true);
      return queries.map(({ bodyParts }) => bodyParts?.[0]?.start);
    };
    expect(await read('1')).toEqual([0, BLOCK.length]);
    expect(await read('1 BODY[]')).toEqual([undefined, 0, BLOCK.length]);
    refuses = true;
    expect(await read('1')).toEqual([0, undefined, 0, BLOCK.length]);
  });
});
