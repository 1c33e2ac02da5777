import { startMail, type MailFixtures } from './mailbox';

let at: MailFixtures;
let own: string;
beforeAll(async () => {
  at = await startMail(['ann', 'bob'], { MAIL_COMPOSE_SWEEP_INTERVAL_MS: '200', MAIL_COMPOSE_FILE_AGE_MS: '30000' });
  own = at.cast.U1.email;
}, 120_000);
afterAll(() => at?.close());
beforeEach(async () => {
  at.sink.mails.length = 0;
  at.sink.refusals.recipients.clear();
  for (const { id } of (await call('GET', '')).data) await call('DELETE', `/${id}`);
});

type User = 'U1' | 'U2';
const fetchOf = (method: string, path: string, query: object = {}, body?: FormData | object, user: User = 'U1') => {
  const form = body instanceof FormData || body === undefined;
  return at.cast[user].fetch(
    method,
    `/mail/compose${path}`,
    { session: at.cast[user].session, ...query },
    {
      body: form ? (body as FormData) : JSON.stringify(body),
      headers: form ? undefined : { 'content-type': 'application/json' },
    },
  );
};
async function call(method: string, path: string, ...rest: [query?: object, body?: FormData | object, user?: User]) {
  return (await (await fetchOf(method, path, ...rest)).json()) as any;
}
const open = async (query: object = {}, body?: object): Promise<any> => {
  const answer = await call('POST', '', query, body);
  expect(answer).not.toHaveProperty('error');
  return answer.data;
};
const put = (id: string, body: object, query: object = {}) => call('PUT', `/${id}`, query, body);
const get = async (id: string): Promise<any> => (await call('GET', `/${id}`)).data;
type File = readonly [name: string, content: string | Buffer, type?: string];
const formOf = (files: readonly File[], fields: Record<string, string> = {}): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  files.forEach(([name, content, type = 'text/plain'], index) =>
    form.append(`file_${index}`, new Blob([content], { type }), name),
  );
  return form;
};
const attach = (id: string, files: readonly File[], fields: Record<string, string> = {}) =>
  call('POST', `/${id}/attachments`, {}, formOf(files, fields));
const send = (id: string, json: object = {}, query: object = {}, files: readonly File[] = []) =>
  call('POST', `/${id}/send`, query, formOf(files, { JSON: JSON.stringify(json) }));
/** A mail of a folder by its path, as the mail module shows it. */
async function readMail(path: string): Promise<any> {
  const slash = path.lastIndexOf('/');
  const query = { folder: path.slice(0, slash), id: path.slice(slash + 1), view: 'raw', unseen: true };
  const { data } = await at.cast.U1.get('mail', 'get', query);
  return { ...data, files: data.attachments.filter(({ disp }: { disp: string }) => disp === 'attachment') };
}
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const to = [['Bob', 'bob@x.example']];

