import { ImapFlow } from 'imapflow';
import { createTestUser, type TestUser } from '../fixtures';
import { MAIL_PASSWORD } from '../mail-account/outside';
import {
  provisionMailbox,
  startChangedImap,
  startMail,
  storeMails,
  type MailFixtures,
  type StoredMail,
} from './mailbox';

const ALIAS = 'alias@mail.test';
/** Every right on a folder, with its administration. */
const ALL_RIGHTS = 403_710_016;
let at: MailFixtures;
let own: string;
beforeAll(async () => {
  at = await startMail(['ann', 'bob', 'carl', 'dora'], { MAIL_CONTENT_TIMEOUT_MS: '60000' }, { sharesFolders: true });
  const { admin, contextId, U1 } = at.cast;
  own = U1.email;
  await admin.expect('PATCH', `/admin/v1/contexts/${contextId}/users/${U1.userId}`, { aliases: [own, ALIAS] });
}, 120_000);
afterAll(() => at?.close());
beforeEach(async () => {
  at.sink.mails.length = 0;
  for (const { id } of (await call('GET', '')).data) await call('DELETE', `/${id}`);
});

const fetchOf = (method: string, path: string, query: object = {}, body?: FormData | object) => {
  const isJson = body !== undefined && !(body instanceof FormData);
  return at.cast.U1.fetch(
    method,
    `/mail/compose${path}`,
    { session: at.cast.U1.session, ...query },
    {
      body: isJson ? JSON.stringify(body) : body,
      headers: isJson ? { 'content-type': 'application/json' } : undefined,
    },
  );
};
const call = async (method: string, path: string, query?: object, body?: FormData | object): Promise<any> =>
  (await fetchOf(method, path, query, body)).json();
const openWith = (type: string, ids: readonly string[], query: object = {}, folder = 'INBOX') =>
  call(
    'POST',
    '',
    { type, ...query },
    ids.map((id) => ({ id, folderId: `default0/${folder}` })),
  );
async function open(type: string, ids: string | readonly string[], query: object = {}, folder?: string): Promise<any> {
  const answer = await openWith(type, typeof ids === 'string' ? [ids] : ids, query, folder);
  expect(answer.error).toBeUndefined();
  return answer.data;
}
const send = (id: string, json: object = {}): Promise<any> => {
  const form = new FormData();
  form.append('JSON', JSON.stringify(json));
  return call('POST', `/${id}/send`, {}, form);
};
const store = async (mail: StoredMail, folder = 'INBOX'): Promise<string> =>
  (await storeMails(at.imap, folder, [mail]))[0]!;
const bytesOf = async (id: string, attachment: string): Promise<string> =>
  (await fetchOf('GET', `/${id}/attachments/${attachment}`)).text();
