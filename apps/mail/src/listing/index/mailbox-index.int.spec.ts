import { atom, ImapSession } from '@groupware/mail-access';
import { person, startDovecot, testAuthority, type Dovecot } from '@groupware/test-kit';
import fc from 'fast-check';
import { ImapFlow } from 'imapflow';
import { ConversationListing } from '../conversation-listing';
import { MailListing } from '../mail-listing';
import { MailboxIndex } from './mailbox-index';

const user = person(3);
const ALL = [atom('ALL')];
const KEY = 'ann/0/Work';
const COLUMNS = [600, 603, 607, 608, 609, 610, 651];
const listing = new MailListing({ get: async () => 10_000 } as never);
const conversations = new ConversationListing(listing);

let dovecot: Dovecot;
/** Sessions of the product, which share what is kept, and another client. */
let product: ImapSession[];
/** A session to which each of the small mailboxes here is a large one. @param missing capabilities that the server is taken not to have */
async function openSession(missing: readonly string[] = []): Promise<ImapSession> {
  const client = await connect();
  for (const each of missing) client.capabilities.delete(each);
  const session = new ImapSession(client, new Set(missing));
  session.largeMailbox = 1;
  return session;
}
let other: ImapFlow;

const clients: ImapFlow[] = [];
const connect = async (): Promise<ImapFlow> => {
  const client = new ImapFlow({
    ...{
      host: '127.0.0.1',
      port: dovecot.imap,
      secure: false,
      doSTARTTLS: false,
      logger: false,
      disableAutoIdle: true,
    },
    auth: { user: 'ann', pass: 'secret' },
  });
  await client.connect();
  clients.push(client);
  return client;
};

beforeAll(async () => {
  dovecot = await startDovecot({ certificate: testAuthority().issue(['127.0.0.1']) });
  product = [await openSession(), await openSession()];
  other = await connect();
}, 60_000);
afterAll(async () => {
  for (const client of clients) client.close();
  await dovecot?.stop();
});

/** All that clients are told of the folder. */
async function tell(session: ImapSession, index: MailboxIndex | undefined) {
  await session.select(folder);
  const kept = index?.openFolder(KEY, session.state);
  session.useLists(kept);
  const lists: Record<string, unknown> = {};
  for (const column of COLUMNS)
    for (const descending of [false, true]) {
      const order = { column, descending };
      const page = await listing.listPage(user, session, order, ALL, { start: 2, end: 9 }, 1_000);
      lists[`${column} ${descending}`] = [
        await listing.listUids(user, session, order, ALL),
        page.map(({ uid }) => uid),
      ];
    }
  const unseen = await session.listUids([atom('UNSEEN')]);
  lists['unseen'] = unseen;
  lists['count'] = session.mailbox.exists;
  const uids = await session.listUids(ALL);
  const flags = await session.fetch(uids, { uid: true, flags: true });
  lists['flags'] = flags.map((mail) => [mail.uid, [...mail.flags!].filter((flag) => flag !== '\\Recent').sort()]);
  const open = { session, index: kept } as never;
  const page = async (unread?: ReadonlySet<number>) =>
    kept
      ? conversations.listPage(user, open, { column: 610, descending: true }, unread, undefined, 1_000)
      : freshConversations(session, unread);
  lists['conversations'] = [await page(), await page(new Set(unseen))];
  return lists;
}

/** Conversations as the server makes them, in the order of their newest mails. */
async function freshConversations(session: ImapSession, unread?: ReadonlySet<number>) {
  const arrival = await listing.listUids(user, session, { column: 610, descending: true }, ALL);
  const threads = (await session.listThreads(ALL)) ?? [];
  const membersOf = (thread: (typeof threads)[number]): number[] => [
    ...(thread.uid > 0 ? [thread.uid] : []),
    ...thread.children.flatMap(membersOf),
  ];
  return threads
    .map((thread) => membersOf(thread).sort((a, b) => arrival.indexOf(a) - arrival.indexOf(b)))
    .filter((group) => group.length > 0 && (!unread || group.some((uid) => unread.has(uid))))
    .sort((a, b) => arrival.indexOf(a[0]!) - arrival.indexOf(b[0]!));
}

let number = 0;
let made = 0;
let folder = '';
/**
 * A mail that may answer an earlier one. No two have the same sender or subject: once it has sorted them, Dovecot 2.3 does not look at
 * the time of arrival of new ones among equal texts, and sessions differ.
 */
function mailOf([subject, answers, day]: readonly [number, number, number]): [string, Date] {
  number += 1;
  const lines = [
    `From: ${['zoe', 'eve', 'bob', 'anna'][subject % 4]} ${number} <x${subject % 5}@x.example>`,
    `Subject: ${['', 'Re: ', 'Fwd: '][subject % 3]}s${subject % 6} ${number}`,
    `Date: ${new Date(Date.UTC(2024, 0, 1 + (day % 9))).toUTCString()}`,
    `Message-ID: <p${number}@x>`,
    ...(answers > 0 && number > answers ? [`References: <p${number - answers}@x>`] : []),
  ];
  return [[...lines, '', 'x'.repeat(subject * 7), ''].join('\r\n'), new Date(Date.UTC(2024, 5, 1 + (day % 20)))];
}

const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('new' as const), mail: fc.tuple(fc.nat(20), fc.nat(4), fc.nat(30)) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat(50), count: fc.nat(3) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('flag' as const),
      at: fc.nat(50),
      flag: fc.constantFrom('\\Seen', '\\Flagged'),
      on: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('look' as const) }) },
);

