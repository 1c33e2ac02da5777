import type { Clock } from '@groupware/service-kit';
import type { Mailboxes, MailRequest } from '../accounts/mailboxes';
import { OpenedMails } from './opened-mails';

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
        { deadline }: MailRequest,
        _folder: unknown,
        _use: unknown,
        work: (open: unknown) => unknown,
      ) => {
        deadlines.push(deadline - now);
        return work({ session, account: { id: 0 } });
      },
    };
    const mails = new OpenedMails(mailboxes as unknown as Mailboxes, { now: () => now } satisfies Clock);
    const request = { principal: { contextId: 1, userId: 2 }, deadline: now + CALL_MS } as MailRequest;
    const { readSource } = await mails.openMail(request, 'default0/INBOX', '7', false);
    const source = readSource();
    expect((await source.next()).value).toEqual(BLOCK);
    now += 10 * CALL_MS;
    expect((await source.next()).value).toEqual(BLOCK);
    expect(deadlines).toEqual([CALL_MS, CALL_MS, CALL_MS]);
  });
});