/** What the mailbox tells of a mail. */
async function flagsOf(folder: string, id: string): Promise<string[] | undefined> {
  const lock = await at.imap.getMailboxLock(folder);
  try {
    // Otherwise what was removed meanwhile is still told.
    await at.imap.noop();
    const found = await at.imap.fetchOne(id, { flags: true }, { uid: true });
    return found ? [...(found.flags ?? [])] : undefined;
  } finally {
    lock.release();
  }
}
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const multipart = (kind: string, parts: readonly string[], boundary = kind): string[] => [
  ...parts.flatMap((part) => [`--${boundary}`, part]),
  `--${boundary}--`,
];
/** A mail with HTML, a picture of it, and two files. */
const rich = (headers: readonly string[] = []): StoredMail => ({
  subject: 'Plans',
  from: 'Bob <bob@x.example>',
  headers: [
    ...['Date: Mon, 01 Jan 2024 10:00:00 +0000', 'Message-ID: <plans@x.example>', 'References: <first@x.example>'],
    ...[`To: Me <${own}>`, ...headers, 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=mixed'],
  ],
  text: multipart('mixed', [
    [
      ...['Content-Type: multipart/related; boundary=related', ''],
      ...multipart('related', [
        'Content-Type: text/html\r\n\r\n<p>See <img src="cid:pic@x"> here</p><script>alert(1)</script>',
        `Content-Type: image/png; name=p.png\r\nContent-ID: <pic@x>\r\nContent-Transfer-Encoding: base64\r\n\r\n${PNG}`,
      ]),
    ].join('\r\n'),
    'Content-Type: text/plain; name=a.txt\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nfirst file',
    'Content-Type: application/pdf; name=b.pdf\r\nContent-Disposition: attachment; filename=b.pdf\r\n\r\n%PDF-1.4',
  ]).join('\r\n'),
});

describe('a text in several parts', () => {
  it('is whole in what answers, forwards or goes on with it, and the file between is a file', async () => {
    const html = (text: string) => `Content-Type: text/html; charset=utf-8\r\n\r\n<p>${text}</p>`;
    const id = await store({
      headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=mixed'],
      text: multipart('mixed', [
        html('before'),
        'Content-Type: application/pdf; name=x.pdf\r\nContent-Disposition: inline; filename=x.pdf\r\n\r\n%PDF',
        html('after'),
        'Content-Type: text/plain; charset=utf-8\r\n\r\na < b',
      ]).join('\r\n'),
    });
    for (const [type, files] of [
      ['reply', []],
      ['forward', ['x.pdf']],
      ['edit', ['x.pdf']],
    ] as const) {
      const { content, attachments } = await open(type, id);
      expect(content).toMatch(/<p>before<\/p>.*<p>after<\/p>.*a &lt; b/s);
      expect([type, attachments.map(({ name }: { name: string }) => name)]).toEqual([type, files]);
    }
    const { data } = await at.cast.U1.get<any>('mail', 'reply', { folder: 'default0/INBOX', id });
    expect(data.attachments).toHaveLength(1);
    expect(data.attachments[0].content).toMatch(/<p>before<\/p>.*<p>after<\/p>.*a &lt; b/s);
  });
});

describe('an answer', () => {
  it('CO-01 goes to whom the author wants, unquoted, and marks the original when it is sent', async () => {
    const id = await store({
      subject: 'x',
      from: 'Bob <bob@x.example>',
      headers: [
        ...['Reply-To: list@x.example', `To: ${ALIAS}`, 'Cc: cee@x.example', 'Message-ID: <one@x.example>'],
        'Date: Mon, 01 Jan 2024 10:00:00 +0000',
      ],
      text: 'Hello <you>',
    });
    const space = await open('reply', id);
    const originalFolderId = 'default0/INBOX';
    expect(space).toMatchObject({
      ...{ to: [[null, 'list@x.example']], cc: [], bcc: [], subject: 'Re: x', contentType: 'text/plain' },
      content: expect.stringMatching(/^Hello <you>\s*$/),
      from: [null, ALIAS],
      meta: {
        ...{ type: 'REPLY', date: Date.UTC(2024, 0, 1, 10), originalId: id, originalFolderId },
        replyFor: { originalId: id, originalFolderId },
      },
      attachments: [],
    });
    expect(await flagsOf('INBOX', id)).not.toContain('\\Answered');
    expect((await send(space.id)).error).toBeUndefined();
    const { from, text } = at.sink.mails[0]!;
    expect(from).toBe(ALIAS);
    expect(text).toMatch(/^In-Reply-To: <one@x\.example>/im);
    expect(text).toMatch(/^References: <one@x\.example>/im);
    expect(await flagsOf('INBOX', id)).toContain('\\Answered');
  });

  it('CO-14 shows pictures of the original, runs nothing of it, and has no files', async () => {
    const space = await open('Reply', await store(rich()));
    expect(space.content).not.toContain('script');
    const [picture, ...others] = space.attachments;
    expect(others).toEqual([]);
    expect(picture).toMatchObject({
      cid: 'pic@x',
      contentDisposition: 'INLINE',
      origin: 'MAIL',
      mimeType: 'image/png',
    });
    expect(space.content).toContain(`/image/mail/compose/image?uid=${space.id}${picture.id}"`);
    const uid = `${space.id}${picture.id}`;
    const shown = await at.cast.U1.fetch('GET', '/image/mail/compose/image', { session: at.cast.U1.session, uid });
    expect(Buffer.from(await shown.arrayBuffer()).toString('base64')).toBe(PNG);
    expect((await send(space.id, { content: `<p>Nice</p><blockquote>${space.content}</blockquote>` })).error).toBe(
      undefined,
    );
    const { text } = at.sink.mails[0]!;
    expect(text).toMatch(/multipart\/related/);
    expect(text).toMatch(/<img src=(3D)?"cid:/);
    expect(text).toContain(PNG.slice(0, 60));
    expect(text).toMatch(/^References: <first@x\.example> <plans@x\.example>/im);
    expect(text).not.toMatch(/compose\/image|first file/);
  });

  it('holds of HTML the content of its body, whose rules reach no other text', async () => {
    const html = '<html><head><style>p{color:red}</style></head><body><p>Hi</p></body></html>';
    const id = await store({ from: 'bob@x.example', headers: ['Content-Type: text/html'], text: html });
    for (const type of ['reply', 'replyall', 'forward'])
      expect((await open(type, id)).content).toMatch(
        /^<div id="(svc-\w+)"><style type="text\/css">#\1 p\{color:red\}<\/style><p>Hi<\/p>\s*<\/div>$/,
      );
    expect((await open('edit', id)).content).toMatch(/<style type="text\/css">p\{color:red\}<\/style>.*<p>Hi<\/p>/s);
  });

  it('CO-15 is plain text where it is to be', async () => {
    const id = await store({
      from: 'bob@x.example',
      headers: [`To: ${own}`, 'Content-Type: text/html'],
      text: '<p>1 &lt; 2 <b>bold</b></p>',
    });
    const space = await open('reply', id, { contentType: 'text/plain' });
    expect([space.contentType, space.content.trim()]).toEqual(['text/plain', '1 < 2 bold']);
    const plain = await store({ from: 'bob@x.example', text: '1 < 2' });
    const asHtml = await open('reply', plain, { contentType: 'text/html' });
    expect([asHtml.contentType, asHtml.content]).toEqual(['text/html', expect.stringContaining('1 &lt; 2')]);
  });

  it('CO-03 CO-05 to a mail of oneself goes to those it was sent to', async () => {
    const sent = await store({ from: `Me <${ALIAS}>`, headers: ['To: Bob <bob@x.example>'] }, 'Sent');
    const space = await open('reply', sent, {}, 'Sent');
    expect(space).toMatchObject({ to: [['Bob', 'bob@x.example']], from: [null, ALIAS] });
    const toMe = await store({ from: own, headers: [`To: ${own}`] });
    expect((await open('replyall', toMe)).to).toEqual([[null, own]]);
  });

  it('CO-04 CO-21 to all leaves the user out, and names nobody twice', async () => {
    const id = await store({
      from: 'Bob <bob@x.example>',
      headers: [`To: ${own}, dee@x.example`, `Cc: ${ALIAS}, cee@x.example, bob@x.example`],
    });
    const space = await open('reply_all', id);
    expect(space).toMatchObject({
      to: [
        ['Bob', 'bob@x.example'],
        [null, 'dee@x.example'],
      ],
      cc: [[null, 'cee@x.example']],
      meta: { type: 'REPLY_ALL' },
    });
  });

  it('takes ids of mails as numbers, too', async () => {
    const [id] = await storeMails(at.imap, 'Numbers', [{ subject: 'counted' }]);
    const { data } = await call('POST', '', { type: 'reply' }, [{ id: Number(id), folderId: 'default0/Numbers' }]);
    expect(data.meta.replyFor).toEqual({ originalId: id, originalFolderId: 'default0/Numbers' });
  });

  it('CO-12 needs one mail that is there, and leaves no space behind', async () => {
    const id = await store({});
    expect((await call('POST', '', { type: 'reply' })).code).toBe('SVL-0031');
    expect((await openWith('reply', [])).code).toBe('SVL-0031');
    expect((await call('POST', '', { type: 'reply' }, [{ id: '1' }])).code).toBe('SVL-0031');
    expect((await call('POST', '', { type: 'reply' }, { id: 'x', folderId: 'default0/INBOX' })).code).toBe('MSG-0032');
    expect((await openWith('reply', ['4294967290'])).code).toBe('MSG-0032');
    expect((await openWith('reply', [id], {}, 'nosuch')).code).toBe('IMAP-1002');
    expect((await openWith('reply', [id, id])).code).toBe('MSG-0047');
    expect((await openWith('constructor', [id])).code).toBe('SVL-0010');
    expect((await call('GET', '')).data).toEqual([]);
    expect((await call('POST', '', { type: 'reply' }, { id, folderId: 'default0/INBOX' })).data.subject).toBe(
      'Re: none',
    );
  });

  it('has no tabs and no ends of lines of the original in subjects and names, and can be sent and saved', async () => {
    const { U1 } = at.cast;
    const subject = '=?utf-8?Q?a=09b=C2=85c=E2=80=A8d=0D=0AX-Evil:_1?=';
    const id = await store({
      subject,
      from: '=?utf-8?Q?Doe=09Jane=E2=80=A9?= <jane@x.example>',
      headers: [`To: ${own}`],
    });
    const clean = 'a b c d X-Evil: 1';
    const reply = await open('reply', id);
    expect(reply).toMatchObject({ subject: `Re: ${clean}`, to: [['Doe Jane', 'jane@x.example']] });
    expect((await send(reply.id)).error).toBeUndefined();
    const forward = await open('forward', id);
    expect(forward.subject).toBe(`Fwd: ${clean}`);
    expect(await call('POST', `/${forward.id}/save`)).not.toHaveProperty('error');
    expect((await open('edit', id)).subject).toBe(clean);
    const old = await U1.get<any>('mail', 'reply', { folder: 'default0/INBOX', id });
    expect(old.data).toMatchObject({ subject: `Re: ${clean}`, to: [['Doe Jane', 'jane@x.example']] });
    const typed = await open('reply', id);
    const fields = { subject: 'x\ty\nX-Evil: 1', to: [['A\tB\nC', 'bob@x.example']] };
    expect((await send(typed.id, fields)).error).toBeUndefined();
    expect(at.sink.mails).toHaveLength(2);
    expect(at.sink.mails[1]!.text).toMatch(/^To: A B C <bob@x\.example>\r$/m);
    expect(at.sink.mails[1]!.text).toMatch(/^Subject: x y X-Evil: 1\r$/m);
    for (const { text } of at.sink.mails) expect(text).not.toMatch(/^X-Evil/m);
  });

  it('CN-22 is sent though the original is gone', async () => {
    const id = await store({ from: 'bob@x.example', headers: ['Message-ID: <gone@x.example>'] });
    const space = await open('reply', id);
    await at.cast.U1.put('mail', 'delete', { harddelete: true }, [{ folder: 'default0/INBOX', id }]);
    expect(await send(space.id)).toMatchObject({ code: 'MSG-0082', data: expect.stringMatching(/Sent/) });
    expect(at.sink.mails).toHaveLength(1);
  });
});

describe('files of the original', () => {
  it('CA-10 are added to an answer once', async () => {
    const original = await store(rich());
    const space = await open('reply', original);
    const addTo = (id: string) => call('POST', `/${id}/attachments/original`);
    const { data } = await addTo(space.id);
    expect(data).toMatchObject([
      { name: 'a.txt', size: 10, origin: 'MAIL', contentDisposition: 'ATTACHMENT' },
      { name: 'b.pdf', mimeType: 'application/pdf' },
    ]);
    expect(await bytesOf(space.id, data[0].id)).toBe('first file');
    expect((await addTo(space.id)).data).toEqual([]);
    expect((await call('GET', `/${space.id}`)).data.attachments).toEqual([...space.attachments, ...data]);
    expect((await addTo((await call('POST', '')).data.id)).code).toBe('MSGCS-0008');
    expect((await addTo('f'.repeat(32))).code).toBe('MSGCS-0007');
    await at.cast.U1.put('mail', 'delete', { harddelete: true }, [{ folder: 'default0/INBOX', id: original }]);
    expect((await addTo(space.id)).code).toBe('MSG-0032');
  });
});

describe('a mail that is passed on', () => {
  it('has the text, the pictures and the files of the original', async () => {
    const id = await store(rich());
    const space = await open('forward', id);
    expect(space).toMatchObject({
      ...{ to: [], cc: [], bcc: [], subject: 'Fwd: Plans', contentType: 'text/html' },
      meta: { type: 'FORWARD_INLINE', forwardsFor: [{ originalId: id, originalFolderId: 'default0/INBOX' }] },
      attachments: [
        { cid: 'pic@x', contentDisposition: 'INLINE' },
        { name: 'a.txt', size: 10, contentDisposition: 'ATTACHMENT', origin: 'MAIL', mimeType: 'text/plain' },
        { name: 'b.pdf', mimeType: 'application/pdf' },
      ],
    });
    expect(await bytesOf(space.id, space.attachments[1].id)).toBe('first file');
    expect((await send(space.id, { to: [[null, 'cee@x.example']] })).error).toBeUndefined();
    expect(at.sink.mails[0]!.text).toMatch(/filename="?a\.txt/);
    expect(await flagsOf('INBOX', id)).toContain('$Forwarded');
  });

  it('CO-17 has mails within it as files', async () => {
    const nested = 'Content-Type: message/rfc822\r\n\r\nSubject: Inner\r\nFrom: dee@x.example\r\n\r\nInner text';
    const id = await store({
      headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=mixed'],
      text: multipart('mixed', [
        ...['Content-Type: text/plain\r\n\r\nOuter', nested],
        nested.replace('\r\n', '\r\nContent-Disposition: attachment; filename=msg.eml\r\n'),
      ]).join('\r\n'),
    });
    const space = await open('forward', id);
    expect(space.attachments).toMatchObject(
      ['Inner.eml', 'msg.eml'].map((name) => ({ name, mimeType: 'message/rfc822' })),
    );
    expect(await bytesOf(space.id, space.attachments[0].id)).toContain('Inner text');
  });

  it('CO-22 has the files that can be read, and tells which one cannot', async () => {
    const id = await store(rich());
    const port = await startChangedImap(at.outside, {
      answer: (command) => (/FETCH .*BODY\.PEEK\[3\]/.test(command) ? 'NO [SERVERBUG] unreadable' : undefined),
    });
    const account = (
      await at.cast.U1.put(
        'account',
        'new',
        {},
        {
          ...{ name: 'broken', mail_url: `imaps://mail.test:${port}`, login: 'ann', password: MAIL_PASSWORD },
          ...{ primary_address: 'broken@mail.test', transport_url: 'smtp://mail.test:2525' },
        },
      )
    ).data.id;
    const answer = await call('POST', '', { type: 'forward' }, [{ id, folderId: `default${account}/INBOX` }]);
    expect(answer).toMatchObject({
      code: 'MSGCS-0024',
      error_params: ['b.pdf'],
      data: { subject: 'Fwd: Plans', attachments: [{ cid: 'pic@x' }, { name: 'a.txt' }] },
    });
    expect(answer.data.attachments).toHaveLength(2);
    expect(await bytesOf(answer.data.id, answer.data.attachments[1].id)).toBe('first file');
  });

  it('CO-07 is attached whole when there are several', async () => {
    const ids = [await store({ subject: 'One' }), await store({ subject: 'Two/3' }), await store({ subject: '' })];
    const space = await open('forward', ids);
    expect(space).toMatchObject({
      meta: { type: 'FORWARD_ATTACHMENT', forwardsFor: ids.map((originalId) => ({ originalId })) },
      attachments: ['One.eml', 'Two_3.eml', 'mail.eml'].map((name) => ({ name, mimeType: 'message/rfc822' })),
    });
    expect(await bytesOf(space.id, space.attachments[0].id)).toMatch(/^Subject: One/m);
    expect((await send(space.id, { to: [[null, 'cee@x.example']] })).error).toBeUndefined();
    for (const id of ids) expect(await flagsOf('INBOX', id)).toContain('$Forwarded');
    expect(
      (
        await openWith(
          'forward',
          Array.from({ length: 9 }, () => ids[0]!),
        )
      ).code,
    ).toBe('MSG-0080');
  });
});

describe('what users chose in their settings', () => {
  const choose = async <T>(name: string, value: unknown, work: () => Promise<T>): Promise<T> => {
    const { U1 } = at.cast;
    const set = async (chosen: unknown) => {
      const answer = await U1.fetch(
        'PUT',
        `/config/modules/mail/${name}`,
        { session: U1.session },
        { body: JSON.stringify({ data: chosen }) },
      );
      expect(((await answer.json()) as any).error).toBeUndefined();
    };
    const before = (await (
      await U1.fetch('GET', `/config/modules/mail/${name}`, { session: U1.session })
    ).json()) as any;
    await set(value);
    return work().finally(() => set(before.data));
  };

  it('CO-08 attaches a mail whole that is forwarded', async () => {
    const id = await store({ subject: 'Whole' });
    const space = await choose('forwardmessage', 'Attachment', () => open('forward', id));
    expect(space).toMatchObject({
      meta: { type: 'FORWARD_ATTACHMENT' },
      subject: 'Fwd: Whole',
      attachments: [{ name: 'Whole.eml', mimeType: 'message/rfc822' }],
    });
  });

  it('CO-04 names the others in Cc', async () => {
    const to = `To: ${own}, cee@x.example`;
    const id = await store({ subject: 'All', from: 'bob@x.example', headers: [to] });
    const space = await choose('replyallcc', true, () => open('replyall', id));
    expect([space.to, space.cc]).toMatchObject([[[null, 'bob@x.example']], [[null, 'cee@x.example']]]);
    expect((await open('replyall', id)).cc).toEqual([]);
  });

  it('begins new mails as plain text', async () => {
    const opened = await choose('inlineattachments', false, () => call('POST', ''));
    expect(opened.data.contentType).toBe('text/plain');
    expect((await call('POST', '')).data.contentType).toBe('text/html');
  });

  it('begins the text beside mails that are attached whole as that of new ones', async () => {
    const ids = [await store({ subject: 'One' }), await store({ subject: 'Two' })];
    const space = await choose('inlineattachments', false, () => open('forward', ids));
    expect(space).toMatchObject({ meta: { type: 'FORWARD_ATTACHMENT' }, contentType: 'text/plain' });
    expect((await open('forward', ids)).contentType).toBe('text/html');
  });
});

describe('a draft', () => {
  it('CO-09 comes back whole, goes when it is saved anew, and marks the original when it is sent', async () => {
    const original = await store(rich());
    const first = await open('reply', original, {
      originalAttachments: true,
      priority: 'high',
      requestReadReceipt: true,
    });
    expect(first.attachments.map(({ name }: { name: string }) => name)).toEqual(['p.png', 'a.txt', 'b.pdf']);
    await call(
      'PUT',
      `/${first.id}`,
      {},
      { bcc: [[null, 'secret@x.example']], sharedAttachments: { enabled: true, password: 'geheim' } },
    );
    const [saved] = [(await call('POST', `/${first.id}/save`)).data];
    const draft = saved.split('/').pop();
    const second = await open('edit', draft, {}, 'Drafts');
    expect(second).toMatchObject({
      ...{ to: first.to, bcc: [[null, 'secret@x.example']], subject: 'Re: Plans', from: first.from },
      ...{ priority: 'high', requestReadReceipt: true, contentType: 'text/html' },
      sharedAttachments: { enabled: true, password: 'geheim' },
      meta: {
        type: 'EDIT',
        replyFor: { originalId: original, originalFolderId: 'default0/INBOX' },
        editFor: { originalId: draft, originalFolderId: 'default0/Drafts' },
      },
    });
    expect(second.attachments.map(({ name }: { name: string }) => name)).toEqual(['p.png', 'a.txt', 'b.pdf']);
    expect(second.content).toContain(`${second.id}${second.attachments[0].id}`);
    await call('PUT', `/${second.id}`, {}, { subject: 'Later', sharedAttachments: null });
    const again = (await call('POST', `/${second.id}/save`)).data.split('/').pop();
    expect(await flagsOf('Drafts', draft)).toBeUndefined();
    const third = await open('edit', again, {}, 'Drafts');
    expect(third).toMatchObject({ subject: 'Later', sharedAttachments: { enabled: false } });
    expect((await send(third.id)).error).toBeUndefined();
    expect(at.sink.mails[0]!.text).toMatch(/^In-Reply-To: <plans@x\.example>/im);
    expect(at.sink.mails[0]!.text).not.toMatch(/X-Svc-Compose/i);
    expect(await flagsOf('Drafts', again)).toBeUndefined();
    expect(await flagsOf('INBOX', original)).toContain('\\Answered');
  });

  it('CO-09 has the password of its link sealed for the user; where that does not open, no link is sent without', async () => {
    const { U1 } = at.cast;
    const NAME = 'X-Svc-Compose-Shared-Attachments';
    const { id } = (await call('POST', '')).data;
    const to = [[null, 'bob@x.example']];
    const wanted = {
      enabled: true,
      language: 'de_DE',
      autodelete: true,
      expiryDate: 1_900_000_000_000,
      password: 'geheim',
    };
    await call('PUT', `/${id}`, {}, { to, subject: 'Link', sharedAttachments: wanted });
    const draft = (await call('POST', `/${id}/save`)).data.split('/').pop();
    const { data: shown } = await U1.get<any>('mail', 'get', { folder: 'default0/Drafts', id: draft });
    const kept = Buffer.from(shown.headers[NAME], 'base64').toString();
    expect(JSON.stringify(shown) + kept).not.toMatch(/geheim/);
    for (const type of ['edit', 'copy'])
      expect((await open(type, draft, {}, 'Drafts')).sharedAttachments).toEqual(wanted);

    const { sealed, ...others } = JSON.parse(kept);
    for (const state of [{ ...others, sealed: `${sealed.slice(0, -6)}AAAAAA` }, others]) {
      const header = `${NAME}: ${Buffer.from(JSON.stringify(state)).toString('base64')}`;
      const lost = await store({ from: own, headers: [`To: bob@x.example`, header], flags: ['\\Draft'] }, 'Drafts');
      const opened = await openWith('edit', [lost], {}, 'Drafts');
      expect(opened).toMatchObject({
        warnings: expect.objectContaining({ code: 'MSGCS-0013' }),
        data: { sharedAttachments: { ...wanted, password: null } },
      });
      expect(opened.data.meta).not.toHaveProperty('lostPassword');
      // Clients send back what they got: the password stays lost, also in the draft that follows.
      const { sharedAttachments } = opened.data;
      expect((await send(opened.data.id, { sharedAttachments })).code).toBe('MSGCS-0013');
      const again = (await call('POST', `/${opened.data.id}/save`)).data.split('/').pop();
      const { data: space } = await openWith('edit', [again], {}, 'Drafts');
      expect((await send(space.id)).code).toBe('MSGCS-0013');
      expect(at.sink.mails).toHaveLength(0);
      const renewed = { ...sharedAttachments, password: 'neu' };
      expect(await call('PUT', `/${space.id}`, {}, { sharedAttachments: renewed })).not.toHaveProperty('error');
      const last = (await call('POST', `/${space.id}/save`)).data.split('/').pop();
      expect((await open('copy', last, {}, 'Drafts')).sharedAttachments).toEqual(renewed);
      const unshared = await open('edit', last, {}, 'Drafts');
      expect((await send(unshared.id, { sharedAttachments: { enabled: false } })).error).toBeUndefined();
      expect(at.sink.mails.splice(0)).toHaveLength(1);
    }
  });

  it('goes on with what it answers or forwards, whichever way it was saved', async () => {
    const { U1 } = at.cast;
    const [answered, forwarded] = [await store(rich()), await store(rich())];
    const autosave = async (sendtype: number, id: string): Promise<string> => {
      const text = [{ content_type: 'text/plain', content: 'x' }];
      const draft = { subject: 'begun', to: [[null, 'bob@x.example']], attachments: text };
      const saved = await U1.put('mail', 'autosave', {}, { ...draft, sendtype, msgref: `default0/INBOX/${id}` });
      return saved.data.split('/').pop();
    };
    const toOriginal = (id: string) => ({ originalId: id, originalFolderId: 'default0/INBOX' });
    for (const [sendtype, id, meta, flag] of [
      [1, answered, { replyFor: toOriginal(answered) }, '\\Answered'],
      [2, forwarded, { forwardsFor: [toOriginal(forwarded)] }, '$Forwarded'],
    ] as const) {
      const draft = await autosave(sendtype, id);
      expect((await open('copy', draft, {}, 'Drafts')).meta).toMatchObject(meta);
      const space = await open('edit', draft, {}, 'Drafts');
      expect(space.meta).toMatchObject({ type: 'EDIT', ...meta });
      at.sink.mails.length = 0;
      expect((await send(space.id)).error).toBeUndefined();
      expect(at.sink.mails[0]!.text).toMatch(/^In-Reply-To: <plans@x\.example>/im);
      expect(at.sink.mails[0]!.text).not.toMatch(/^X-Svc-/im);
      expect(await flagsOf('INBOX', id)).toContain(flag);
    }
    const other = await store(rich());
    const space = await open('reply', other);
    const path: string = (await call('POST', `/${space.id}/save`)).data;
    const json = { to: [[null, 'bob@x.example']], subject: 'later', sendtype: 4, msgref: path, attachments: [] };
    const form = new FormData();
    form.append('json_0', JSON.stringify(json));
    at.sink.mails.length = 0;
    await U1.fetch('POST', '/mail', { action: 'new', session: U1.session }, { body: form });
    expect(at.sink.mails[0]!.text).toMatch(/^In-Reply-To: <plans@x\.example>/im);
    expect(await flagsOf('INBOX', other)).toContain('\\Answered');
  });

  it('goes on with the thread that another program began', async () => {
    const headers = [
      'To: bob@x.example',
      'In-Reply-To: <two@x.example>',
      'References: <one@x.example> <two@x.example>',
    ];
    const mail = { subject: 'Re: far', from: `Me <${own}>`, headers, flags: ['\\Draft'] };
    const first = await open('edit', await store(mail, 'Drafts'), {}, 'Drafts');
    const saved = (await call('POST', `/${first.id}/save`)).data.split('/').pop();
    const second = await open('edit', saved, {}, 'Drafts');
    expect(second.meta).not.toHaveProperty('replyFor');
    expect((await send(second.id)).error).toBeUndefined();
    expect(at.sink.mails[0]!.text).toMatch(/^In-Reply-To: <two@x\.example>\r$/im);
    expect(at.sink.mails[0]!.text).toMatch(/^References: <one@x\.example>\s+<two@x\.example>\r$/im);
  });

  it('CO-18 CO-19 CO-11 of another program, a mail that is none, copies, and mails sent again', async () => {
    const headers = ['To: Bob <bob@x.example>', 'Cc: cee@x.example', 'X-Priority: 1', 'X-Svc-Compose-Meta: e30= !'];
    const mail = { subject: 'Old', from: `Me <${own}>`, headers, text: 'Text' };
    const draft = await store({ ...mail, flags: ['\\Draft'] }, 'Drafts');
    const fields = {
      ...{ to: [['Bob', 'bob@x.example']], cc: [[null, 'cee@x.example']], subject: 'Old', priority: 'high' },
      content: expect.stringMatching(/^Text\s*$/),
    };
    const edited = await open('edit', draft, {}, 'Drafts');
    expect(edited).toMatchObject({ ...fields, meta: { type: 'EDIT', editFor: { originalId: draft } } });
    const copied = await open('copy', draft, {}, 'Drafts');
    expect(copied).toMatchObject({ ...fields, meta: { type: 'COPY' } });
    expect(copied.meta).not.toHaveProperty('editFor');
    expect((await send(copied.id)).error).toBeUndefined();
    expect(await flagsOf('Drafts', draft)).toContain('\\Draft');
    const other = await store({ ...mail, from: 'Foreign <foreign@x.example>' });
    expect((await open('edit', other)).meta).toEqual({ type: 'EDIT' });
    const resent = await open('resend', other);
    expect(resent).toMatchObject({ ...fields, meta: { type: 'RESEND' } });
    expect(resent).not.toHaveProperty('from');
    await call('DELETE', `/${edited.id}`);
    expect(await flagsOf('Drafts', draft)).toContain('\\Draft');
  });
});

describe('a folder that somebody shares, and mails in it', () => {
  const TEAM = 'shared.bob.Team';
  let bob: TestUser;
  let imap: ImapFlow;
  let id: string;
  /** Changes who may do what in the folder: RFC 4314, for which the library has no method. */
  const changeRights = async (command: 'SETACL' | 'DELETEACL', ...words: string[]): Promise<void> => {
    const tokens = ['Team', ...words].map((value) => ({ type: 'ATOM', value }));
    const raw = imap as unknown as { exec(name: string, tokens: object[]): Promise<{ next(): void }> };
    (await raw.exec(command, tokens)).next();
  };
  beforeAll(async () => {
    const { cast, outside } = at;
    bob = await createTestUser(at.world, cast.admin, cast.contextId, 'bob');
    // Has the name of a login, but no mailbox at that server.
    await createTestUser(at.world, cast.admin, cast.contextId, 'carl');
    await provisionMailbox(at, bob, { login: 'bob' });
    imap = new ImapFlow({
      ...{ host: '127.0.0.1', port: outside.dovecot.imap, secure: false, doSTARTTLS: false, logger: false },
      auth: { user: 'bob', pass: MAIL_PASSWORD },
    });
    await imap.connect();
    const headers = [`To: ${bob.email}, Dora <dora@x.example>`, 'Message-ID: <team@x.example>'];
    [id] = (await storeMails(imap, 'Team', [{ from: 'Zoe <zoe@x.example>', subject: 'Plan', headers }])) as [string];
    await changeRights('SETACL', 'ann', 'lrws');
  }, 60_000);
  afterAll(() => imap?.logout());

  it('shows who has rights to who administrates it, and to others their own', async () => {
    const { cast, world } = at;
    const dora = await createTestUser(world, cast.admin, cast.contextId, 'dora');
    await provisionMailbox(at, dora, { login: 'dora' });
    await changeRights('SETACL', 'dora', 'lr');
    await changeRights('SETACL', 'anyone', 'l');
    // Has a login of that name, but at no server.
    await changeRights('SETACL', 'carl', 'lrws');
    await changeRights('SETACL', 'nobody', 'lrws');
    const entry = (entity: number, bits: number, rights: string) => ({
      entity,
      group: false,
      type: 'user',
      bits,
      rights,
    });
    const all = entry(bob.userId, ALL_RIGHTS, 'lrswipcdtea');
    const others = [entry(dora.userId, 257, 'lrs'), { ...entry(0, 1, 'l'), group: true, type: 'group' }];
    const { data } = await bob.get('folders', 'get', { id: 'default0/Team' });
    expect(data).toMatchObject({ own_rights: ALL_RIGHTS, 'com.openexchange.share.isShared': true });
    expect(data.permissions[0]).toEqual(all);
    expect(data.permissions.slice(1)).toEqual(expect.arrayContaining(others));
    expect(data.permissions).toHaveLength(3);
    const listed = await bob.get('folders', 'list', { parent: 'default0', columns: '1,306' });
    const rows: [string, object[]][] = listed.data;
    expect(rows.find(([path]) => path === 'default0/Team')![1]).toEqual(data.permissions);
    expect(rows.find(([path]) => path === 'default0/INBOX')![1]).toEqual([all]);
    const seen = await dora.get('folders', 'get', { id: `default0/${TEAM}` });
    expect(seen.data.permissions).toEqual([entry(dora.userId, 257, 'lrs')]);
    const give = async (by: TestUser, id: string, permissions: object[]) =>
      (await by.put('folders', 'update', { id, timestamp: 9e12 }, { permissions })).code;
    const reviewer = { entity: dora.userId, group: false, bits: 33025 };
    expect(await give(dora, `default0/${TEAM}`, seen.data.permissions)).toBeUndefined();
    expect(await give(dora, `default0/${TEAM}`, [reviewer, all])).toBe('FLD-0010');
    const stranger = await createTestUser(world, cast.admin, cast.contextId, 'stranger');
    expect(await give(bob, 'default0/Team', [all, { ...reviewer, entity: stranger.userId }])).toBe('FLD-0044');
    expect(await give(bob, 'default0/Team', [reviewer])).toBe('FLD-0018');
    expect(await give(bob, 'default0/Team', [all, { ...reviewer, bits: 3 }])).toBe('FLD-0061');
    expect(await give(bob, 'default0/Team', data.permissions)).toBeUndefined();
    expect(await give(bob, 'default0/Team', [all, reviewer])).toBeUndefined();
    const changed = await bob.get('folders', 'get', { id: 'default0/Team' });
    expect(changed.data.permissions).toEqual([all, entry(dora.userId, 33025, 'lrsw')]);
    const body = { title: 'Ours', module: 'mail', permissions: [all, reviewer] };
    const { data: made } = await bob.put('folders', 'new', { folder_id: 'default0' }, body);
    expect((await bob.get('folders', 'get', { id: made })).data.permissions).toEqual(changed.data.permissions);
    expect(await give(bob, made, [all])).toBeUndefined();
    expect((await bob.get('folders', 'get', { id: made })).data.permissions).toEqual([all]);
  });

  it('CO-16 is answered in the name of its owner, by the user', async () => {
    const space = await open('reply', id, {}, TEAM);
    expect(space).toMatchObject({
      to: [['Zoe', 'zoe@x.example']],
      from: [null, bob.email],
      sender: [null, own],
      meta: { type: 'REPLY', replyFor: { originalId: id, originalFolderId: `default0/${TEAM}` } },
    });
    // To all, but not to the owner.
    const everybody = await open('replyall', id, {}, TEAM);
    expect(JSON.stringify([everybody.to, everybody.cc])).not.toContain(bob.email);
    expect(JSON.stringify(everybody.to)).toContain('dora@x.example');
    const sent = await send(space.id, { content: 'Yes' });
    expect(sent.error).toBeUndefined();
    const [mail] = at.sink.mails;
    expect(mail!.from).toBe(own);
    expect(mail!.text).toContain(`From: ${bob.email}\r\n`);
    expect(mail!.text).toContain(`Sender: ${own}\r\n`);
    expect(mail!.text).toContain('In-Reply-To: <team@x.example>');
    expect(sent.data).toMatch(/^default0\/Sent\//);
    const flags = await imap.getMailboxLock('Team').then(async (lock) => {
      await imap.noop();
      const found = await imap.fetchOne(id, { flags: true }, { uid: true });
      lock.release();
      return found && [...found.flags!];
    });
    expect(flags).toContain('\\Answered');
  });

  it('has the rights that its server gives', async () => {
    const read = async (name: string): Promise<any> => {
      const answer: any = await at.cast.U1.get('folders', 'get', { id: `default0/${name}`, tree: 1 });
      expect(answer.error).toBeUndefined();
      return answer.data;
    };
    const bits = 33025;
    expect(await read(TEAM)).toMatchObject({
      own_rights: bits,
      permissions: [{ entity: at.cast.U1.userId, bits, rights: 'lrsw' }],
    });
    expect(await read('INBOX')).toMatchObject({ own_rights: 403710016, permissions: [{ rights: 'lrswipcdtea' }] });
  });

  it('CO-16 is saved and edited so, and goes in the own name where the user wants that', async () => {
    const { id: first } = await open('reply', id, {}, TEAM);
    const { data: path } = await call('POST', `/${first}/save`, {}, new FormData());
    const draft = String(path).split('/').at(-1)!;
    const again = await open('edit', draft, {}, 'Drafts');
    expect(again).toMatchObject({ from: [null, bob.email], sender: [null, own] });
    expect((await send(again.id, {})).error).toBeUndefined();
    const { id: second } = await open('reply', id, {}, TEAM);
    const { data: changed } = await call('PUT', `/${second}`, {}, { from: [null, own], sender: [null, 'x@x.example'] });
    expect([changed.from, changed.sender]).toEqual([[null, own], undefined]);
    expect((await send(second)).error).toBeUndefined();
    const texts = at.sink.mails.map(({ text }) => /^Sender: .*$/m.exec(text)?.[0].trim());
    expect(texts).toEqual([`Sender: ${own}`, undefined]);
  });

  it('MX-18 is answered in the name of its owner by the older calls, too', async () => {
    const { U1 } = at.cast;
    const folder = `default0/${TEAM}`;
    const { data } = await U1.get('mail', 'reply', { folder, id, setFrom: true });
    expect(data).toMatchObject({ from: [[null, bob.email]], msgref: `${folder}/${id}` });
    const attempt = async (mail: object): Promise<any> => {
      const form = new FormData();
      const json = { from: data.from, to: data.to, subject: data.subject, attachments: data.attachments };
      form.append('json_0', JSON.stringify({ ...json, ...mail }));
      const query = { action: 'new', session: U1.session, force_json_response: true, plainJson: true };
      return (await U1.fetch('POST', '/mail', query, { body: form })).json();
    };
    expect((await attempt({ sendtype: 1, msgref: data.msgref })).error).toBeUndefined();
    expect(at.sink.mails.map(({ from }) => from)).toEqual([own]);
    expect(at.sink.mails[0]!.text).toContain(`Sender: ${own}\r\n`);
    // In no other mail, and in no other name.
    const mine = await store({ subject: 'mine' });
    for (const mail of [
      {},
      { sendtype: 1, msgref: `default0/INBOX/${mine}` },
      { sendtype: 1, msgref: `${folder}/99999` },
      { sendtype: 1, msgref: `default0/shared.carl.Team/${id}` },
      { sendtype: 2, msgref: data.msgref },
      { sendtype: 1, msgref: data.msgref, from: [[null, 'carl@mail.test']] },
    ])
      expect((await attempt(mail)).code).toBe('MSG-0056');
    expect(at.sink.mails).toHaveLength(1);
  });

  it('CO-16 is answered in no name but the own one once it is shared no more', async () => {
    const { id: space } = await open('reply', id, {}, TEAM);
    await changeRights('DELETEACL', 'ann');
    expect((await send(space, {})).code).toBe('MSG-0056');
    expect(at.sink.mails).toEqual([]);
    expect((await call('GET', `/${space}`)).data).toMatchObject({ from: [null, bob.email] });
  });
});