async function apply(step: typeof change extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  const { exists } = await other.mailboxOpen(folder);
  if (step.kind === 'new') {
    const [source, received] = mailOf(step.mail);
    await other.append(folder, source, [], received);
  } else if (step.kind === 'remove' && exists > 0) {
    const first = 1 + (step.at % exists);
    await other.messageDelete(`${first}:${Math.min(exists, first + step.count)}`);
  } else if (step.kind === 'flag' && exists > 0) {
    const range = String(1 + (step.at % exists));
    await (step.on ? other.messageFlagsAdd(range, [step.flag]) : other.messageFlagsRemove(range, [step.flag]));
  }
}

/** Makes a folder with mails. */
async function make(count: number): Promise<void> {
  folder = `Work${(made += 1)}`;
  await other.mailboxCreate(folder);
  await fill(count);
}

async function fill(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const [source, received] = mailOf([index, index % 3, index * 7]);
    await other.append(folder, source, [], received);
  }
}

describe('what is kept of a folder', () => {
  it.each([
    ['of a server that has them all', [], 12],
    ['without extended answers', ['ESEARCH', 'ESORT', 'LIST-STATUS', 'LIST-EXTENDED'], 4],
    ['without states and ids of changes', ['CONDSTORE', 'QRESYNC', 'ENABLE', 'UIDPLUS', 'MOVE', 'NOTIFY', 'IDLE'], 4],
  ])(
    'tells the same as a client that has just come, whatever another one changes: %s',
    async (_what, missing, runs) => {
      const sessions = [await openSession(missing), await openSession(missing)];
      let told = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 12 }), async (steps) => {
          await make(20);
          const index = new MailboxIndex({ largeMailbox: 1, maxBytes: 1_000_000, idleMs: 60_000 });
          for (const [turn, step] of steps.entries()) {
            await apply(step);
            const fresh = await openSession(missing);
            try {
              // A mailbox that was deleted may cost a session its connection.
              if (!sessions[turn % 2]!.client.usable) sessions[turn % 2] = await openSession(missing);
              const ours = await tell(sessions[turn % 2]!, index).catch(async () => {
                sessions[turn % 2] = await openSession(missing);
                return tell(sessions[turn % 2]!, index);
              });
              expect(ours).toEqual(await tell(fresh, undefined));
            } finally {
              fresh.client.close();
            }
            told += index.size;
          }
        }),
        { numRuns: runs },
      );
      // Else nothing was kept, and the test would show nothing.
      expect(told).toBeGreaterThan(runs);
      for (const { client } of sessions) client.close();
    },
    120_000,
  );

  it('is not kept of a folder that was made anew', async () => {
    await make(20);
    const index = new MailboxIndex({ largeMailbox: 1, maxBytes: 1_000_000, idleMs: 60_000 });
    const session = new ImapSession(await connect());
    await tell(session, index);
    await other.mailboxOpen('INBOX');
    await other.mailboxDelete(folder);
    await other.mailboxCreate(folder);
    await fill(3);
    // The server may close a connection whose mailbox went.
    const ours = await tell(session, index).catch(async () => tell(new ImapSession(await connect()), index));
    expect(ours).toEqual(await tell(new ImapSession(await connect()), undefined));
    expect(ours['count']).toBe(3);
  });

  it('is bounded, and is not kept of small folders', async () => {
    await make(30);
    const [session] = product as [ImapSession];
    const open = async (index: MailboxIndex, key: string) => {
      await session.select(folder);
      session.useLists(index.openFolder(key, session.state));
      await listing.listUids(user, session, { column: 607, descending: false }, ALL);
    };
    const small = new MailboxIndex({ largeMailbox: 31, maxBytes: 1_000_000, idleMs: 60_000 });
    await open(small, 'a');
    expect(small.size).toBe(0);
    const none = new MailboxIndex({ largeMailbox: 1, maxBytes: 0, idleMs: 60_000 });
    await open(none, 'a');
    expect(none.size).toBe(0);
    const index = new MailboxIndex({ largeMailbox: 1, maxBytes: 3_000, idleMs: 60_000 });
    for (const key of ['a', 'b', 'c', 'd']) {
      await open(index, key);
      expect(index.bytes).toBeLessThanOrEqual(3_000);
      expect(index.bytes).toBeGreaterThan(30 * 8);
    }
    expect(index.size).toBe(1 + Math.floor((3_000 - index.bytes / index.size) / (index.bytes / index.size)));
  });

  it('follows arrivals and removals without asking for the order of all mails', async () => {
    await make(120);
    const [session] = product as [ImapSession];
    const index = new MailboxIndex({ largeMailbox: 1, maxBytes: 1_000_000, idleMs: 60_000 });
    const order = { column: 610, descending: false };
    const list = async () => {
      await session.select(folder);
      session.useLists(index.openFolder(KEY, session.state));
      return listing.listUids(user, session, order, ALL);
    };
    await list();
    const asked: string[] = [];
    const { command } = session;
    session.command = (name, attributes, untagged) => {
      asked.push(name);
      return command.call(session, name, attributes, untagged);
    };
    const arrive = (day: number) => other.append(folder, mailOf([3, 0, 5])[0], [], new Date(Date.UTC(2025, 0, day)));
    await arrive(2);
    await arrive(1);
    const found = await list();
    expect(found.slice(-2)).toEqual([122, 121]);
    await other.mailboxOpen(folder);
    await other.messageDelete('5:9');
    expect(await list()).toEqual(found.filter((uid) => uid < 5 || uid > 9));
    expect(asked).toContain('NOOP');
    expect(asked.filter((name) => name === 'UID SORT')).toEqual([]);
    // One that was copied is older than others.
    await other.append(folder, mailOf([3, 0, 5])[0], [], new Date(Date.UTC(2020, 0, 1)));
    expect((await list())[0]).toBe(123);
    expect(asked.filter((name) => name === 'UID SORT')).toHaveLength(1);
    session.command = command;
  });
});
