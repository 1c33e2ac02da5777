import type { ImapSession } from '@groupware/mail-access';
import type { OpenFolder } from '../accounts/mailboxes';
import { MailArchive } from './mail-archive';
import type { MailWriter } from './mail-writer';

describe('the archive of mails', () => {
  let isThere = true;
  const made: string[] = [];
  const moves: [path: string, count: number][] = [];
  const fetched: number[] = [];
  /** Days on which mails came, by UID; those without a day do not tell theirs. */
  const days = new Map<number, Date | undefined>();
  const session = {
    separator: '.',
    mailbox: { path: 'INBOX' },
    listMailboxes: async () => (isThere ? [{ path: 'Archive', name: 'Archive', parent: [], flags: new Set() }] : []),
    createMailbox: async (path: string) => {
      made.push(path);
      return { path, created: true };
    },
    select: async () => undefined,
    fetch: async (uids: readonly number[]) => {
      fetched.push(uids.length);
      return uids.filter((uid) => days.has(uid)).map((uid) => ({ uid, internalDate: days.get(uid) }));
    },
  };
  const writer = {
    moveMails: async (_request: object, _open: object, uids: readonly number[], to: { path: string }) => {
      moves.push([to.path, uids.length]);
      return new Map(uids.map((uid) => [uid, uid + 1_000_000]));
    },
  };
  const archive = new MailArchive(writer as unknown as MailWriter, { now: () => Date.UTC(2031, 5, 1) });
  const open = {
    session: session as unknown as ImapSession,
    account: { id: 0, folders: {} },
    folder: { account: 0, path: 'INBOX' },
  } as unknown as OpenFolder;
  const run = (uids: readonly number[]) => archive.archiveMails({} as never, open, uids);

  beforeEach(() => {
    for (const list of [made, moves, fetched]) list.length = 0;
    days.clear();
    isThere = true;
  });

  it('is not made for no mails', async () => {
    isThere = false;
    await expect(run([])).resolves.toEqual({ archived: [], missing: [] });
    expect(made).toEqual([]);
  });

  it('takes mails of an unknown day into the folder of the current year, and tells those that are gone', async () => {
    days.set(3, undefined).set(4, new Date('2019-05-01T00:00:00Z'));
    await expect(run([3, 4, 5])).resolves.toEqual({
      archived: [
        { folder_id: 'default0/Archive.2031', id: '1000003' },
        { folder_id: 'default0/Archive.2019', id: '1000004' },
      ],
      missing: [5],
    });
  });

  it('takes many mails in blocks, into each folder that is made once', async () => {
    const uids = Array.from({ length: 2_500 }, (_each, index) => index + 1);
    for (const uid of uids) days.set(uid, new Date('2020-05-01T00:00:00Z'));
    const { archived, missing } = await run(uids);
    expect([archived.length, missing.length]).toEqual([2_500, 0]);
    expect(fetched).toEqual([1_000, 1_000, 500]);
    expect(moves).toEqual([1_000, 1_000, 500].map((count) => ['Archive.2020', count]));
    expect(made.filter((path) => path === 'Archive.2020')).toHaveLength(1);
  });
});