describe('a space', () => {
  it('CS-01 CS-23 is opened empty, with any body or none', async () => {
    const made = await open();
    expect(made).toMatchObject({
      id: expect.stringMatching(/^[\da-f]{32}$/),
      ...{ to: [], cc: [], bcc: [], subject: '', content: '', attachments: [], contentType: 'text/html' },
      ...{ meta: { type: 'NEW' }, priority: 'normal', requestReadReceipt: false },
      security: { encrypt: false, sign: false },
      sharedAttachments: { enabled: false },
    });
    expect(made).not.toHaveProperty('from');
    expect((await open({ type: 'new' }, [])).meta.type).toBe('NEW');
    expect((await open({ type: 'NEW', priority: 'high', contentType: 'text/plain' }, {})).priority).toBe('high');
    expect((await call('POST', '', { type: 'nosuch' })).code).toBe('SVL-0010');
    expect((await call('GET', '')).data).toHaveLength(3);
  });

  it('CS-04 CS-08 CS-24 CS-25 takes fields one by one, and an author as one pair', async () => {
    const { id } = await open();
    const { data } = await put(id, {
      ...{
        from: ['N', own],
        to,
        subject: 'S',
        content: 'C',
        nosuch: 1,
        attachments: [{ id: 'x' }],
        meta: { type: 'EDIT' },
      },
      ...{ priority: 'low', requestReadReceipt: true, security: { pgpInline: true }, contentType: 'text/plain' },
    });
    expect(data).toMatchObject({
      ...{
        id,
        from: ['N', own],
        to,
        cc: [],
        subject: 'S',
        content: 'C',
        contentType: 'text/plain',
        meta: { type: 'NEW' },
      },
      ...{ priority: 'low', requestReadReceipt: true, security: { pgpInline: true, encrypt: false }, attachments: [] },
    });
    await put(id, { from: [['N', own]], to: ['a@x.example', ['b@x.example'], [null, 'noaddress']], priority: 'odd' });
    const after = await get(id);
    expect(after).toMatchObject({ from: ['N', own], subject: 'S', content: 'C', priority: 'normal' });
    expect(after.to).toEqual([
      [null, 'a@x.example'],
      [null, 'b@x.example'],
      [null, 'noaddress'],
    ]);
    expect((await put(id, { to: [[null, null]] })).code).toBe('SVL-0031');
    expect((await put(id, { to: 'text' })).code).toBe('SVL-0031');
    expect((await put(id, { subject: null, to: [], from: null })).data).toMatchObject({ subject: '', to: [] });
    expect((await call('PATCH', `/${id}`, {}, { subject: 'by patch\u0000' })).data.subject).toBe('by patch');
  });

  it('CS-11 refuses what is too long and stays as it was', async () => {
    const { id } = await open();
    await put(id, { subject: 'old' });
    const long = Array.from({ length: 3_000 }, (_, index) => [null, `someone.with.a.name.${index}@x.example`]);
    const answers = [
      await put(id, { subject: 'x'.repeat(5_000) }),
      await put(id, { from: ['x'.repeat(70_000), own] }),
      await put(id, { to: long }),
      await put(id, { cc: long }),
      await put(id, { bcc: long }),
      await put(id, { reply_to: long }),
    ];
    expect(answers.map(({ code }) => code)).toEqual([
      ...['MSGCS-0015', 'MSGCS-0016', 'MSGCS-0018', 'MSGCS-0019', 'MSGCS-0020', 'MSGCS-0021'],
    ]);
    expect(await get(id)).toMatchObject({ subject: 'old', to: [], cc: [], bcc: [] });
  });

  it('keeps 900 kB of text', async () => {
    const { id } = await open();
    const content = `<p>${'ä'.repeat(450_000)}</p>`;
    expect((await put(id, { content })).error).toBeUndefined();
    expect((await get(id)).content === content).toBe(true);
  });

  it('CS-17 is not found by a wrong id, nor by others; deleted it is gone', async () => {
    const { id } = await open();
    expect((await call('GET', '/xyz')).code).toBe('MSGCS-0007');
    expect((await call('GET', `/${id}`, {}, undefined, 'U2')).code).toMatch(/MSGCS-0007|SVL-0016/);
    expect((await put('f'.repeat(32), {})).code).toBe('MSGCS-0007');
    expect(await call('DELETE', `/${id}`)).toMatchObject({ data: { success: true }, success: true });
    expect((await call('DELETE', `/${id}`)).code).toBe('MSGCS-0007');
    expect((await send(id)).code).toBe('MSGCS-0007');
    expect((await call('POST', `/${id}/save`)).code).toBe('MSGCS-0007');
  });

  it('CS-18 is one of 20', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 20; count++) ids.push((await open()).id);
    expect((await call('POST', '')).code).toBe('MSGCS-0011');
    await call('DELETE', `/${ids[0]}`);
    await open();
  });

  it('CS-22 CS-29 takes changes of two windows at once, and of one that claimed it alone', async () => {
    const { id } = await open({ clientToken: 'one' });
    await Promise.all([put(id, { subject: 'S' }), put(id, { content: 'C' }), put(id, { to })]);
    expect(await get(id)).toMatchObject({ subject: 'S', content: 'C', to });
    expect((await put(id, { subject: 'mine' }, { clientToken: 'one' })).data.subject).toBe('mine');
    expect((await put(id, { subject: 'other' }, { clientToken: 'two' })).code).toBe('MSGCS-0010');
    expect((await put(id, { claim: 'two' }, { clientToken: 'two' })).code).toBe('MSGCS-0010');
    expect((await put(id, { claim: 'two' })).error).toBeUndefined();
    const late = { clientToken: 'one' };
    const file = formOf([['x', 'x']]);
    const { data: kept } = await call('POST', `/${id}/attachments`, { clientToken: 'two' }, file);
    for (const answer of [
      await put(id, { subject: 'late', claim: 'one' }, late),
      await call('POST', `/${id}/attachments`, late, formOf([['y', 'y']])),
      await call('POST', `/${id}/attachments/${kept.id}`, late, formOf([['y', 'y']])),
      await call('DELETE', `/${id}/attachments/${kept.id}`, late),
      await send(id, {}, late),
      await call('POST', `/${id}/save`, late),
      await call('DELETE', `/${id}`, late),
    ])
      expect(answer.code).toBe('MSGCS-0010');
    expect(await get(id)).toMatchObject({ subject: 'mine', attachments: [{ id: kept.id, name: 'x' }] });
    const claimed = (await open({ claim: 'one' })).id;
    expect((await put(claimed, {}, { clientToken: 'two' })).code).toBe('MSGCS-0010');
    expect((await call('DELETE', `/${claimed}`, { clientToken: 'one' })).error).toBeUndefined();
  });

  it('CS-30 is listed with the fields that are asked for', async () => {
    const { id } = await open();
    const [row] = (await call('GET', '', { columns: 'subject,content_type,nosuch' })).data;
    expect(row).toEqual({ id, subject: '', contentType: 'text/html' });
    expect((await call('GET', '', { action: 'all', columns: 'meta' })).data).toEqual([{ id, meta: { type: 'NEW' } }]);
  });
});

