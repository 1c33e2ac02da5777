import { setImmediate } from 'node:timers/promises';
import { RequestErrors, type MailboxAccess, type UserRequest } from '@groupware/contracts';
import { Mailboxes } from './mailboxes';

const account = {
  id: 0,
  name: 'mail',
  primaryAddress: 'ann@mail.test',
  server: { host: 'mail.test' },
} as MailboxAccess;
const principal = { contextId: 7, userId: 3, sessionId: 'one' } as UserRequest['principal'];
const requestOf = (signal: AbortSignal): UserRequest => ({ principal, deadline: 1_000, requestId: 'r', signal });

/** Mailboxes that learn of accounts when `answer` is called; a call ends with its signal, as on the bus. */
function createMailboxes() {
  const asked: ((found: readonly MailboxAccess[]) => void)[] = [];
  const caller = {
    call: (_operation: unknown, { signal }: { signal?: AbortSignal }) =>
      new Promise((resolve, reject) => {
        asked.push(resolve);
        signal?.addEventListener('abort', () => reject(RequestErrors.deadlinePassed('mail-account')));
      }),
  };
  const clock = { now: () => 0 };
  const keys = { secretKeys: () => [Buffer.alloc(32)] };
  const create = Mailboxes as unknown as new (...parts: readonly unknown[]) => Mailboxes;
  const mailboxes = new create(caller, {}, clock, {}, {}, {}, keys);
  return { mailboxes, asked };
}

describe('accounts of a session', () => {
  it('MT-08 are told to all who wait for them, also when the one that asked first goes away', async () => {
    const { mailboxes, asked } = createMailboxes();
    const leaving = new AbortController();
    const first = mailboxes.listAccounts(requestOf(leaving.signal));
    const second = mailboxes.listAccounts(requestOf(new AbortController().signal));
    leaving.abort();
    for (const answer of asked) answer([account]);
    expect(await second).toEqual([account]);
    expect(await first).toEqual([account]);
    expect(asked).toHaveLength(1);
  });

  it('are those with mailboxes; those that mails are collected from are sources, too', async () => {
    const { mailboxes, asked } = createMailboxes();
    const request = requestOf(new AbortController().signal);
    const sources = mailboxes.listSources(request);
    const pop3 = { ...account, id: 5, server: undefined, pop3: { folder: 'Old' } } as unknown as MailboxAccess;
    for (const answer of asked) answer([account, pop3, { ...account, id: 6, server: undefined }]);
    expect((await sources).map(({ id }) => id)).toEqual([0, 5]);
    expect((await mailboxes.listAccounts(request)).map(({ id }) => id)).toEqual([0]);
  });

  it('are asked for once when one is missing, and again when they were remembered', async () => {
    const { mailboxes, asked } = createMailboxes();
    const request = requestOf(new AbortController().signal);
    const answerNext = async (accounts: readonly MailboxAccess[]) => {
      await setImmediate();
      asked.at(-1)!(accounts);
    };
    const missing = mailboxes.getAccount(request, 5);
    await answerNext([account]);
    await expect(missing).rejects.toMatchObject({ code: 'ACC-0002' });
    expect(asked).toHaveLength(1);
    const added = mailboxes.getAccount(request, 5);
    await answerNext([account, { ...account, id: 5 }]);
    expect((await added).id).toBe(5);
    expect(asked).toHaveLength(2);
  });
});
