import { person, startDovecot, testAuthority, type Dovecot } from '@groupware/test-kit';
import { atom, ImapSession, text } from '@groupware/mail-access';
import { ImapFlow } from 'imapflow';
import { flattenThread, groupByReferences } from '../domain/mail-threads';
import { MailListing } from './mail-listing';
import { parseOrder } from './mail-order';

let dovecot: Dovecot;
let full: ImapSession;
/** The same server with nothing beyond RFC 3501. */
let bare: ImapSession;
const listing = new MailListing({ get: async () => 10_000 } as never);
const user = person(3);
const BEYOND = [
  'SORT',
  'SORT=DISPLAY',
  'ESORT',
  'ESEARCH',
  'THREAD=REFS',
  'THREAD=REFERENCES',
  'MOVE',
  'UIDPLUS',
  'PREVIEW',
];
const ALL = [atom('ALL')];

const connect = async (ignored: readonly string[] = []): Promise<ImapSession> => {
  const client = new ImapFlow({
    ...{ host: '127.0.0.1', port: dovecot.imap, secure: false, doSTARTTLS: false, logger: false },
    auth: { user: 'ann', pass: 'secret' },
  });
  await client.connect();
  return new ImapSession(client, new Set(ignored));
};

/** Takes the next UID from what the client reads of a mailbox that it opens: not all servers tell it. */
function hideUidNext(client: ImapFlow): void {
  const { mailboxOpen } = client;
  client.mailboxOpen = async (...wanted) => ({ ...(await mailboxOpen.apply(client, wanted)), uidNext: 0 });
}

beforeAll(async () => {
  dovecot = await startDovecot({ certificate: testAuthority().issue(['127.0.0.1']) });
  [full, bare] = await Promise.all([connect(), connect(BEYOND)]);
  const names = ['zoe <z@x.example>', '=?utf-8?q?=C3=84rger?= <b@x.example>', 'anna <n@x.example>', 'bob@x.example'];
  for (let index = 0; index < 24; index += 1) {
    const source = [
      `From: ${names[index % 4]}`,
      `To: ${names[(index + 1) % 4]}`,
      `Subject: ${['Re: ', '', 'Fwd: '][index % 3]}subject ${index % 7}`,
      `Date: ${new Date(Date.UTC(2024, 0, 1 + (index % 5))).toUTCString()}`,
      `Message-ID: <m${index}@x>`,
      ...(index % 4 === 0 ? [] : [`References: <m${index - 1}@x>`]),
      '',
      'x'.repeat((index % 6) * 10),
    ];
    const flags = index % 2 ? ['\\Seen'] : [];
    await full.append(
      'INBOX',
      Buffer.from(`${source.join('\r\n')}\r\n`),
      flags,
      new Date(Date.UTC(2024, 5, 30 - index)),
    );
  }
  await Promise.all([full.select('INBOX'), bare.select('INBOX')]);
}, 60_000);
afterAll(async () => {
  await Promise.all([full?.client.logout(), bare?.client.logout()]);
  await dovecot?.stop();
});

describe('a server that can do little', () => {
  it.each(['600', '603', '604', '607', '608', '609', '610', '651', '660', '102'])(
    'MS-15 sorts by %s here',
    async (sort) => {
      for (const order of ['asc', 'desc']) {
        const by = parseOrder({ sort, order });
        const listed = await Promise.all(
          [full, bare].map((each) => listing.listPage(user, each, by, ALL, undefined, 1_000)),
        );
        expect(listed[1]).toEqual(listed[0]);
        expect(listed[0]).toHaveLength(24);
      }
    },
  );

  it('MS-14 threads here', async () => {
    expect(await bare.listThreads(ALL)).toBeUndefined();
    const by = parseOrder({ sort: 'thread', order: 'asc' });
    const [theirs, ours] = await Promise.all(
      [full, bare].map((each) => listing.listPage(user, each, by, ALL, undefined, 1_000)),
    );
    const uids = (mails: typeof ours) => mails!.map(({ uid }) => uid).sort((a, b) => a - b);
    expect(uids(ours)).toEqual(uids(theirs));
  });

  it('makes the same conversations of copies, and of mails that name several others', async () => {
    const mails = [
      ['Message-ID: <a@x>'],
      ['Message-ID: <a@x>'],
      ['Message-ID: <b@x>', 'References: <a@x>'],
      ['Message-ID: <b@x>', 'References: <gone@x>'],
      ['Message-ID: <c@x>', 'In-Reply-To: <gone@x>'],
      ['Message-ID: <d@x>', 'References: <b@x>', 'In-Reply-To: <c@x>'],
      ['Message-ID: <e@x>', 'In-Reply-To: <f@x> <c@x>'],
      ['Message-ID: <f@x>'],
      ['References: <f@x>'],
      [],
    ];
    await full.createMailbox('Threads');
    for (const headers of mails) await full.append('Threads', Buffer.from([...headers, '', 'x\r\n'].join('\r\n')));
    try {
      await Promise.all([full.select('Threads'), bare.select('Threads')]);
      const theirs = (await full.listThreads(ALL))!.map((thread) => flattenThread(thread).map(({ uid }) => uid));
      const found = await listing.readThreadedMails(user, bare, await bare.listUids(ALL), false);
      const ours = groupByReferences(found).map((group) => group.map(({ uid }) => uid));
      const toSets = (groups: readonly number[][]) => groups.map((group) => group.sort((a, b) => a - b).join()).sort();
      expect(toSets(ours)).toEqual(toSets(theirs));
      expect(toSets(ours)).toEqual(['1,3,6', '10', '2', '4,5', '7,8,9']);
    } finally {
      await Promise.all([full.select('INBOX'), bare.select('INBOX')]);
      await full.deleteMailbox('Threads');
    }
  });

  it('sorts the newest of too many mails only', async () => {
    const little = new MailListing({ get: async () => 3 } as never);
    const uids = await little.listUids(user, bare, { column: 607, descending: false }, ALL);
    expect([uids.length, uids.slice(0, 21)]).toEqual([24, (await bare.listUids(ALL)).slice(0, 21)]);
  });

  it('moves and removes without touching others', async () => {
    await bare.createMailbox('Elsewhere');
    const [one, two, three] = await bare.listUids(ALL);
    await bare.store([three!], 'add', ['\\Deleted']);
    await bare.move([one!], 'Elsewhere');
    await bare.remove([two!]);
    expect(await bare.listUids([atom('DELETED')])).toEqual([three]);
    expect(await bare.listUids([atom('SUBJECT'), text('ü')])).toEqual([]);
    expect(await bare.listUids(ALL)).toHaveLength(22);
    expect(await bare.fetchPreviews([three!])).toEqual(new Map());
    await full.select('INBOX');
    expect(await full.listUids(ALL)).toHaveLength(22);
    expect((await full.fetchPreviews([three!])).size).toBe(1);
    expect((await full.status('Elsewhere')).messages).toBe(1);
  });
});