describe('attachments', () => {
  it('CA-01 CA-13 CA-14 CA-16 are uploaded, read, replaced and removed', async () => {
    const { id } = await open();
    const pdf = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(12_336, 'x')]);
    const first = (await attach(id, [['a ö.pdf', pdf, 'application/pdf']])).data;
    expect(first).toMatchObject({
      ...{ id: expect.stringMatching(/^[\da-f]{32}$/), name: 'a ö.pdf', size: 12_345, mimeType: 'application/pdf' },
      ...{ contentDisposition: 'ATTACHMENT', origin: 'UPLOAD' },
    });
    const more = (
      await attach(id, [
        ['empty.txt', ''],
        ['a/b\\..\\c.txt', 'c'],
      ])
    ).data;
    expect(more).toMatchObject([{ name: 'empty.txt', size: 0 }, { name: 'c.txt' }]);
    expect((await get(id)).attachments).toEqual([first, ...more]);
    const read = await fetchOf('GET', `/${id}/attachments/${first.id}`);
    expect([read.headers.get('content-type'), read.headers.get('content-disposition')]).toEqual([
      'application/pdf',
      expect.stringMatching(/^attachment/),
    ]);
    expect(Buffer.from(await read.arrayBuffer()).equals(pdf)).toBe(true);
    const replaced = await call('POST', `/${id}/attachments/${first.id}`, {}, formOf([['b.txt', 'new']]));
    expect(replaced.data).toMatchObject({ id: first.id, name: 'b.txt', size: 3 });
    expect(await (await fetchOf('GET', `/${id}/attachments/${first.id}`)).text()).toBe('new');
    expect(await call('DELETE', `/${id}/attachments/${first.id}`)).toMatchObject({ success: true });
    expect((await call('DELETE', `/${id}/attachments/${first.id}`)).code).toBe('MSGCS-0009');
    expect((await call('GET', `/${id}/attachments/${first.id}`)).code).toBe('MSGCS-0009');
    expect((await call('POST', `/${id}/attachments/${first.id}`, {}, formOf([['b', 'x']]))).code).toBe('MSGCS-0009');
    expect((await get(id)).attachments).toHaveLength(2);
    expect((await attach('f'.repeat(32), [['x', 'x']])).code).toBe('MSGCS-0007');
  });

  it('CA-17 come ten at a time, and leave with their space', async () => {
    const { id } = await open();
    const files = await Promise.all(Array.from({ length: 10 }, (_, index) => attach(id, [[`${index}`, `${index}`]])));
    expect(files.map(({ code }) => code).filter(Boolean)).toEqual([]);
    expect((await get(id)).attachments).toHaveLength(10);
    for (const { data } of files)
      expect(await (await fetchOf('GET', `/${id}/attachments/${data.id}`)).text()).toBe(data.name);
    await call('DELETE', `/${id}`);
    expect((await call('GET', `/${id}/attachments/${files[0].data.id}`)).code).toBe('MSGCS-0009');
  });

  it('are counted when they come at once, too', async () => {
    const { id } = await open();
    const setting = `/admin/v1/contexts/${at.cast.contextId}/config/com.example.mail.maxAttachments`;
    await at.cast.admin.expect('PUT', setting, { value: '2' });
    const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => attach(id, [[`${index}`, 'x']])));
    await at.cast.admin.expect('DELETE', setting);
    expect(answers.filter(({ code }) => code === undefined)).toHaveLength(2);
    expect(new Set(answers.flatMap(({ code }) => code ?? []))).toEqual(new Set(['MSG-0094']));
    expect((await get(id)).attachments).toHaveLength(2);
  });
});

