import {
  ALL_USERS,
  type MailboxAccess,
  type OwnedPermission,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import { ALL_RIGHTS, VIEWER_RIGHTS } from '@groupware/folders';
import type { ImapSession } from '@groupware/mail-access';
import type { MailLogins } from '../accounts/mail-logins';
import { MailboxPermissions } from './mailbox-permissions';
import { MailboxRights } from './mailbox-rights';

const USER = { contextId: 1, userId: 3 } as UserPrincipal;
const REQUEST = { principal: USER } as UserRequest;
const ACCOUNT = { id: 0, login: 'ann', server: { host: 'mail', port: 143 } } as MailboxAccess;
const LOGINS: Readonly<Record<string, number>> = { ann: 3, bob: 4, cleo: 5 };
const OWN: OwnedPermission = { entity: 3, group: false, bits: ALL_RIGHTS };
const REVIEWER_RIGHTS = 33025;

/** A server; `sent` are the commands that it got. */
function startServer(acls: Readonly<Record<string, Readonly<Record<string, string>>>>, capabilities = ['ACL']) {
  const sent: string[] = [];
  const session = {
    can: (name: string) => capabilities.includes(name),
    findOwner: (path: string) => /^shared\.(\w+)/.exec(path)?.[1],
    isForeign: (path: string) => path.startsWith('shared.'),
    readRights: async () => new Map(),
    readAcl: async (path: string) => {
      sent.push(`GETACL ${path}`);
      return acls[path] && new Map(Object.entries(acls[path]));
    },
    setAcl: async (path: string, name: string, letters: string) => void sent.push(`SETACL ${path} ${name} ${letters}`),
    deleteAcl: async (path: string, name: string) => void sent.push(`DELETEACL ${path} ${name}`),
  } as unknown as ImapSession;
  return { session, sent };
}

const createPermissions = (): MailboxPermissions => {
  const logins = {
    findOwner: async (_request: UserRequest, account: MailboxAccess, login: string) =>
      LOGINS[login] === undefined ? undefined : { userId: LOGINS[login], account },
    findLogin: async (_request: UserRequest, _account: MailboxAccess, userId: number) =>
      Object.keys(LOGINS).find((login) => LOGINS[login] === userId),
  };
  return new MailboxPermissions(logins as unknown as MailLogins, new MailboxRights());
};

describe('rights of others on folders of a mail server', () => {
  it('are those of users and everybody; they are kept', async () => {
    const { session, sent } = startServer({
      Team: {
        owner: 'lrswipkxtecda',
        bob: 'lr',
        '-bob': 'w',
        anyone: 'l',
        authenticated: 'lr',
        $staff: 'lr',
        zoe: 'lr',
      },
      'shared.bob.Ours': { owner: 'lrswipkxtecda', ann: 'lrswa' },
    });
    const permissions = createPermissions();
    const read = () => permissions.readAcls(USER, session, ACCOUNT, ['Team', 'shared.bob.Ours', 'untold']);
    const acls = await read();
    const resolve = (path: string) => permissions.resolvePermissions(REQUEST, ACCOUNT, acls.get(path)!);
    expect(await resolve('Team')).toEqual([
      { entity: 4, group: false, bits: VIEWER_RIGHTS },
      { entity: ALL_USERS, group: true, bits: VIEWER_RIGHTS },
    ]);
    expect(await resolve('shared.bob.Ours')).toEqual([{ entity: 4, group: false, bits: ALL_RIGHTS }]);
    expect([...acls.keys()]).toEqual(['Team', 'shared.bob.Ours']);
    sent.length = 0;
    await read();
    expect(sent).toEqual(['GETACL untold']);
  });

  async function write(
    server: ReturnType<typeof startServer>,
    path: string,
    list: OwnedPermission[],
  ): Promise<string[]> {
    const permissions = createPermissions();
    const grants = await permissions.parseGrants(REQUEST, ACCOUNT, list);
    await permissions.writeGrants(REQUEST, server.session, ACCOUNT, path, { permissions: list, grants });
    return server.sent.filter((command) => !command.startsWith('GETACL'));
  }
  const bob = { entity: 4, group: false, bits: REVIEWER_RIGHTS };

  it('are changed where they differ, but not those of who has the mailbox, nor of whom nobody knows', async () => {
    const acl = { owner: 'lrswipkxtecda', ann: 'lrswipkxtecda', bob: 'lr', cleo: 'lr', anyone: 'l', $staff: 'lr' };
    expect(await write(startServer({ Team: acl }), 'Team', [OWN, bob])).toEqual([
      ...['SETACL Team bob lrsw', 'DELETEACL Team cleo', 'DELETEACL Team anyone'],
    ]);
    const same = [OWN, { ...bob, bits: VIEWER_RIGHTS }, { entity: 5, group: false, bits: VIEWER_RIGHTS }];
    const everybody = { entity: ALL_USERS, group: true, bits: 1 };
    expect(await write(startServer({ Team: acl }), 'Team', [...same, everybody])).toEqual([]);
    expect(await write(startServer({ 'shared.bob.Ours': acl }), 'shared.bob.Ours', same)).toEqual([
      'DELETEACL shared.bob.Ours anyone',
    ]);
  });

  it('are refused where the server does not let the user, and for whom it does not know', async () => {
    const told = { Team: { ann: 'lrswipkxtecda' } };
    await expect(write(startServer({}), 'Team', [OWN, bob])).rejects.toMatchObject({ code: 'FLD-0010' });
    expect(await write(startServer({}), 'Team', [OWN])).toEqual([]);
    const lower = { ...OWN, bits: VIEWER_RIGHTS };
    await expect(write(startServer({}), 'Team', [lower])).rejects.toMatchObject({ code: 'FLD-0010' });
    for (const [list, code] of [
      [[OWN, { ...bob, entity: 9 }], 'FLD-0044'],
      [[OWN, { entity: 13, group: true, bits: 1 }], 'FLD-0044'],
      [[bob], 'FLD-0018'],
      [[OWN, { ...bob, bits: 3 }], 'FLD-0061'],
      [[OWN, bob, bob], 'FLD-0079'],
    ] as const)
      await expect(write(startServer(told), 'Team', [...list])).rejects.toMatchObject({ code });
  });
});
