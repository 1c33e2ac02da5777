import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EICAR, startClamd, until, type Clamd } from '@groupware/test-kit';
import { Client as Database } from 'pg';
import { uploadPicture } from '../attachments/attachments';
import { createFolder, homeOf } from '../files/files';
import { provisionMailbox, startMail, type MailFixtures } from './mailbox';

let at: MailFixtures;
let clamd: Clamd;
let own: string;
/** Space of each mailbox: more than the other tests need. */
const QUOTA_KIB = 80_000;
beforeAll(async () => {
  clamd = await startClamd();
  const sweep = { MAIL_COMPOSE_SWEEP_INTERVAL_MS: '200', MAIL_COMPOSE_FILE_AGE_MS: '30000' };
  at = await startMail(['ann', 'bob'], { ...sweep, CLAMD_URL: clamd.url }, { quotaKib: QUOTA_KIB });
  own = at.cast.U1.email;
}, 120_000);
afterAll(async () => {
  await at?.close();
  await clamd?.stop();
});
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
/** Works while a property of the context has a value. */
async function withProperty<T>(name: string, value: string, work: () => Promise<T>): Promise<T> {
  const setting = `/admin/v1/contexts/${at.cast.contextId}/config/com.example.mail.${name}`;
  await at.cast.admin.expect('PUT', setting, { value });
  try {
    return await work();
  } finally {
    await at.cast.admin.expect('DELETE', setting);
  }
}

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

  it('CS-12 keeps 10 MB of text', async () => {
    const { id } = await open();
    const content = `<p>${'some words of a long mail, '.repeat(370_000)}</p>`;
    const stored = path.join(at.world.environment.DATA_DIR!, 'files');
    const countFiles = () =>
      readdirSync(stored, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const before = countFiles().length;
    for (const method of ['PUT', 'PATCH']) {
      const changed = await call(method, `/${id}`, {}, { subject: method, content: `${content}${method}` });
      expect([changed.error, changed.data.content === `${content}${method}`]).toEqual([undefined, true]);
      expect((await get(id)).content === `${content}${method}`).toBe(true);
    }
    await until(() => countFiles().length === before);
  }, 60_000);

  it('CS-17 is not found by a wrong id, nor by others; deleted it is gone', async () => {
    const { id } = await open();
    expect((await call('GET', '/xyz')).code).toBe('MSGCS-0007');
    expect((await call('GET', `/${id}`, {}, undefined, 'U2')).code).toMatch(/MSGCS-0007|SVL-0016/);
    expect((await put('f'.repeat(32), {})).code).toBe('MSGCS-0007');
    expect(await call('DELETE', `/${id}`)).toMatchObject({ data: { success: true }, success: true });
    expect((await call('DELETE', `/${id}`)).code).toBe('MSGCS-0007');
    expect((await send(id)).code).toBe('MSGCS-0007');
    expect((await call('POST', `/${id}/save`)).code).toBe('MSGCS-0007');
    const file = `/${'f'.repeat(32)}`;
    for (const space of ['xyz', id])
      expect((await call('DELETE', `/${space}/attachments${file}`)).code).toBe('MSGCS-0007');
    expect((await call('GET', `/xyz/attachments${file}`)).code).toBe('MSGCS-0007');
  });

  it('CS-31 is for users with mail only', async () => {
    const { U3, admin, contextId } = at.cast;
    const access = `/admin/v1/contexts/${contextId}/users/${U3.userId}/module-access`;
    const codeOf = async (method: string) =>
      ((await (await U3.fetch(method, '/mail/compose', { session: U3.session })).json()) as any).code;
    await admin.expect('PUT', access, { flags: { webmail: false } });
    await until(async () => (await codeOf('GET')) === 'SVL-0016');
    expect(await codeOf('POST')).toBe('SVL-0016');
    await admin.expect('PUT', access, { flags: { webmail: true } });
    await until(async () => (await codeOf('GET')) === undefined);
    const answer = await U3.fetch('GET', '/mail/compose', { session: U3.session });
    expect(((await answer.json()) as any).data).toEqual([]);
  });

  it('CS-28 stays usable when fewer are allowed from now on', async () => {
    const ids = [(await open()).id, (await open()).id, (await open()).id];
    await withProperty('compose.maxSpacesPerUser', '2', async () => {
      expect((await call('POST', '')).code).toBe('MSGCS-0011');
      for (const id of ids) expect((await put(id, { subject: id })).data.subject).toBe(id);
      expect((await send(ids[0], { to })).error).toBeUndefined();
      expect((await call('POST', '')).code).toBe('MSGCS-0011');
      await call('DELETE', `/${ids[1]}`);
      await open();
    });
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

  it('CS-26 is listed with its files, and can be sent later, while the store of files is away', async () => {
    const [other, { id }] = [await open(), await open()];
    await put(id, { to, subject: 'with a file' });
    const file = (await attach(id, [['a.txt', 'file content']])).data;
    const store = path.join(at.world.environment.DATA_DIR!, 'files');
    const away = `${store}-away`;
    renameSync(store, away);
    writeFileSync(store, 'no folder');
    try {
      // Names and sizes of files stand in the rows of their space: a list reads no file, and needs no store.
      const listed = await call('GET', '', { columns: 'subject,attachments' });
      expect(listed.data).toHaveLength(2);
      expect(listed.data).toEqual(
        expect.arrayContaining([
          { id: other.id, subject: '', attachments: [] },
          { id, subject: 'with a file', attachments: [file] },
        ]),
      );
      expect(listed).not.toHaveProperty('error');
      const failed = await send(id);
      expect(failed.code).toMatch(/^(FLS|UPL|MSG|MSGCS)-/);
      expect((await call('POST', `/${id}/save`)).code).toBe(failed.code);
    } finally {
      rmSync(store);
      renameSync(away, store);
    }
    expect(at.sink.mails).toHaveLength(0);
    expect((await send(id)).error).toBeUndefined();
    expect(at.sink.mails[0]!.text).toContain(Buffer.from('file content').toString('base64'));
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

  it('CA-15 have the type of their name when they come without one', async () => {
    const { id } = await open();
    const boundary = 'parts';
    const part = (name: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n%PDF\r\n`;
    const answer = await at.cast.U1.fetch(
      'POST',
      `/mail/compose/${id}/attachments`,
      { session: at.cast.U1.session },
      {
        body: `${part('x.pdf')}${part('nosuch.ending-of-a-name')}--${boundary}--\r\n`,
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      },
    );
    expect(((await answer.json()) as any).data).toMatchObject([
      { name: 'x.pdf', mimeType: 'application/pdf', size: 4 },
      { name: 'nosuch.ending-of-a-name', mimeType: 'text/plain' },
    ]);
  });

  it('CA-19 are refused with a virus, and not listed', async () => {
    const { id } = await open();
    const answers = await withProperty('scanSentFiles', 'required', async () => [
      await attach(id, [['eicar.txt', EICAR]]),
      await attach(id, [['clean.txt', 'clean']]),
      await send(id, { to }, {}, [['eicar.txt', EICAR]]),
    ]);
    expect(answers.map(({ code }) => code)).toEqual(['ANTIVIRUS-0001', undefined, 'ANTIVIRUS-0001']);
    expect((await get(id)).attachments).toMatchObject([{ name: 'clean.txt' }]);
    expect(at.sink.mails).toHaveLength(0);
  });

  it('CA-20 are read whole while another one takes their place', async () => {
    const { id } = await open();
    const bytes = (letter: string) => Buffer.alloc(4_000_000, letter);
    const { data } = await attach(id, [['f', bytes('o')]]);
    const address = `/${id}/attachments/${data.id}`;
    const started = await fetchOf('GET', address);
    const reader = started.body!.getReader();
    const parts = [(await reader.read()).value!];
    const reads = Array.from({ length: 4 }, async () => (await fetchOf('GET', address)).arrayBuffer());
    expect((await call('POST', address, {}, formOf([['f', bytes('n')]]))).error).toBeUndefined();
    for (let part = await reader.read(); part.value; part = await reader.read()) parts.push(part.value);
    expect(Buffer.concat(parts).equals(bytes('o'))).toBe(true);
    for (const read of [...(await Promise.all(reads)), await (await fetchOf('GET', address)).arrayBuffer()])
      expect([bytes('o'), bytes('n')].some((whole) => whole.equals(Buffer.from(read)))).toBe(true);
    const after = Buffer.from(await (await fetchOf('GET', address)).arrayBuffer());
    expect(after.equals(bytes('n'))).toBe(true);
  });

  it('are counted when they come at once, too', async () => {
    const { id } = await open();
    const answers = await withProperty('maxAttachments', '2', () =>
      Promise.all(Array.from({ length: 6 }, (_, index) => attach(id, [[`${index}`, 'x']]))),
    );
    expect(answers.filter(({ code }) => code === undefined)).toHaveLength(2);
    expect(new Set(answers.flatMap(({ code }) => code ?? []))).toEqual(new Set(['MSG-0094']));
    expect((await get(id)).attachments).toHaveLength(2);
  });
});

describe('documents and contacts of the user', () => {
  const name = (id: string, references: unknown, files: readonly File[] = []) =>
    attach(id, files, { JSON: typeof references === 'string' ? references : JSON.stringify(references) });
  const upload = async (user: User, folder: string, filename: string, content: string): Promise<string> => {
    const form = formOf([[filename, content]], { json: JSON.stringify({ folder_id: folder, filename }) });
    const query = { action: 'new', session: at.cast[user].session, plainJson: true, force_json_response: true };
    return ((await (await at.cast[user].fetch('POST', '/infostore', query, { body: form })).json()) as any).data;
  };

  it('are attached as copies, which stay as they were', async () => {
    const { U1 } = at.cast;
    const folderId = await createFolder(U1, await homeOf(U1));
    const [notes, table] = [
      await upload('U1', folderId, 'notes.txt', 'my notes'),
      await upload('U1', folderId, 't', 'a,b'),
    ];
    const { data: user } = await U1.get('user', 'get');
    const contact = { origin: 'contacts', id: String(user.contact_id), folderId: String(user.folder_id) };
    const { id } = await open();
    const { data: first } = await name(id, { origin: 'drive', id: notes, folderId });
    expect(first).toMatchObject({ name: 'notes.txt', size: 8, mimeType: 'text/plain', origin: 'DRIVE' });
    const { data: more } = await name(id, [contact, { origin: 'DRIVE', id: table, folderId }], [['u.txt', 'up']]);
    expect(more).toMatchObject([
      { name: `${user.display_name}.vcf`, mimeType: 'text/vcard', origin: 'CONTACT', contentDisposition: 'ATTACHMENT' },
      { name: 't', size: 3, origin: 'DRIVE' },
      { name: 'u.txt', size: 2, origin: 'UPLOAD' },
    ]);
    expect((await get(id)).attachments).toEqual([first, ...more]);
    await U1.put('infostore', 'delete', { timestamp: '9000000000000', hardDelete: 'true' }, [
      { id: notes, folder: folderId },
    ]);
    expect(await (await fetchOf('GET', `/${id}/attachments/${first.id}`)).text()).toBe('my notes');
    expect((await send(id, { to, subject: 'all of them' })).error).toBeUndefined();
    expect(at.sink.mails[0]!.text).toContain(Buffer.from('my notes').toString('base64'));
  });

  it('are attached to nothing that the user must not read, all or none', async () => {
    const { U1, U2 } = at.cast;
    const own = await createFolder(U1, await homeOf(U1));
    const theirs = await createFolder(U2, await homeOf(U2));
    const mine = { origin: 'drive', id: await upload('U1', own, 'mine.txt', 'mine'), folderId: own };
    const foreign = { origin: 'drive', id: await upload('U2', theirs, 'secret.txt', 'secret'), folderId: theirs };
    const { data: user } = await U1.get('user', 'get');
    const { id } = await open();
    const contact = (contactId: string, folderId: string) => ({ origin: 'contacts', id: contactId, folderId });
    for (const [reference, code] of [
      [foreign, 'IFO-0400'],
      [{ ...mine, id: '99999999' }, 'IFO-0300'],
      [contact('99999999', String(user.folder_id)), 'I_E-0102'],
      [contact('x', String(user.folder_id)), 'CON-0125'],
      [contact('1', own), 'I_E-0100'],
      [contact('1', 'x'), 'FLD-1025'],
      [{ ...mine, origin: 'nowhere' }, 'SVL-0031'],
      [{ origin: 'drive' }, 'SVL-0031'],
      [null, 'SVL-0031'],
    ] as const)
      expect([reference, (await name(id, [mine, reference])).code]).toEqual([reference, code]);
    for (const text of ['no json', '[]', '7']) expect([text, (await name(id, text)).code]).toEqual([text, 'SVL-0031']);
    expect((await name(id, Array(21).fill(mine))).code).toBe('MSG-0080');
    expect((await name('f'.repeat(32), mine)).code).toBe('MSGCS-0007');
    expect((await get(id)).attachments).toEqual([]);
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
    // Without the ends of lines that quoted-printable puts in.
    const text = at.sink.mails[0]!.text.replace(/=\r\n/g, '');
    expect(text).toMatch(/multipart\/related/);
    expect(text).toMatch(/Content-ID: </i);
    expect(text).toMatch(/<img src=(3D)?"cid:/);
    expect(text).not.toMatch(/compose\/image/);
  });

  it.each(['absolute', 'of any host', 'relative'])(
    'CA-07 CN-11 sends a picture with the Content-ID of its attachment, by an %s address, twice the same',
    async (form) => {
      const { session } = at.cast.U1;
      const { id } = await open();
      const [shown, hidden] = [
        (await attach(id, [['p.png', PNG, 'image/png']], { contentDisposition: 'inline' })).data,
        (await attach(id, [['hidden.png', PNG, 'image/png']], { contentDisposition: 'inline' })).data,
      ];
      const base = { absolute: 'http://127.0.0.1/ajax', 'of any host': '//here.test/api', relative: '/appsuite/api' }[
        form
      ];
      const addressOf = (attachment: string) =>
        `${base}/mail/compose/${id}/attachments/${attachment}?session=${session}`;
      const content =
        `<p>Look <img src="${addressOf(shown.id)}"> <img src="${addressOf('0'.repeat(32))}">` +
        `<img src="/api/image/mail/compose/image?uid=${id}${shown.id}"><!-- ${addressOf(hidden.id)} -->` +
        `<img src="http://127.0.0.1/ajax/file?action=get&id=nosuch&session=${session}">` +
        `<img src=http://127.0.0.1/ajax/mail?action=attachment&folder=default0/INBOX&id=1&attachment=2&session=${session}></p>`;
      const { data } = await send(id, { to, content });
      const text = at.sink.mails[0]!.text.replace(/=\r\n/g, '').replace(/=3D/g, '=');
      expect(text.match(/<img src="[^"]*"/g)).toEqual(Array(2).fill(`<img src="cid:${shown.cid}"`));
      expect(text.match(/^Content-ID: <[^>]+>/gim)).toEqual([`Content-ID: <${shown.cid}>`]);
      expect(text).not.toMatch(/session|127\.0\.0\.1\/ajax|here\.test|attachments\//);
      expect((await readMail(data)).files).toMatchObject([{ filename: 'hidden.png' }]);
    },
  );

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

  it('sends pictures that were uploaded before within the mail', async () => {
    const { id } = await open();
    const content = `<p>Look <img src="/ajax/file?action=get&id=${await uploadPicture(at.cast.U1, PNG)}"></p>`;
    expect((await send(id, { to, content })).error).toBeUndefined();
    const text = at.sink.mails[0]!.text.replace(/=\r\n/g, '').replace(/=3D/g, '=');
    const [, cid] = /<img src="cid:([^"]+)"/.exec(text)!;
    expect(text.match(/^Content-ID: <[^>]+>/gim)).toEqual([`Content-ID: <${cid}>`]);
    expect(text).toContain(PNG.toString('base64').slice(0, 76));
  });

  it('CN-23 leaves pictures of other servers where they are', async () => {
    const { id } = await open();
    const content = '<p>Look <img src="https://pictures.example/a.png?b=1"></p>';
    await send(id, { to, content });
    const text = at.sink.mails[0]!.text.replace(/=\r\n/g, '').replace(/=3D/g, '=');
    expect(text).toContain('src="https://pictures.example/a.png?b=1"');
    expect(text).not.toContain('cid:');
  });

  it('CN-25 hands over one mail for 250 recipients', async () => {
    const { id } = await open();
    const many = Array.from({ length: 250 }, (_, index) => [null, `r${index}@x.example`]);
    expect((await send(id, { to: many.slice(0, 50), bcc: many.slice(50) })).error).toBeUndefined();
    expect(at.sink.mails).toHaveLength(1);
    expect(at.sink.mails[0]!.to).toEqual(many.map(([, address]) => address));
  });

  it('CN-26 shows the space while it is sent, and sends it once', async () => {
    const { id } = await open();
    await put(id, { to, subject: 'slow' });
    let proceed: () => void = () => undefined;
    at.sink.hold = new Promise((resolve) => (proceed = resolve));
    const sent = send(id);
    await until(() => at.sink.held > 0);
    expect(await get(id)).toMatchObject({ id, subject: 'slow', to });
    const answers = [await send(id), await call('POST', `/${id}/save`), await call('DELETE', `/${id}`)];
    const late = [await put(id, { subject: 'late' }), await attach(id, [['late', 'x']])];
    expect([...answers, ...late].map(({ code }) => code)).toEqual(Array(5).fill('MSGCS-0010'));
    at.sink.hold = undefined;
    proceed();
    expect((await sent).error).toBeUndefined();
    expect(at.sink.mails).toHaveLength(1);
    expect((await call('GET', `/${id}`)).code).toBe('MSGCS-0007');
  });

  it('CN-14 is told as sent, and sent once, though the database takes nothing right after the server took it', async () => {
    const database = new Database({ connectionString: at.world.environment.DATABASE_URL });
    await database.connect();
    const { id } = await open();
    await put(id, { to, subject: 'taken' });
    let proceed: () => void = () => undefined;
    at.sink.hold = new Promise((resolve) => (proceed = resolve));
    const before = at.sink.held;
    const sent = send(id);
    try {
      await until(() => at.sink.held > before);
      await database.query(`
        create function mail.refuse() returns trigger language plpgsql as $$ begin raise exception 'away'; end $$;
        create trigger refuse before delete on mail.compose_space for each row execute function mail.refuse()`);
      at.sink.hold = undefined;
      proceed();
      expect(await sent).toMatchObject({ data: expect.stringMatching(/^default0\/Sent\/\d+$/) });
      expect((await send(id)).code).toMatch(/^MSGCS-00(07|10)$/);
    } finally {
      await database.query('drop function if exists mail.refuse cascade');
      await database.end();
    }
    await until(async () => (await call('GET', `/${id}`)).code === 'MSGCS-0007');
    expect((await send(id)).code).toBe('MSGCS-0007');
    expect(at.sink.mails).toHaveLength(1);
  });

  it('takes large files from two devices at once, and sends them all in one mail', async () => {
    const { id } = await open();
    await put(id, { to });
    const files = Array.from({ length: 4 }, (_, index) => Buffer.alloc(1_500_000, `${index}${index}-part of a file `));
    const second = at.cast.U1.copy();
    await Promise.all(
      files.map(async (bytes, index) => {
        const device = index % 2 === 0 ? at.cast.U1 : second;
        const form = formOf([[`${index}.bin`, bytes, 'application/octet-stream']]);
        const query = { session: device.session };
        const answer = await device.fetch('POST', `/mail/compose/${id}/attachments`, query, { body: form });
        expect(((await answer.json()) as any).data.size).toBe(1_500_000);
      }),
    );
    const answers = await Promise.all([
      send(id),
      second
        .fetch('POST', `/mail/compose/${id}/send`, { session: second.session }, { body: formOf([], { JSON: '{}' }) })
        .then((answer) => answer.json()),
    ]);
    expect(answers.filter(({ error }: any) => error === undefined)).toHaveLength(1);
    expect(at.sink.mails).toHaveLength(1);
    const parts = at.sink.mails[0]!.text.split(/^Content-Disposition: attachment/m).slice(1);
    const bytes = parts.map((part) => {
      const [, encoded = ''] = /\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(part) ?? [];
      return Buffer.from(encoded, 'base64');
    });
    expect(bytes).toHaveLength(4);
    for (const file of files) expect(bytes.some((each) => each.equals(file))).toBe(true);
  });

  it('CN-15 sends a link in place of files, where that is allowed', async () => {
    const { admin, contextId, U1 } = at.cast;
    const { id } = await open();
    const end = Date.now() + 7 * 86_400_000;
    const shared = { enabled: true, password: null, expiryDate: null as number | null };
    await put(id, { to, subject: 'Big / files', content: '<p>See</p>' });
    for (const name of ['a.txt', 'b & c.txt']) await attach(id, [[name, `content of ${name}`]]);
    const attempt = (change: object = {}) => send(id, { sharedAttachments: { ...shared, ...change } });

    await withProperty('compose.share.requiredExpiration', 'true', async () =>
      expect((await attempt()).code).toBe('MSG-0107'),
    );
    await withProperty('compose.share.enabled', 'false', async () => expect((await attempt()).code).toBe('MSG-0106'));
    const access = `/admin/v1/contexts/${contextId}/users/${U1.userId}/module-access`;
    await admin.expect('PUT', access, { flags: { infostore: false } });
    await until(async () => (await attempt()).code === 'MSG-0106');
    await admin.expect('PUT', access, { flags: { infostore: true } });
    /** All folders of files: those of the user count as public ones, as files have no private folders. */
    const folders = async (): Promise<unknown[][]> => {
      const { data } = await U1.get<any>('folders', 'allVisible', { content_type: 'infostore', columns: '1,300' });
      return [...(data?.private ?? []), ...(data?.public ?? [])];
    };
    const titles = async () => (await folders()).map(([, title]) => title);
    // A mail that is not sent leaves no folder behind.
    at.sink.refusals.recipients.set('bob@x.example', 550);
    await until(async () => (await attempt()).code === 'MSG-1013');
    expect(await titles()).not.toContain('Big files');
    at.sink.refusals.recipients.clear();
    expect(at.sink.mails).toHaveLength(0);

    // A draft keeps the password of the link.
    await put(id, { sharedAttachments: { ...shared, expiryDate: end, password: 'a pin for the link' } });
    const draft: string = (await call('POST', `/${id}/save`)).data;
    const edited = await open({ type: 'edit' }, [{ folderId: 'default0/Drafts', id: draft.split('/').pop() }]);
    expect(await send(edited.id)).not.toHaveProperty('error');
    const text = at.sink.mails[0]!.text.replace(/=\r\n/g, '').replace(/=3D/g, '=');
    expect(text).not.toMatch(/^Content-Disposition: attachment/im);
    const [, reference] = /^X-Svc-Share-Reference:\s*([\s\S]*?)\r\n(?=\S)/im.exec(text)!;
    const [url] = /http:\/\/[^\s"<>]+\/share\/[^\s"<>]+/.exec(text)!;
    expect(JSON.parse(Buffer.from(reference!.replace(/\s/g, ''), 'base64url').toString())).toMatchObject({
      ...{ contextId, userId: U1.userId, expiration: end, shareToken: /share\/([^/]+)/.exec(url)![1] },
    });
    expect(text).toMatch(/<li[^>]*>b &amp; c\.txt<\/li>/);
    const made = (await folders()).find(([, title]) => title === 'Big files');
    const query = { folder: String(made![0]), columns: '700,702,704' };
    const documents = (await U1.get<unknown[][]>('infostore', 'all', query)).data!;
    expect(documents.map((row) => row.slice(1)).sort()).toEqual([
      ['a.txt', 'content of a.txt'.length],
      ['b & c.txt', 'content of b & c.txt'.length],
    ]);
    // The holder of the link is asked for its pin.
    const opened = await fetch(url, { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([302, expect.stringContaining('login_type=')]);
    const link = { module: 'infostore', folder: String(made![0]) };
    const { data } = await U1.put<any>('share/management', 'getLink', { timezone: 'UTC' }, link);
    expect(data).toMatchObject({ url, is_new: false, expiry_date: end });
  });

  it('CN-15 puts files that are too large together behind a link that nobody asked for, within a folder for all of them', async () => {
    const { U1 } = at.cast;
    const titlesBelow = async (parent: string): Promise<string[]> => {
      const { data } = await U1.get<[string][]>('folders', 'list', { parent, columns: '300' });
      return (data ?? []).map(([title]) => title);
    };
    const { id: small } = await open();
    await attach(small, [['s.txt', '0123456789']]);
    const { id: large } = await open();
    await attach(large, [['l.txt', '0123456789 and more']]);
    await withProperty('compose.share.threshold', '10', async () => {
      await withProperty('compose.share.folderName', 'Sent by link', async () => {
        expect((await send(small, { to, subject: 'small' })).error).toBeUndefined();
        expect((await send(large, { to, subject: 'large' })).error).toBeUndefined();
      });
      const name = await U1.get<any>('config', 'get_property', { name: 'com.example.mail.compose.share.threshold' });
      expect(name.data.value).toBe(10);
    });
    const [attached, linked] = at.sink.mails.map(({ text }) => text);
    expect(attached).toMatch(/^Content-Disposition: attachment/im);
    expect(attached).not.toContain('X-Svc-Share-Reference');
    expect(linked).not.toMatch(/^Content-Disposition: attachment/im);
    expect(linked).toContain('X-Svc-Share-Reference');
    const { data: visible } = await U1.get<any>('folders', 'allVisible', {
      content_type: 'infostore',
      columns: '1,300',
    });
    const all: [string, string][] = [...(visible?.private ?? []), ...(visible?.public ?? [])];
    const root = all.find(([, title]) => title === 'Sent by link');
    expect(await titlesBelow(String(root![0]))).toEqual(['large']);
  });

  it('CN-15 ends the files of a mail with their link, where its author wants that', async () => {
    const { U1 } = at.cast;
    const titles = async (): Promise<string[]> => {
      const { data } = await U1.get<any>('folders', 'allVisible', { content_type: 'infostore', columns: '300' });
      return [...(data?.private ?? []), ...(data?.public ?? [])].map(([title]: [string]) => title);
    };
    for (const [subject, autodelete] of [
      ['for a while', true],
      ['for ever', false],
    ] as const) {
      const { id } = await open();
      await attach(id, [['a.txt', 'file content']]);
      const sharedAttachments = { enabled: true, autodelete, expiryDate: Date.now() + 5_000, password: null };
      expect((await send(id, { to, subject, sharedAttachments })).error).toBeUndefined();
    }
    expect(await titles()).toEqual(expect.arrayContaining(['for a while', 'for ever']));
    await until(async () => !(await titles()).includes('for a while'), 30_000);
    expect(await titles()).toContain('for ever');
  });

  it('CN-24 sends plain text as it is', async () => {
    const { id } = await open({ contentType: 'text/plain' });
    await send(id, { to, content: 'a <b> c' });
    expect(at.sink.mails[0]!.text).toContain('a <b> c');
    expect(at.sink.mails[0]!.text).not.toContain('text/html');
  });
});

describe('a full mailbox', () => {
  beforeAll(async () => {
    await at.imap.mailboxCreate('Filled');
    for (const size of [8_000_000, 1_000_000, 100_000, 10_000, 1_000]) {
      const mail = Buffer.from(`Subject: filled\r\n\r\n${'x'.repeat(size)}\r\n`);
      while (await at.imap.append('Filled', mail).catch(() => undefined));
    }
  });
  afterAll(() => at?.imap.mailboxDelete('Filled'));

  it('CN-10 takes no copy of a mail, which is sent with a warning, and the space is closed', async () => {
    const { id } = await open();
    const answer = await send(id, { to, content: 'x'.repeat(50_000) });
    expect(answer.data).toEqual({ success: true });
    expect(answer).toMatchObject({ code: 'MSG-0042', warnings: { code: 'MSG-0042' } });
    expect(at.sink.mails).toHaveLength(1);
    expect((await call('GET', `/${id}`)).code).toBe('MSGCS-0007');
  });

  it('CN-18 takes no draft, and the space stays', async () => {
    const { id } = await open();
    const content = 'x'.repeat(50_000);
    await put(id, { to, subject: 'kept', content });
    expect((await call('POST', `/${id}/save`)).code).toBe('MSG-0116');
    expect(await get(id)).toMatchObject({ subject: 'kept', to, content });
  });

  const post = async (action: string, form: FormData, query: object = {}): Promise<any> => {
    const { U1 } = at.cast;
    const parameters = { action, session: U1.session, force_json_response: true, plainJson: true, ...query };
    return (await U1.fetch('POST', '/mail', parameters, { body: form })).json();
  };

  it('MX-11 takes no copy of a mail that is sent at once, which is delivered with a warning', async () => {
    const attachments = [{ content_type: 'text/plain', content: 'x'.repeat(50_000) }];
    const draft = JSON.stringify({ from: [[null, own]], to, subject: 'much', attachments });
    const { data, code, warnings } = await post('new', formOf([], { json_0: draft }));
    expect([data ?? null, code, warnings]).toMatchObject([null, 'MSG-0042', { code: 'MSG-0042' }]);
    expect(at.sink.mails).toMatchObject([{ to: ['bob@x.example'], text: expect.stringContaining('Subject: much') }]);
  });

  it('MI-07 takes the mails of an import that it has room for, and names the others', async () => {
    await at.imap.mailboxOpen('Filled');
    await at.imap.messageDelete({ larger: 5_000, smaller: 50_000 });
    await at.imap.mailboxClose();
    const mailOf = (size: number) => `From: ${own}\r\nSubject: size ${size}\r\n\r\n${'x'.repeat(size)}\r\n`;
    await at.imap.mailboxCreate('Imported');
    const form = new FormData();
    for (const size of [100, 100_000, 200]) form.append('file', new Blob([mailOf(size)]), `${size}.eml`);
    const folder = 'default0/Imported';
    const { data } = await post('import', form, { folder });
    expect(data).toEqual([
      { folder_id: folder, id: '1' },
      { folder_id: folder, filename: '100000.eml', error: expect.any(String), code: 'MSG-0117' },
      { folder_id: folder, id: '2' },
    ]);
    const kept = await at.cast.U1.get('mail', 'all', { folder, columns: '607' });
    expect(kept.data).toEqual([['size 100'], ['size 200']]);
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

  it('CO-09 keeps recipients that are being typed, and an author who must not send', async () => {
    const { id } = await open();
    const fields = { to: [[null, 'bob@x.example']], cc: [[null, 'half']], from: [null, 'foreign@x.example'] };
    const { data: draft } = await call('POST', `/${id}/save`, {}, formOf([], { JSON: JSON.stringify(fields) }));
    expect(draft).toMatch(/^default0\/Drafts\/\d+$/);
    const again = await open({ type: 'edit' }, [{ folderId: 'default0/Drafts', id: draft.split('/')[2] }]);
    expect(again).toMatchObject(fields);
    expect((await send(again.id, { from: null })).code).toBe('MSG-1008');
    expect((await send(again.id, { from: fields.from, cc: [] })).code).toBe('MSG-0056');
    const json = { to: fields.cc, from: [fields.from], attachments: [{ content_type: 'text/plain', content: 'x' }] };
    const saved = await at.cast.U1.put<string>('mail', 'autosave', {}, json);
    expect(await readMail(saved.data!)).toMatchObject({ to: fields.cc, from: [fields.from] });
  });

  it('CN-27 keeps the space while the mail server is away', async () => {
    const { U2 } = at.cast;
    await provisionMailbox(at, U2, { host: 'nowhere.test', port: 1993, login: 'bob' });
    await U2.call('GET', 'account', 'all', { columns: '1001' });
    const { id } = (await call('POST', '', {}, undefined, 'U2')).data;
    await call('PUT', `/${id}`, {}, { subject: 'kept', content: 'text' }, 'U2');
    expect((await call('POST', `/${id}/save`, {}, undefined, 'U2')).code).toBe('MSG-1016');
    expect((await call('GET', `/${id}`, {}, undefined, 'U2')).data).toMatchObject({ subject: 'kept', content: 'text' });
  });
});
