import { startDovecot, testAuthority, type Dovecot } from '@groupware/test-kit';
import { ImapFlow } from 'imapflow';
import { ImapSession } from './imap-session';
import { text } from './imap-tokens';

let dovecot: Dovecot;
const clients: ImapFlow[] = [];

async function connect(login: string): Promise<ImapSession> {
  const client = new ImapFlow({
    ...{ host: '127.0.0.1', port: dovecot.imap, secure: false, doSTARTTLS: false, logger: false },
    auth: { user: login, pass: 'secret' },
  });
  await client.connect();
  clients.push(client);
  return new ImapSession(client);
}

beforeAll(async () => {
  dovecot = await startDovecot({
    certificate: testAuthority().issue(['127.0.0.1']),
    users: { ann: 'secret', bob: 'secret' },
    sharesFolders: true,
  });
}, 60_000);
afterAll(async () => {
  for (const client of clients) client.close();
  await dovecot?.stop();
});

const paths = async (session: ImapSession): Promise<string[]> =>
  (await session.listMailboxes(false)).map(({ path }) => path);

describe('a mailbox that another user shares', () => {
  it('is found by its name in a session that listed all mailboxes before, and listed from then on', async () => {
    const [ann, bob] = [await connect('ann'), await connect('bob')];
    expect(await paths(ann)).not.toContain('shared.bob.Team');
    await bob.createMailbox('Team');
    await bob.command('SETACL', [bob.name('Team'), text('ann'), text('lr')]);
    const listWanted = async (path: string) =>
      (await ann.listMailboxes(true, [path])).find((each) => each.path === path)?.status?.messages;
    expect(await paths(ann)).not.toContain('shared.bob.Team');
    expect(await listWanted('shared.bob.Nosuch')).toBeUndefined();
    expect(await listWanted('shared.bob.Team')).toBe(0);
    expect(await paths(ann)).toContain('shared.bob.Team');
  });
});
