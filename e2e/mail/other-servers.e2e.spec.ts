import { startCourier, startCyrus } from '@groupware/test-kit';
import { ImapFlow } from 'imapflow';
import { MAIL_PASSWORD } from '../mail-account/outside';
import { startChangedImap, startMail, storeMails, type MailFixtures } from './mailbox';

/** The same mailbox at two servers: answers are compared. */
interface Mailbox {
  readonly imap: ImapFlow;
  readonly account: number;
  /** Address that its mails are sent from. */
  readonly from: string;
  /** Full name of a folder beside the inbox. */
  folder(name: string): string;
}

const MAILS = [
  {
    subject: 'Re: Alpha',
    from: '"Doe, Jane" <jane@x.example>',
    headers: ['To: Ann <ann@mail.test>', 'Message-ID: <m1@x>', 'Date: Mon, 1 Jan 2024 10:00:00 +0100', 'X-Multi: one'],
    text: 'Hello Alpha',
  },
  {
    subject: 'alpha',
    from: 'zed@x.example',
    headers: ['To: ann@mail.test', 'Message-ID: <m2@x>', 'In-Reply-To: <m1@x>', 'References: <m1@x>'],
    text: 'second',
    flags: ['\\Seen'],
  },
  {
    subject: '=?utf-8?B?R3LDvMOfZQ==?=',
    from: '=?utf-8?Q?=C3=84nna?= <anna@x.example>',
    headers: ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'],
    text: 'third wörld',
    flags: ['\\Flagged', '$cl_3', 'mine'],
  },
  { subject: '', from: 'Bob <bob@x.example>', text: 'fourth', flags: ['\\Answered', '$Forwarded'] },
  {
    subject: 'file',
    from: 'Bob <bob@x.example>',
    headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'],
    text: [
      ...['--b', 'Content-Type: text/html', '', '<p>see <b>below</b></p>'],
      ...['--b', 'Content-Type: application/pdf', 'Content-Disposition: attachment; filename="a.pdf"'],
      ...['Content-Transfer-Encoding: base64', '', 'SGVsbG8=', '--b', 'Content-Type: message/rfc822', ''],
      ...['From: inner@x.example', 'Subject: inner', '', 'inner text', '--b--'],
    ].join('\r\n'),
  },
];
/** The server's own mark of mails that no session has seen yet: servers set it as they like (RFC 3501, section 2.3.2). */
const RECENT = 16;
const COLUMNS = '102,600,601,602,603,604,607,608,609,610,611,614,656,661,X-Multi';

/** Servers that are compared, as far as `npm run test:mail-servers` found them. */
const SERVERS = [
  { name: 'Cyrus', isThere: process.env.CYRUS_ROOT !== undefined, start: startCyrus },
  { name: 'Courier', isThere: process.env.COURIER_ROOT !== undefined, start: startCourier },
];
const found = SERVERS.filter(({ isThere }) => isThere);

