import { until } from '@groupware/test-kit';
import { ImapFlow } from 'imapflow';
import { Redis } from 'ioredis';
import { Client as Database } from 'pg';
import { MAIL_PASSWORD } from '../mail-account/outside';
import { startMail, type MailFixtures } from './mailbox';

let at: MailFixtures;
let redis: Redis;
/** Client of the mailbox at the POP3 server. */
let bob: ImapFlow;
beforeAll(async () => {
  at = await startMail(['ann', 'bob', 'carl'], {
    ...{ MAIL_COLLECTION_PAUSE_MS: '300', MAIL_COLLECTION_MAILS: '2', MAIL_COLLECTION_MAIL_BYTES: '100000' },
  });
  redis = new Redis(at.world.environment.REDIS_URL!);
  bob = new ImapFlow({
    ...{ host: '127.0.0.1', port: at.outside.dovecot.imap, secure: false, doSTARTTLS: false, logger: false },
    auth: { user: 'bob', pass: MAIL_PASSWORD },
  });
  await bob.connect();
}, 120_000);
afterAll(async () => {
  await bob?.logout().catch(() => undefined);
  redis?.disconnect();
  await at?.close();
});

const FOLDER = 'default0/Old box';
let account = 0;

const deliver = (subject: string, text = 'Hello'): Promise<void> =>
  at.outside.dovecot.deliver(
    'bob',
    [
      'Received: from a by b; Tue, 2 Jan 2024 03:04:05 +0000',
      ...['From: Zoe <zoe@x.example>', 'To: bob@mail.test', `Subject: ${subject}`, '', text, ''],
    ].join('\r\n'),
  );
/** Time of a look, with a margin, ms; accounts pause for ten minutes. */
const LOOK_MS = 330_000;
/** Lets the product look again at once. */
async function endPause(): Promise<void> {
  for (const key of await redis.keys('*:mail-collection:*')) {
    const leftMs = await redis.pttl(key);
    if (leftMs < LOOK_MS - 30_000 || leftMs > LOOK_MS) await redis.del(key);
  }
}
/** Subjects of mails that were collected; asking is what makes the product look. */
async function collected(): Promise<string[]> {
  await endPause();
  const query = { folder: FOLDER, columns: '607', sort: '600', order: 'asc' };
  const { data } = await at.cast.U1.get<[string][]>('mail', 'all', query);
  return (data ?? []).map(([subject]) => subject);
}
const collects = (...subjects: string[]) =>
  until(async () => (await collected()).join() === subjects.join(), 20_000).catch(async () =>
    expect(await collected()).toEqual(subjects),
  );
const settle = () => new Promise((resolve) => setTimeout(resolve, 1_000));