describe('the card of the user', () => {
  const attachCard = (id: string) => call('POST', `/${id}/attachments/vcard`);

  it('is attached once, however often it is asked for', async () => {
    const { id } = await open();
    const answers = await Promise.all([attachCard(id), attachCard(id), attachCard(id)]);
    const { display_name } = (await at.cast.U1.get('user', 'get')).data;
    expect(answers.map(({ data }) => data)).toEqual(Array(3).fill(answers[0].data));
    expect(answers[0].data).toMatchObject({
      ...{ name: `${display_name}.vcf`, mimeType: 'text/vcard', origin: 'VCARD', contentDisposition: 'ATTACHMENT' },
    });
    expect((await get(id)).attachments).toEqual([answers[0].data]);
    const read = await fetchOf('GET', `/${id}/attachments/${answers[0].data.id}`);
    const card = await read.text();
    expect(card).toMatch(/^BEGIN:VCARD\r\nVERSION:3\.0\r\n/);
    expect(card).toContain(own);
    expect(card).toContain(`FN:${display_name}\r\n`);
    expect((await attachCard('f'.repeat(32))).code).toBe('MSGCS-0007');
  });

  it('comes with a space that is opened with it, and goes with the mail', async () => {
    const space = await open({ vcard: true });
    expect(space.attachments).toMatchObject([{ origin: 'VCARD', mimeType: 'text/vcard' }]);
    expect((await send(space.id, { to, subject: 'card' })).error).toBeUndefined();
    expect(at.sink.mails[0]!.text).toMatch(/Content-Type: text\/vcard/);
    expect((await open({ vcard: false })).attachments).toEqual([]);
  });
});