describe('a server without one of its capabilities', () => {
  /** The same server as if it did not have a capability: neither the product nor the library below it uses it. */
  async function connectWithout(name: string): Promise<ImapSession> {
    const session = await connect();
    for (const each of [...session.client.capabilities.keys()])
      if (each === name || each.startsWith(`${name}=`)) session.client.capabilities.delete(each);
    expect(session.can(name)).toBe(false);
    return session;
  }

  /** All that the product tells of a mailbox, and what it changes there. */
  async function useAll(session: ImapSession, folder: string) {
    await session.select('INBOX');
    const columns = [600, 603, 607, 608, 609, 610, 651];
    const lists = [];
    for (const column of columns) lists.push(await listing.listUids(user, session, { column, descending: true }, ALL));
    const uids = await session.listUids(ALL);
    const threads = await listing.readThreadedMails(user, session, uids, false);
    const unseen = await session.listUids([atom('UNSEEN')]);
    const found = await session.listUids([atom('SUBJECT'), text('subject 3')]);
    const listed = await session.listMailboxes(true);
    const { messages, unseen: unread } = await session.status('INBOX');
    await session.createMailbox([folder]);
    await session.createMailbox([`${folder}2`]);
    for (const subject of ['a', 'b', 'c', 'd'])
      await session.append(folder, Buffer.from(`Subject: ${subject}\r\n\r\nx\r\n`));
    await session.select(folder);
    const [first, second, third] = await session.listUids(ALL);
    await session.store([first!], 'add', ['\\Deleted']);
    await session.move([second!], `${folder}2`);
    await session.copy([third!], `${folder}2`);
    await session.remove([third!]);
    const subjectsOf = async (path: string) => {
      await session.select(path);
      const mails = await session.fetch(await session.listUids(ALL), { uid: true, envelope: true, flags: true });
      return mails.map(({ envelope, flags }) => [envelope?.subject, flags!.has('\\Deleted')]);
    };
    const changed = [await subjectsOf(folder), await subjectsOf(`${folder}2`)];
    await session.expunge();
    for (const path of [folder, `${folder}2`]) await session.deleteMailbox(path);
    return {
      ...{ lists, threads, unseen, found, messages, unread, changed },
      mailboxes: listed.map(({ path, status }) => [path, status?.messages, status?.unseen]).sort(),
    };
  }

  it.each([
    ...['SORT', 'ESORT', 'ESEARCH', 'THREAD', 'CONDSTORE', 'QRESYNC', 'NOTIFY', 'IDLE', 'LIST-STATUS', 'LIST-EXTENDED'],
    ...[
      'SPECIAL-USE',
      'MOVE',
      'UIDPLUS',
      'PREVIEW',
      'BINARY',
      'LITERAL+',
      'NAMESPACE',
      'ENABLE',
      'UNSELECT',
      'ID',
      'CHILDREN',
    ],
  ])('tells and does the same without %s', async (name) => {
    const without = await connectWithout(name);
    try {
      const before = await useAll(full, 'Full');
      expect(await useAll(without, 'Without')).toEqual(before);
      expect(before.changed).toEqual([
        [
          ['a', true],
          ['d', false],
        ],
        [
          ['b', false],
          ['c', false],
        ],
      ]);
    } finally {
      await without.client.logout();
    }
  });

  it('tells the same without the next UID of a mailbox that is opened', async () => {
    const without = await connect();
    hideUidNext(without.client);
    without.largeMailbox = 1;
    await without.select('INBOX');
    await full.select('INBOX');
    expect(without.state).toEqual(full.state);
    expect(full.state?.uidNext).toBe(25);
    await full.append('INBOX', Buffer.from('Subject: new\r\n\r\nx\r\n'));
    await without.select('INBOX');
    expect(without.state?.uidNext).toBe(26);
    await without.client.logout();
  });

  it('names no charset to a server that takes UTF-8 everywhere', async () => {
    const session = await connect();
    await session.select('INBOX');
    const sent: string[] = [];
    const { command } = session;
    session.command = (name, attributes, untagged) => {
      sent.push(JSON.stringify(attributes));
      return command.call(session, name, attributes, untagged);
    };
    const search = () => session.listUids([atom('SUBJECT'), text('Grüße')]);
    await search();
    session.client.enabled.add('UTF8=ACCEPT');
    await search();
    expect(sent.map((each) => each.includes('CHARSET'))).toEqual([true, false]);
    await session.client.logout();
  });
});