describe('mails of a POP3 account', () => {
  it('are collected into a folder of the primary mailbox, each once', async () => {
    const { U1 } = at.cast;
    for (const subject of ['one', 'two', 'three']) await deliver(subject);
    await deliver('large', 'x'.repeat(200_000));
    const created = await U1.put<any>(
      'account',
      'new',
      {},
      {
        ...{ name: 'Old box', mail_url: `pop3s://mail.test:${at.outside.dovecot.pop3s}`, login: 'bob' },
        ...{ password: MAIL_PASSWORD, primary_address: 'bob@mail.test' },
      },
    );
    expect(created.error).toBeUndefined();
    account = created.data.id;
    // A look takes two of them; the one that is too large stays where it is.
    await collects('one', 'two', 'three');
    const query = { folder: FOLDER, columns: '600,603,610,611', timezone: 'utc', sort: '600', order: 'asc' };
    const { data } = await U1.get<any[][]>('mail', 'all', query);
    const [id, from, received, flags] = data![0]!;
    expect(from).toEqual([['Zoe', 'zoe@x.example']]);
    expect([typeof received, flags & 32]).toEqual(['number', 0]);
    expect(
      (await U1.get<any>('mail', 'get', { folder: FOLDER, id, unseen: true })).data.attachments[0].content,
    ).toContain('Hello');
    // They stay at the server, and what is deleted here does not come again.
    expect(await bob.status('INBOX', { messages: true })).toMatchObject({ messages: 4 });
    await U1.put('mail', 'delete', { harddelete: true }, [{ folder: FOLDER, id }]);
    await deliver('four');
    await collects('two', 'three', 'four');
    await settle();
    expect(await collected()).toEqual(['two', 'three', 'four']);
    // It is no mailbox of its own.
    const roots = await U1.get<any[][]>('folders', 'list', { parent: '1', columns: '1', tree: '1' });
    expect(JSON.stringify(roots.data)).not.toContain(`default${account}`);
    expect((await U1.get('mail', 'all', { folder: `default${account}/INBOX`, columns: '600' })).code).toBe('ACC-0002');
  }, 90_000);

  it('come from an address that mails are sent from, too, whose copies the primary mailbox keeps', async () => {
    const { U1 } = at.cast;
    const port = await at.outside.smtp({
      onData: (stream: NodeJS.ReadableStream, _session: unknown, done: () => void) => {
        stream.resume().on('end', () => done());
      },
    });
    const transport = { transport_url: `smtp://mail.test:${port}`, transport_auth: 'mail' };
    const changed = await U1.put('account', 'update', {}, { id: account, password: MAIL_PASSWORD, ...transport });
    expect(changed.error).toBeUndefined();
    const send = async (): Promise<any> => {
      const form = new FormData();
      const body = { from: [[null, 'bob@mail.test']], to: [[null, 'zoe@x.example']], subject: 'from the old box' };
      form.append('json_0', JSON.stringify({ ...body, attachments: [{ content_type: 'text/plain', content: 'x' }] }));
      const query = { action: 'new', session: U1.session, force_json_response: true, plainJson: true };
      return (await U1.fetch('POST', '/mail', query, { body: form })).json();
    };
    // Accounts of a session are remembered for some seconds.
    let sent: any;
    await until(async () => (sent = await send()).error === undefined, 15_000).catch(() => undefined);
    expect([sent.code, sent.data]).toEqual([undefined, expect.stringMatching(/^default0\/Sent\//)]);
    const id = (sent.data as string).split('/').pop();
    const { data } = await U1.get<any>('mail', 'get', { folder: 'default0/Sent', id });
    expect([data.from, data.subject]).toEqual([[[null, 'bob@mail.test']], 'from the old box']);
  }, 60_000);

  it('are not stored twice, and not lost, when the storing was cut', async () => {
    const { contextId } = at.cast;
    const database = new Database({ connectionString: at.world.environment.DATABASE_URL });
    await database.connect();
    try {
      const cut = `update mail.collected_mail set state = 'storing' where context_id = $1 and account_id = $2`;
      expect((await database.query(cut, [contextId, account])).rowCount).toBe(4);
      const states = 'select distinct state from mail.collected_mail where context_id = $1';
      await until(async () => {
        await collected();
        const { rows } = await database.query(states, [contextId]);
        return rows.length === 1 && rows[0].state === 'stored';
      }, 20_000);
      // Of the deleted one nobody knows that it was here: it comes again rather than getting lost.
      expect((await collected()).sort()).toEqual(['four', 'one', 'three', 'two']);
    } finally {
      await database.end();
    }
  }, 60_000);

  it('are removed at the server once they are here, where the account says so', async () => {
    await at.cast.U1.put('account', 'update', {}, { id: account, pop3_expunge_on_quit: true });
    await deliver('five');
    await until(async () => (await collected()).length === 5, 20_000);
    // The large one was never collected.
    await until(async () => {
      await collected();
      const state = await bob.status('INBOX', { messages: true });
      return state !== false && state.messages === 1;
    }, 20_000);
    expect((await collected()).sort()).toEqual(['five', 'four', 'one', 'three', 'two']);
  }, 60_000);

  it('wait while the server refuses the login, and are forgotten with the account', async () => {
    const { U1, contextId } = at.cast;
    await U1.put('account', 'update', {}, { id: account, password: 'another password' });
    await deliver('six');
    await collected();
    await settle();
    expect(await collected()).toHaveLength(5);
    await U1.put('account', 'update', {}, { id: account, password: MAIL_PASSWORD });
    await until(async () => (await collected()).length === 6, 20_000);
    expect((await U1.put('account', 'delete', {}, [account])).error).toBeUndefined();
    const database = new Database({ connectionString: at.world.environment.DATABASE_URL });
    await database.connect();
    try {
      const count = 'select count(*)::int as count from mail.collected_mail where context_id = $1';
      await until(async () => (await database.query(count, [contextId])).rows[0].count === 0, 20_000);
    } finally {
      await database.end();
    }
    expect(await collected()).toHaveLength(6);
  }, 90_000);
});