(found.length > 0 ? describe.each(found) : describe.skip.each(SERVERS))('a mailbox at $name', ({ name, start }) => {
  let at: MailFixtures;
  let server: { readonly imap: number; stop(): Promise<void> } | undefined;
  let mailboxes: readonly Mailbox[] = [];

  beforeAll(async () => {
    server = await start({ ann: MAIL_PASSWORD, bob: MAIL_PASSWORD });
    at = await startMail(['ann', 'bob']);
    const port = await startChangedImap(at.outside, { port: server.imap });
    const imap = new ImapFlow({
      ...{ host: '127.0.0.1', port: server.imap, secure: false, doSTARTTLS: false, logger: false },
      auth: { user: 'ann', pass: MAIL_PASSWORD },
    });
    await imap.connect();
    const from = 'other@mail.test';
    const account = {
      ...{ name, mail_url: `imaps://mail.test:${port}`, login: 'ann', password: MAIL_PASSWORD },
      ...{ primary_address: from, transport_url: `smtp://mail.test:${at.sink.port}` },
    };
    const { id } = (await at.cast.U1.put('account', 'new', {}, account)).data;
    mailboxes = [
      { imap: at.imap, account: 0, from: at.cast.U1.email, folder: (name) => name },
      { imap, account: id, from, folder: (name) => `INBOX.${name}` },
    ];
  }, 120_000);
  afterAll(async () => {
    await mailboxes[1]?.imap.logout().catch(() => undefined);
    await at?.close();
    await server?.stop();
  });

  /** Compares the answers of both mailboxes, with the names of the first; ids are numbered from 1 in new folders. */
  async function compare(work: (mailbox: Mailbox) => Promise<unknown>): Promise<any> {
    const said: unknown[] = [];
    for (const mailbox of mailboxes) {
      const text = JSON.stringify(await work(mailbox)) ?? 'null';
      said.push(JSON.parse(text.replaceAll(inFolder(mailbox, ''), 'default0/'), withoutRecent));
    }
    expect(said[1]).toEqual(said[0]);
    return said[0];
  }
  const withoutRecent = (key: string, value: unknown) => (key === 'flags' ? Number(value) & ~RECENT : value);
  const inFolder = ({ account, folder }: Mailbox, name: string) => `default${account}/${folder(name)}`;
  const get = (_mailbox: Mailbox, action: string, parameters: Record<string, string>) =>
    at.cast.U1.get('mail', action, parameters);
  const all = async (_mailbox: Mailbox, parameters: { readonly columns: string } & Record<string, string>) => {
    const answer = await at.cast.U1.get('mail', 'all', parameters);
    const column = parameters.columns.split(',').indexOf('611');
    for (const row of answer.data ?? []) row[column] &= ~RECENT;
    return answer;
  };
  const put = (_mailbox: Mailbox, action: string, parameters: Record<string, string>, body: unknown) =>
    at.cast.U1.put('mail', action, parameters, body);
  /** A folder with the mails at both servers; answers their ids, which are the same. */
  const fill = (name: string): Promise<string[]> =>
    compare((mailbox) => storeMails(mailbox.imap, mailbox.folder(name), MAILS));

  it.each(['600', '602', '603', '604', '607', '608', '609', '610', '611', '102', '651', '660', '661', 'thread'])(
    'is listed in the order of %s as one at Dovecot',
    async (sort) => {
      const name = `Sorted${sort}`;
      await fill(name);
      const answer = await compare((mailbox) =>
        all(mailbox, { folder: inFolder(mailbox, name), columns: COLUMNS, sort, order: 'desc' }),
      );
      expect(answer.data).toHaveLength(MAILS.length);
    },
  );

  it('is searched as one at Dovecot', async () => {
    await fill('Searched');
    for (const filter of [
      ['=', { field: 'subject' }, 'alpha'],
      ['=', { field: 'subject' }, 'grüße'],
      ['=', { field: 'from' }, 'doe, jane'],
      ['=', { field: 'from' }, 'änna'],
      ['=', { field: 'content' }, 'wörld'],
      ['=', { field: 'flags' }, '32'],
      ['not', ['=', { field: 'flags' }, '32']],
      ['>', { field: 'size' }, '200'],
      ['>', { field: 'received_date' }, Date.UTC(2024, 0, 1, 0, 0, 1)],
      ['=', { header: 'X-Multi' }, 'one'],
      ['=', { field: 'color_label' }, 3],
      ['or', ['=', { field: 'subject' }, 'file'], ['=', { field: 'from' }, 'zed']],
      ['and'],
    ])
      for (const sort of ['600', '610'])
        await compare((mailbox) => {
          const wanted = { folder: inFolder(mailbox, 'Searched'), columns: '600', sort, order: 'asc' };
          return put(mailbox, 'search', wanted, { filter });
        });
  });

  it('has conversations, counts and content as one at Dovecot', async () => {
    const ids = await fill('Read');
    const told = { columns: '600,607,611', sort: '610', order: 'desc', includeSent: 'true' };
    await compare((mailbox) => get(mailbox, 'threadedAll', { folder: inFolder(mailbox, 'Read'), ...told }));
    await compare((mailbox) => get(mailbox, 'count', { folder: inFolder(mailbox, 'Read') }));
    await compare(async (mailbox) => {
      const { total, unread, next } = (await get(mailbox, 'examine', { folder: inFolder(mailbox, 'Read') })).data;
      return [total, unread, next];
    });
    for (const id of ids)
      await compare(async (mailbox) => {
        const { data } = await get(mailbox, 'get', { folder: inFolder(mailbox, 'Read'), id, view: 'html' });
        // Courier takes the CR before a boundary for a byte of a mail within.
        for (const { attachments } of data.nested_msgs ?? []) for (const each of attachments) delete each.size;
        return { ...data, account_name: '', account_id: 0 };
      });
    const answer = await compare(async (mailbox) => {
      const { U1 } = at.cast;
      const wanted = { action: 'attachment', session: U1.session, folder: inFolder(mailbox, 'Read'), id: ids[4]! };
      return (await U1.fetch('GET', '/mail', { ...wanted, attachment: '2' })).text();
    });
    expect(answer).toBe('Hello');
  });

  it('takes changes as one at Dovecot', async () => {
    const ids = await fill('Changed');
    await compare(({ imap, folder }) => imap.mailboxCreate(folder('Target')).then(() => 1));
    const [first, second, third] = ids as [string, string, string];
    // By id: Courier has mails of the same time the other way round.
    const order = { columns: '600,601,607,611,102', sort: '600', order: 'asc' };
    const rows = (name: string) => compare((mailbox) => all(mailbox, { folder: inFolder(mailbox, name), ...order }));
    const update = (id: string, body: (mailbox: Mailbox) => object) =>
      compare((mailbox) => put(mailbox, 'update', { folder: inFolder(mailbox, 'Changed'), id }, body(mailbox)));
    await update(first, () => ({ set_flags: 8 + 32 + 256, color_label: 5 }));
    await update(first, () => ({ clear_flags: 8 }));
    await update(second, (mailbox) => ({ folder_id: inFolder(mailbox, 'Target') }));
    await compare((mailbox) =>
      put(
        mailbox,
        'copy',
        { folder: inFolder(mailbox, 'Changed'), id: third },
        { folder_id: inFolder(mailbox, 'Target') },
      ),
    );
    expect((await rows('Target')).data).toHaveLength(2);
    await compare((mailbox) => put(mailbox, 'delete', {}, [{ folder: inFolder(mailbox, 'Changed'), id: third }]));
    await compare((mailbox) =>
      put(mailbox, 'delete', { harddelete: 'true' }, [{ folder: inFolder(mailbox, 'Changed'), id: first }]),
    );
    expect((await rows('Changed')).data).toHaveLength(2);
    expect((await rows('Trash')).data).toHaveLength(1);
    await compare((mailbox) => put(mailbox, 'all_seen', { folder: inFolder(mailbox, 'Changed') }, {}));
    await rows('Changed');
    await compare((mailbox) => put(mailbox, 'clear', {}, [inFolder(mailbox, 'Target')]));
    await rows('Target');
    await rows('Trash');
  });

  it('has folders that are made, renamed, moved and deleted as those at Dovecot', async () => {
    const folders = (_mailbox: Mailbox, method: string, action: string, parameters: object, body?: unknown) =>
      at.cast.U1.call(method, 'folders', action, { tree: '1', ...parameters }, body);
    const shown = async (mailbox: Mailbox, id: string) => {
      const { data, code } = await folders(mailbox, 'GET', 'get', { id });
      return code ?? [data.id, data.title, data.module, data.total, data.unread, data.subfolders];
    };
    await compare(async (mailbox) => {
      const inside = inFolder(mailbox, 'Wörk & Play');
      const parent = mailbox.account === 0 ? 'default0' : `default${mailbox.account}/INBOX`;
      const made = await folders(
        mailbox,
        'PUT',
        'new',
        { folder_id: parent },
        { title: 'Wörk & Play', module: 'mail' },
      );
      const below = await folders(mailbox, 'PUT', 'new', { folder_id: inside }, { title: 'Inner', module: 'mail' });
      const again = await folders(mailbox, 'PUT', 'new', { folder_id: inside }, { title: 'Inner', module: 'mail' });
      const told = [
        made.data,
        below.data,
        again.code,
        await shown(mailbox, inside),
        await shown(mailbox, `${inside}.Inner`),
      ];
      const renamed = await folders(mailbox, 'PUT', 'update', { id: inside }, { title: 'Other' });
      const other = inFolder(mailbox, 'Other');
      told.push(
        renamed.data,
        await shown(mailbox, other),
        await shown(mailbox, `${other}.Inner`),
        await shown(mailbox, inside),
      );
      const gone = await folders(mailbox, 'PUT', 'delete', { hardDelete: 'true' }, [other]);
      told.push(gone.data, await shown(mailbox, other));
      return told;
    });
  });

  it('keeps what is sent and drafts as one at Dovecot', async () => {
    const { U1 } = at.cast;
    for (const action of ['save', 'send'])
      await compare(async ({ from }) => {
        const ask = async (method: string, path: string, body?: FormData | string, headers?: Record<string, string>) =>
          (
            await U1.fetch(method, `/mail/compose${path}`, { session: U1.session }, { body, headers })
          ).json() as Promise<any>;
        const { id } = (await ask('POST', '')).data;
        const mail = { from: [null, from], to: [['A', 'a@x.example']], subject: action, content: '<p>x</p>' };
        await ask('PUT', `/${id}`, JSON.stringify(mail), { 'content-type': 'application/json' });
        const form = new FormData();
        form.append('JSON', '{}');
        const { data, code } = await ask('POST', `/${id}/${action}`, form);
        return [String(data).replace(/\d+$/, ''), code];
      });
  });
});