describe('sending', () => {
  it('CN-01 sends with the last changes, once, and closes the space', async () => {
    const { id } = await open();
    await put(id, { subject: 'old', content: '<b>text</b>', bcc: [[null, 'secret@x.example']] });
    await attach(id, [['a.txt', 'file content']]);
    const answer = await send(id, { to, subject: 'Grüße', priority: 'high' }, {}, [['b.txt', 'second']]);
    expect(answer).toMatchObject({ data: expect.stringMatching(/^default0\/Sent\/\d+$/) });
    expect(at.sink.mails).toMatchObject([{ from: own, to: ['bob@x.example', 'secret@x.example'] }]);
    expect(at.sink.mails[0]!.text).not.toContain('secret@');
    const mail = await readMail(answer.data);
    expect(mail).toMatchObject({ subject: 'Grüße', priority: 1, bcc: [[null, 'secret@x.example']] });
    expect(mail.files).toMatchObject([{ filename: 'a.txt' }, { filename: 'b.txt' }]);
    expect((await call('GET', `/${id}`)).code).toBe('MSGCS-0007');
  });

  it('CN-13 keeps no copy where none is wanted', async () => {
    const { id } = await open();
    expect((await send(id, { to }, { copy2Sent: false })).data).toEqual({ success: true });
    expect(at.sink.mails).toHaveLength(1);
  });

  it('CN-14 CS-22 sends one mail of two attempts at once', async () => {
    const { id } = await open();
    await put(id, { to });
    const answers = await Promise.all([send(id), send(id)]);
    expect(answers.map(({ code }) => code).filter(Boolean)).toEqual([expect.stringMatching(/^MSGCS-00(07|10)$/)]);
    expect(at.sink.mails).toHaveLength(1);
  });

  it('CN-16 CN-21 keeps the space with all changes when it fails', async () => {
    const { id } = await open();
    expect((await send(id, { subject: 'kept' })).code).toBe('MSG-0037');
    expect((await send(id, { to, from: [null, 'foreign@x.example'] })).code).toBe('MSG-0056');
    expect((await send(id, { from: null, to: [[null, 'noaddress']] })).code).toBe('MSG-1008');
    expect((await send(id, { to, security: { encrypt: true } })).code).toBe('MSG-0095');
    at.sink.refusals.recipients.set('bob@x.example', 550);
    expect((await send(id, { security: {} })).code).toBe('MSG-1013');
    expect((await call('POST', `/${id}/send`, {}, formOf([], { JSON: '{' }))).error).toBeDefined();
    expect(await get(id)).toMatchObject({ subject: 'kept', to });
    expect(at.sink.mails).toHaveLength(0);
    at.sink.refusals.recipients.clear();
    expect((await send(id)).error).toBeUndefined();
  });

  it('CA-07 CN-11 CA-18 sends pictures of the text within the mail', async () => {
    const { id } = await open();
    const { data } = await attach(id, [['p.png', PNG, 'image/png']], { contentDisposition: 'inline' });
    expect(data).toMatchObject({ cid: expect.any(String), contentDisposition: 'INLINE' });
    const gone = (await attach(id, [['q.png', PNG, 'image/png']], { contentDisposition: 'INLINE' })).data;
    await call('DELETE', `/${id}/attachments/${gone.id}`);
    const address = (attachment: string) => `/api/image/mail/compose/image?uid=${id}${attachment}`;
    const shown = await at.cast.U1.fetch('GET', '/image/mail/compose/image', {
      session: at.cast.U1.session,
      uid: `${id}${data.id}`,
    });
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    const content = `<p>Look <img src="${address(data.id)}"> <img src="${address(gone.id)}"></p>`;
    expect((await send(id, { to, content })).error).toBeUndefined();
    const { text } = at.sink.mails[0]!;
    expect(text).toMatch(/multipart\/related/);
    expect(text).toMatch(/Content-ID: </i);
    expect(text).toMatch(/<img src=(3D)?"cid:/);
    expect(text).not.toMatch(/compose\/image/);
    expect(text.replace(/=\r\n/g, '')).toMatch(/src=(3D)?"cid:/);
  });

  it('sends pictures of a signature within the mail, also of one that another user shares', async () => {
    const { id } = await open();
    const signature = (shared: boolean) => ({
      ...{ type: 'signature', module: 'io.ox/mail', displayname: 'S', shared },
      content: `<p>A<img src="data:image/png;base64,${PNG.toString('base64')}"></p>`,
    });
    const made = [
      (await at.cast.U1.put<string>('snippet', 'new', {}, signature(false))).data!,
      (await at.cast.U2.put<string>('snippet', 'new', {}, signature(true))).data!,
      (await at.cast.U2.put<string>('snippet', 'new', {}, signature(false))).data!,
    ];
    const { data } = await at.cast.U2.put<any[]>('snippet', 'list', {}, [made[1]!, made[2]!]);
    const own = (await at.cast.U1.get('snippet', 'get', { id: made[0]! })).data;
    const content = [own, ...data!].map((each) => each.content).join('');
    expect((await send(id, { to, content })).error).toBeUndefined();
    const text = at.sink.mails[0]!.text.replace(/=\r\n/g, '');
    expect(text.match(/src=(3D)?"cid:/g)).toHaveLength(2);
    expect(text.match(/^Content-ID: </gim)).toHaveLength(2);
    expect(text).not.toMatch(/snippet\/image/);
  });

  it('CN-24 sends plain text as it is', async () => {
    const { id } = await open({ contentType: 'text/plain' });
    await send(id, { to, content: 'a <b> c' });
    expect(at.sink.mails[0]!.text).toContain('a <b> c');
    expect(at.sink.mails[0]!.text).not.toContain('text/html');
  });
});

describe('saving', () => {
  it('keeps an unfinished mail as a draft and closes the space', async () => {
    const { id } = await open();
    await put(id, { subject: 'later', content: 'half' });
    await attach(id, [['a.txt', 'file content']]);
    const form = formOf([['b.txt', 'second']], { JSON: JSON.stringify({ content: 'whole' }) });
    const { data } = await call('POST', `/${id}/save`, {}, form);
    expect(data).toMatch(/^default0\/Drafts\/\d+$/);
    const draft = await readMail(data);
    expect(draft).toMatchObject({ subject: 'later', files: [{ filename: 'a.txt' }, { filename: 'b.txt' }] });
    expect(draft.attachments[0].content).toContain('whole');
    expect(draft.flags & 4).toBe(4);
    expect((await call('GET', `/${id}`)).code).toBe('MSGCS-0007');
  });
});
