import type { MailboxAccess, UserPrincipal } from '@groupware/contracts';
import { ALL_RIGHTS, VIEWER_RIGHTS } from '@groupware/folders';
import type { ImapSession } from '@groupware/mail-access';
import { MailboxRights } from './mailbox-rights';

const USER = { contextId: 1, userId: 3 } as UserPrincipal;
const ACCOUNT = { id: 0 } as MailboxAccess;

/** A server; `asked` are the paths of each question. */
function startServer(rights: Readonly<Record<string, string>>, capabilities = ['ACL']) {
  const asked: string[][] = [];
  const session = {
    can: (name: string) => capabilities.includes(name),
    isForeign: (path: string) => path.startsWith('shared.'),
    readRights: async (paths: readonly string[]) => {
      asked.push([...paths]);
      return new Map(paths.flatMap((path) => (rights[path] === undefined ? [] : [[path, rights[path]]])));
    },
  } as unknown as ImapSession;
  return { session, asked };
}

describe('rights on folders of a mail server', () => {
  it('are those that it tells, and are kept', async () => {
    const { session, asked } = startServer({ INBOX: 'lrswipkxtecda', 'shared.bob.Team': 'lrws' });
    const rights = new MailboxRights();
    const find = (user = USER) => rights.findRights(user, session, ACCOUNT, ['INBOX', 'shared.bob.Team']);
    expect([...(await find())]).toEqual([
      ['INBOX', ALL_RIGHTS],
      ['shared.bob.Team', 33025],
    ]);
    await find();
    expect(asked).toEqual([['shared.bob.Team', 'INBOX'], []]);
    await find({ ...USER, userId: 4 });
    expect(asked[2]).toHaveLength(2);
  });

  it('are asked for of few folders at a time, of those of others first', async () => {
    const own = Array.from({ length: 300 }, (_none, index) => `f${index}`);
    const { session, asked } = startServer({ 'shared.bob.Team': 'l', f298: 'lr', f0: 'lr' });
    const found = await new MailboxRights().findRights(USER, session, ACCOUNT, [...own, 'shared.bob.Team', 'shared.x']);
    expect(asked.map((paths) => [paths.length, paths[0]])).toEqual([[100, 'shared.bob.Team']]);
    expect(['f0', 'f298', 'shared.bob.Team', 'shared.x'].map((path) => found.get(path))).toEqual([
      ...[VIEWER_RIGHTS, ALL_RIGHTS, 1, VIEWER_RIGHTS],
    ]);
  });

  it('are not asked for where the server has none', async () => {
    const { session, asked } = startServer({}, []);
    expect((await new MailboxRights().findRights(USER, session, ACCOUNT, ['INBOX'])).size).toBe(0);
    expect(asked).toEqual([]);
  });
});
