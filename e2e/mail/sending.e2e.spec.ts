import { randomUUID } from 'node:crypto';
import { until } from '@groupware/test-kit';
import { uploadPicture } from '../attachments/attachments';
import { createFolder, homeOf } from '../files/files';
import { createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { MAIL_PASSWORD, TIMEOUT_MS } from '../mail-account/outside';
import { provisionMailbox, startChangedImap, startMail, storeMails, type MailFixtures } from './mailbox';

let at: MailFixtures;
let own: string;
const ALIAS = 'alias@mail.test';
beforeAll(async () => {
  at = await startMail();
  const { admin, contextId, U1 } = at.cast;
  own = U1.email;
  await admin.expect('PATCH', `/admin/v1/contexts/${contextId}/users/${U1.userId}`, { aliases: [own, ALIAS] });
}, 120_000);
afterAll(() => at?.close());
beforeEach(() => {
  at.sink.mails.length = 0;
  at.sink.refusals.recipients.clear();
  at.sink.refusals.mails.clear();
});

const body = (content: string, type = 'text/plain') => [{ content_type: type, content }];
const formOf = (json: object, files: readonly [name: string, content: string, type?: string][] = []): FormData => {
  const form = new FormData();
  form.append('json_0', JSON.stringify(json));
  files.forEach(([name, content, type = 'text/plain'], index) =>
    form.append(`file_${index}`, new Blob([content], { type }), name),
  );
  return form;
};
const raw = async (method: string, action: string, body: FormData | string, parameters: object = {}): Promise<any> => {
  const { session } = at.cast.U1;
  const headers = typeof body === 'string' ? { 'content-type': 'text/plain' } : undefined;
  const query = { action, session, force_json_response: true, plainJson: true, ...parameters };
  return (await at.cast.U1.fetch(method, '/mail', query, { body, headers })).json();
};
const post = (action: string, form: FormData, parameters: object = {}) => raw('POST', action, form, parameters);
const send = (json: object, files?: Parameters<typeof formOf>[1], parameters: object = {}) =>
  post('new', formOf({ from: [[null, own]], to: [[null, 'bob@x.example']], ...json }, files), parameters);
/** A mail that the SMTP server took, as another reader of it sees it. */
async function readBack(text: string): Promise<any> {
  const made = await at.imap.append('INBOX', Buffer.from(text, 'latin1'));
  const id = String((made as { uid?: number }).uid);
  const query = { folder: 'default0/INBOX', id, view: 'raw', exact_length: true };
  const { data } = await at.cast.U1.get('mail', 'get', query);
  const files = data.attachments.filter(({ content }: { content: unknown }) => content === null);
  return { ...data, id, files };
}
/** The source of a mail by its path. */
const sourceOf = async (path: string): Promise<string> => {
  const slash = path.lastIndexOf('/');
  const query = { folder: path.slice(0, slash), id: path.slice(slash + 1), src: 1, unseen: true };
  return (await at.cast.U1.get('mail', 'get', query)).data;
};
const all = async (folder: string, columns = '607'): Promise<unknown[][]> =>
  (await at.cast.U1.get('mail', 'all', { folder: `default0/${folder}`, columns })).data;
/** The flag that tells one session that a mail is new: which one, the server chooses. */
const RECENT = 16;
const flagsOf = async (folder: string, id: string): Promise<number> => {
  const listed = await at.cast.U1.put('mail', 'list', { columns: '611' }, [{ folder: `default0/${folder}`, id }]);
  return listed.data[0][0] & ~RECENT;
};

describe('sending a mail', () => {
  it('MX-01 hands it over, and keeps a copy with the recipients of blind copies', async () => {
    const { data, error } = await send(
      {
        subject: 'Grüße',
        cc: [['Cee', 'cee@x.example']],
        bcc: [[null, 'secret@x.example']],
        priority: 1,
        disp_notification_to: true,
        headers: { 'X-Mine': 'yes' },
        attachments: body('<p>Hello <b>you</b></p><script>alert(1)</script>', 'text/html'),
      },
      [['a.txt', 'file content']],
    );
    expect([error, data]).toEqual([undefined, expect.stringMatching(/^default0\/Sent\/\d+$/)]);
    const [taken] = at.sink.mails;
    expect(taken).toMatchObject({ from: own, to: ['bob@x.example', 'cee@x.example', 'secret@x.example'] });
    expect(taken!.text).not.toMatch(/secret@|script/);
    const mail = await readBack(taken!.text);
    expect(mail).toMatchObject({ subject: 'Grüße', priority: 1, disp_notification_to: own });
    const [text, html] = mail.attachments;
    expect([text.content_type, text.content.trim()]).toEqual(['text/plain', 'Hello you']);
    expect([html.content_type, html.content]).toEqual(['text/html', expect.stringContaining('<b>you</b>')]);
    expect(mail.files).toMatchObject([{ filename: 'a.txt', content_type: 'text/plain', size: 12 }]);
    expect(await sourceOf(data)).toMatch(/^Bcc: secret@x\.example/m);
    expect(await flagsOf('Sent', data.split('/').pop())).toBe(32 | 64);
  });

  it('answers with a page unless JSON is asked for', async () => {
    const answer = await at.cast.U1.fetch(
      'POST',
      '/mail',
      { action: 'new', session: at.cast.U1.session },
      {
        body: formOf({ to: [[null, 'bob@x.example']], attachments: body('x') }),
      },
    );
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual([
      expect.stringContaining('text/html'),
      expect.stringContaining('callback_new'),
    ]);
    expect(at.sink.mails[0]?.from).toBe(own);
  });

  it('MX-16 is possible from all addresses of the user, and from no other one', async () => {
    expect((await send({ from: [['Al', ALIAS]], attachments: body('x') })).error).toBeUndefined();
    expect(at.sink.mails[0]).toMatchObject({ from: ALIAS });
    expect((await send({ from: [[null, 'u2@x.example']], attachments: body('x') })).code).toBe('MSG-0056');
    expect((await send({ from: [[null, at.cast.U2.email]] })).code).toBe('MSG-0056');
    expect(at.sink.mails).toHaveLength(1);
  });

  it('asks for reports of failures that hold its headers, or for others as the operator wants it', async () => {
    const { admin, contextId } = at.cast;
    const setting = `/admin/v1/contexts/${contextId}/config/com.example.mail.deliveryStatusNotification`;
    const asked = async () => {
      at.sink.mails.length = 0;
      expect((await send({ cc: [[null, 'cee@x.example']], attachments: body('x') })).error).toBeUndefined();
      const { reports, notify, text } = at.sink.mails[0]!;
      const [, messageId] = /^Message-ID: (.*)\r$/im.exec(text)!;
      return { ...reports, isNamed: reports.envid === messageId, notify: notify.map((each) => each?.join()) };
    };
    const envid = expect.stringMatching(/^<.+@.+>$/);
    const failures = ['FAILURE,DELAY', 'FAILURE,DELAY'];
    expect(await asked()).toEqual({ ret: 'HDRS', envid, isNamed: true, notify: failures });
    await admin.expect('PUT', setting, { value: 'server' });
    await until(async () => (await asked()).ret === null, 15_000);
    expect(await asked()).toEqual({ ret: null, envid: null, isNamed: false, notify: [undefined, undefined] });
    await admin.expect('PUT', setting, { value: 'all' });
    await until(async () => (await asked()).notify[0] === 'SUCCESS,FAILURE,DELAY', 15_000);
    await admin.expect('DELETE', setting);
    await until(async () => (await asked()).notify[0] === 'FAILURE,DELAY', 15_000);
  }, 60_000);

  it('needs recipients, whose addresses are some, and no line of a header more', async () => {
    expect((await send({ to: [] })).code).toBe('MSG-0037');
    expect((await send({ to: [[null, 'nobody']] })).code).toBe('MSG-1008');
    expect((await send({ subject: 'a\r\nBcc: v@x.example' })).code).toBe('MSG-1008');
    expect((await send({ to: [['a\r\nBcc: v@x.example', 'b@x.example']] })).code).toBe('MSG-1008');
    expect((await send({ headers: { Bcc: 'v@x.example' } })).code).toBe('MSG-0031');
    expect((await send({ headers: { 'X-A': 'a\nBcc: v@x.example' } })).code).toBe('MSG-1008');
    const form = new FormData();
    form.append('file_0', new Blob(['x']), 'x.txt');
    expect((await post('new', form)).code).toBe('MSG-0086');
    expect(at.sink.mails).toEqual([]);
  });

  it('MX-12 MX-23 tells who was refused, and what nobody knows; there is no copy then', async () => {
    const before = (await all('Sent')).length;
    at.sink.refusals.recipients.set('cee@x.example', 550);
    const refused = await send({ cc: [[null, 'cee@x.example']], attachments: body('x') });
    expect([refused.code, refused.error]).toEqual(['MSG-1013', expect.stringContaining('cee@x.example')]);
    at.sink.refusals.mails.set('bob@x.example', 552);
    expect((await send({ attachments: body('x') })).code).toBe('MSG-1012');
    at.sink.refusals.mails.set('bob@x.example', 451);
    expect((await send({ attachments: body('x') })).code).toBe('MSG-1028');
    expect([at.sink.mails, (await all('Sent')).length]).toEqual([[], before]);
  });

  it('MX-06 MX-07 goes to so many recipients, and as often, as operators allow', async () => {
    const { admin, contextId, U1 } = at.cast;
    const path = `/admin/v1/contexts/${contextId}/users/${U1.userId}/config/com.example.mail`;
    const before = (await all('Sent')).length;
    await admin.expect('PUT', `${path}.maxToCcBcc`, { value: '2' });
    const three = { cc: [[null, 'b@x.example']], bcc: [[null, 'c@x.example']], attachments: body('x') };
    await until(async () => (await send(three)).code === 'MSG-0076');
    expect((await send({ ...three, bcc: [] })).error).toBeUndefined();
    await admin.expect('DELETE', `${path}.maxToCcBcc`);
    await admin.expect('PUT', `${path}.rateLimit`, { value: '60000' });
    at.sink.mails.length = 0;
    await until(async () => (await send({ attachments: body('x') })).code === 'MSG-0075');
    const sent = at.sink.mails.length;
    expect((await send({ attachments: body('x') })).code).toBe('MSG-0075');
    expect(at.sink.mails).toHaveLength(sent);
    await admin.expect('DELETE', `${path}.rateLimit`);
    await until(async () => (await send({ attachments: body('x') })).code === undefined);
    expect((await all('Sent')).length).toBeGreaterThan(before);
  });

  it('MX-13 MX-17 goes by the server of the account whose address it has, or not at all', async () => {
    let taken = 0;
    const port = await at.outside.smtp({
      onData: (stream: NodeJS.ReadableStream, _session: unknown, done: () => void) => {
        taken += 1;
        stream.resume().on('end', () => done());
      },
    });
    const { data: account } = await at.cast.U1.put(
      'account',
      'new',
      {},
      {
        ...{ name: 'Other', mail_url: `imaps://mail.test:${at.outside.dovecot.imaps}`, login: 'bob' },
        ...{ password: MAIL_PASSWORD, primary_address: 'bob@mail.test', transport_url: `smtp://mail.test:${port}` },
      },
    );
    const copies = async (): Promise<unknown[]> =>
      (await at.cast.U1.get('mail', 'all', { folder: `default${account.id}/Sent`, columns: '607' })).data;
    const sendFromOther = () => send({ from: [[null, 'bob@mail.test']], subject: 'other', attachments: body('x') });
    // Accounts of a session are remembered for some seconds.
    let sent: any;
    await until(async () => (sent = await sendFromOther()).code !== 'MSG-0056', 15_000);
    expect(sent.data).toMatch(new RegExp(`^default${account.id}/Sent/`));
    expect([taken, at.sink.mails, await copies()]).toEqual([1, [], [['other']]]);

    const away = { id: account.id, transport_url: 'smtp://nowhere.test:2525', password: MAIL_PASSWORD };
    await at.cast.U1.put('account', 'update', {}, away);
    await until(async () => (await sendFromOther()).code === 'MSG-1016', 15_000);
    const before = [taken, await copies()];
    const since = performance.now();
    expect((await sendFromOther()).code).toBe('MSG-1016');
    expect(performance.now() - since).toBeLessThan(2 * TIMEOUT_MS);
    expect([taken, await copies()]).toEqual(before);
  }, 60_000);

  it('MX-18 needs a server to send by', async () => {
    const silent = {
      ...{ name: 'Silent', mail_url: 'imaps://nowhere.test:1993', login: 'silent', password: MAIL_PASSWORD },
      ...{ primary_address: 'silent@mail.test' },
    };
    const { data: account } = await at.cast.U1.put('account', 'new', {}, silent);
    expect(account.id).toEqual(expect.any(Number));
    let answer: any;
    const attempt = () => send({ from: [[null, 'silent@mail.test']], attachments: body('x') });
    await until(async () => (answer = await attempt()).code !== 'MSG-0056', 15_000);
    expect(answer).toMatchObject({ code: 'MSG-0065', error_params: ['Silent', String(account.id)] });
    expect(at.sink.mails).toEqual([]);
  }, 30_000);

  it('MX-07 keeps its pause for mails of the primary account, or for all as the operator wants it', async () => {
    const { admin, contextId, U1 } = at.cast;
    const of = `/admin/v1/contexts/${contextId}/users/${U1.userId}/config/com.example.mail`;
    await U1.put(
      'account',
      'new',
      {},
      {
        ...{ name: 'Second', mail_url: 'imaps://nowhere.test:1993', login: 'second' },
        ...{ password: MAIL_PASSWORD, primary_address: 'second@mail.test' },
        transport_url: `smtp://mail.test:${at.sink.port}`,
      },
    );
    const sendFrom = async (address: string) =>
      (await send({ from: [[null, address]], attachments: body('x') }, [], { copy2Sent: false })).code;
    await until(async () => (await sendFrom('second@mail.test')) === undefined, 15_000);
    await admin.expect('PUT', `${of}.rateLimit`, { value: '60000' });
    await until(async () => (await sendFrom(own)) === 'MSG-0075');
    expect([await sendFrom('second@mail.test'), await sendFrom('second@mail.test')]).toEqual([undefined, undefined]);
    await admin.expect('PUT', `${of}.rateLimitPrimaryOnly`, { value: 'false' });
    await until(async () => (await sendFrom('second@mail.test')) === 'MSG-0075');
    for (const name of ['rateLimit', 'rateLimitPrimaryOnly']) await admin.expect('DELETE', `${of}.${name}`);
    await until(async () => (await sendFrom(own)) === undefined);
  }, 60_000);

  it('tells where answers go to as the account says, unless its author says otherwise', async () => {
    const answersTo = async (json: object = {}): Promise<string | undefined> => {
      at.sink.mails.length = 0;
      expect((await send({ attachments: body('x'), ...json })).error).toBeUndefined();
      return /^Reply-To: (.*)\r$/im.exec(at.sink.mails[0]!.text)?.[1];
    };
    const change = (reply_to: string | null) => at.cast.U1.put('account', 'update', {}, { id: 0, reply_to });
    expect(await answersTo()).toBeUndefined();
    expect((await change('Desk <desk@mail.test>')).error).toBeUndefined();
    await until(async () => (await answersTo()) !== undefined, 15_000);
    expect(await answersTo()).toBe('Desk <desk@mail.test>');
    expect(await answersTo({ reply_to: [[null, 'other@mail.test']] })).toBe('other@mail.test');
    const draft = await at.cast.U1.put('mail', 'autosave', {}, { subject: 'answers', attachments: body('x') });
    expect(await sourceOf(draft.data)).not.toMatch(/^Reply-To:/im);
    const id = draft.data.split('/').pop();
    await at.cast.U1.put('mail', 'delete', { harddelete: true }, [{ folder: 'default0/Drafts', id }]);
    await change(null);
    await until(async () => (await answersTo()) === undefined, 15_000);
  }, 60_000);

  it('tells the address of the client where the operator wants it', async () => {
    const { admin, contextId } = at.cast;
    const setting = `/admin/v1/contexts/${contextId}/config/com.example.mail.addClientIPAddress`;
    const told = async (): Promise<string | undefined> => {
      at.sink.mails.length = 0;
      await send({ attachments: body('x') });
      return /^X-Originating-IP: (\S+)\r$/im.exec(at.sink.mails[0]!.text)?.[1];
    };
    expect(await told()).toBeUndefined();
    await admin.expect('PUT', setting, { value: 'true' });
    await until(async () => (await told()) !== undefined, 15_000);
    expect(await told()).toMatch(/^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/);
    await admin.expect('DELETE', setting);
    await until(async () => (await told()) === undefined, 15_000);
  }, 60_000);

  it('MX-24 delivers a mail whose copy finds no server, with a warning', async () => {
    const { data: account } = await at.cast.U1.put(
      'account',
      'new',
      {},
      {
        ...{ name: 'Away', mail_url: 'imaps://nowhere.test:1993', login: 'bob', password: MAIL_PASSWORD },
        ...{ primary_address: 'away@mail.test', transport_url: `smtp://mail.test:${at.sink.port}` },
      },
    );
    expect(account.id).toEqual(expect.any(Number));
    let answer: any;
    const attempt = () => send({ from: [[null, 'away@mail.test']], subject: 'away', attachments: body('x') });
    await until(async () => (answer = await attempt()).code !== 'MSG-0056', 15_000);
    expect([answer.data ?? null, answer.code, answer.warnings]).toMatchObject([null, 'MSG-0043', { code: 'MSG-0043' }]);
    expect(at.sink.mails).toMatchObject([{ from: 'away@mail.test', to: ['bob@x.example'] }]);
  }, 30_000);

  it('keeps its copy though the folder went while it left', async () => {
    let refused = 0;
    const port = await startChangedImap(at.outside, {
      rewrite: (text) => text.replaceAll('LITERAL+', 'XLITERAL'),
      answer: (command) => {
        if (!command.startsWith('APPEND') || refused > 0) return undefined;
        refused += 1;
        return 'NO [TRYCREATE] it is gone';
      },
    });
    const account = {
      ...{ name: 'Gone', mail_url: `imaps://mail.test:${port}`, login: 'bob', password: MAIL_PASSWORD },
      ...{ primary_address: 'gone@mail.test', transport_url: `smtp://mail.test:${at.sink.port}` },
    };
    const { id } = (await at.cast.U1.put('account', 'new', {}, account)).data;
    let answer: any;
    const attempt = () => send({ from: [[null, 'gone@mail.test']], subject: 'gone', attachments: body('x') });
    await until(async () => (answer = await attempt()).code !== 'MSG-0056', 15_000);
    expect([refused, answer.error]).toEqual([1, undefined]);
    expect(answer.data).toMatch(new RegExp(`^default${id}/Sent/\\d+$`));
  }, 30_000);

  it('MX-22 wraps lines, and keeps no copy where none is wanted', async () => {
    const words = Array.from({ length: 60 }, () => 'word').join(' ');
    const { data } = await send({ attachments: body(`${words}\n> ${words}`) }, [], {
      lineWrapAfter: 76,
      copy2Sent: false,
    });
    expect(data ?? null).toBeNull();
    const { attachments } = await readBack(at.sink.mails[0]!.text);
    const lines: string[] = attachments[0].content.split('\n');
    expect(lines.filter((line) => line.length > 76)).toEqual([expect.stringMatching(/^> word/)]);
  });

  it('wraps lines as its author set it, unless the request says otherwise', async () => {
    const { U1 } = at.cast;
    const set = (value: number) =>
      U1.fetch('PUT', '/config/modules/mail/linewrap', { session: U1.session }, { body: String(value) });
    const longest = async (parameters: object = {}): Promise<number> => {
      const sent = at.sink.mails.length;
      await send({ attachments: body(Array.from({ length: 60 }, () => 'word').join(' ')) }, [], parameters);
      const { attachments } = await readBack(at.sink.mails[sent]!.text);
      return Math.max(...attachments[0].content.split('\n').map((line: string) => line.length));
    };
    expect(await longest()).toBeGreaterThan(200);
    await set(40);
    expect(await longest()).toBeLessThanOrEqual(40);
    expect(await longest({ lineWrapAfter: 0 })).toBeGreaterThan(200);
    await set(0);
    expect(await longest()).toBeGreaterThan(200);
  });

  it('MX-20 attaches documents that its author may read', async () => {
    const { U1, U2 } = at.cast;
    const upload = async (user: typeof U1, folder: string, name: string, type: string, content: string) => {
      const form = formOf({});
      form.set('json', JSON.stringify({ folder_id: folder, filename: name }));
      form.set('file', new Blob([content], { type }), name);
      const query = { action: 'new', session: user.session, force_json_response: true, plainJson: true };
      return ((await (await user.fetch('POST', '/infostore', query, { body: form })).json()) as any).data as string;
    };
    const home = await homeOf(U1);
    const text = await upload(U1, home, 'notes.txt', 'text/plain', 'my notes');
    const table = await upload(U1, home, 'table.csv', 'text/csv', 'a,b');
    const foreign = await upload(U2, await createFolder(U2, await homeOf(U2)), 'secret.txt', 'text/plain', 'secret');
    const attach = (infostore_ids: readonly string[]) => send({ attachments: body('see files'), infostore_ids });
    expect((await attach([text, table])).error).toBeUndefined();
    const { files } = await readBack(at.sink.mails[0]!.text);
    expect(files).toMatchObject([
      { filename: 'notes.txt', content_type: 'text/plain', size: 8 },
      { filename: 'table.csv', content_type: 'text/csv', size: 3 },
    ]);
    // The documents are still there.
    const kept = await U1.get('infostore', 'all', { folder: home, columns: '702', sort: 702, order: 'asc' });
    expect(kept.data).toEqual([['notes.txt'], ['table.csv']]);
    expect((await attach([text])).error).toBeUndefined();
    at.sink.mails.length = 0;
    expect((await attach([text, foreign])).code).toBe('IFO-0400');
    expect((await attach([text, '99999999'])).code).toBe('IFO-0300');
    const many = Array.from({ length: 21 }, () => text);
    expect(await attach(many)).toMatchObject({ code: 'MSG-0080', error_params: ['20'] });
    expect(at.sink.mails).toEqual([]);
    expect((await attach(many.slice(1))).error).toBeUndefined();
    expect(at.sink.mails).toHaveLength(1);
  }, 30_000);

  it('MX-21 takes the pictures along that its author uploaded, and those of nobody else', async () => {
    const { U1, U2 } = at.cast;
    const [first, second] = [Buffer.from('first picture'), Buffer.from('the second picture')];
    const ids = [await uploadPicture(U1, first), await uploadPicture(U1, second)];
    const addresses = [
      `/ajax/file?action=get&amp;id=${ids[0]}`,
      `https://here.example/ajax/file?action=get&id=${ids[1]}&session=${U1.session}`,
      `/ajax/image/mfile/picture?uid=${ids[1]}`,
      `https://here.example/ajax/file?action=get&id=${await uploadPicture(U2, Buffer.from('of another user'))}`,
      `/ajax/file?action=get&id=${randomUUID()}`,
    ];
    const content = `<p>Hi ${addresses.map((address) => `<img src="${address}">`).join('')}</p>`;
    expect((await send({ attachments: body(content, 'text/html') })).error).toBeUndefined();
    const { text } = at.sink.mails[0]!;
    expect(text).toMatch(/multipart\/related/);
    const read = text.replace(/=\r\n/g, '').replace(/=3D/g, '=');
    const cids = [...read.matchAll(/<img src="cid:([^"]+)"/g)].map(([, cid]) => cid);
    const parts = [...read.matchAll(/^Content-ID: <([^>]+)>/gim)].map(([, cid]) => cid);
    expect([cids.length, parts]).toEqual([3, cids]);
    expect(read).not.toMatch(/here\.example|file\?|mfile|session/);
    for (const id of [...ids, U1.session]) expect(read).not.toContain(id);
    const { files } = await readBack(text);
    expect(files.map(({ size, content_type: type }: any) => [size, type])).toEqual([
      [first.length, 'image/png'],
      [second.length, 'image/png'],
      [second.length, 'image/png'],
    ]);
    // The pictures are still there, for other mails.
    const shown = await U1.fetch('GET', '/file', { action: 'get', session: U1.session, id: ids[0]! });
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(first);
  });

  it('attaches no documents for users who have no files', async () => {
    const { admin, contextId } = at.cast;
    const without = await createTestUser(at.world, admin, contextId, 'nofiles');
    await provisionMailbox(at, without, { login: 'bob' });
    await admin.expect('PUT', `/admin/v1/contexts/${contextId}/users/${without.userId}/module-access`, {
      flags: { infostore: false },
    });
    await without.login(without.loginName, PASSWORD);
    const draft = { subject: 'x', attachments: body('x'), infostore_ids: ['1'] };
    expect((await without.put('mail', 'autosave', {}, draft)).code).toBe('SVL-0016');
  });

  it('MG-17 names a draft by its own place, for an editor with its text unchanged', async () => {
    const { U1 } = at.cast;
    const draft = { subject: 'alone', attachments: body('a < b') };
    const { data: path } = await U1.put('mail', 'autosave', {}, draft);
    expect(path).toMatch(/^default0\/Drafts\/\d+$/);
    const id = path.split('/').pop();
    const { data } = await U1.get('mail', 'get', { folder: 'default0/Drafts', id, edit: 1 });
    expect([data.msgref, data.attachments[0].content.trim()]).toEqual([path, 'a < b']);
    expect((await U1.put('mail', 'list', { columns: '615' }, [{ folder: 'default0/Drafts', id }])).data).toEqual([
      [path],
    ]);
    const headers = ['X-Svc-Msgref: default0/INBOX/1'];
    const [mail] = await storeMails(at.imap, 'INBOX', [{ subject: 'no draft', headers }]);
    const { data: other } = await U1.get('mail', 'get', { folder: 'default0/INBOX', id: mail!, edit: 1 });
    expect(other).not.toHaveProperty('msgref');
    await U1.put('mail', 'delete', { harddelete: true }, [{ folder: 'default0/Drafts', id }]);
  });

  it('has a text of megabytes, saved or sent', async () => {
    const content = `<p>${'long text '.repeat(110_000)}end</p>`;
    const draft = { from: [[null, own]], subject: 'long', attachments: body(content, 'text/html') };
    const saved = await at.cast.U1.put<string>('mail', 'autosave', {}, draft);
    expect(saved.error).toBeUndefined();
    const drafted = await readBack(await sourceOf(saved.data!));
    expect(drafted.attachments[0].content).toContain('long text end');
    const [folder, id] = ['default0/Drafts', saved.data!.split('/').at(-1)];
    await at.cast.U1.put('mail', 'delete', { harddelete: true }, [{ folder, id }]);
    expect((await send(draft, [['a.txt', 'file content']])).error).toBeUndefined();
    const sent = await readBack(at.sink.mails[0]!.text);
    expect(sent.attachments[0].content).toContain('long text end');
    expect(sent.files).toMatchObject([{ filename: 'a.txt' }]);
  });

  it('attaches the card of its author once, where that is wanted', async () => {
    const { data: user } = await at.cast.U1.get('user', 'get');
    const name = `${user.display_name}.vcf`;
    const draft = { from: [[null, own]], subject: 'card', vcard: 1, attachments: body('x') };
    const saved = await at.cast.U1.put<string>('mail', 'autosave', {}, draft);
    const withCard = [{ filename: name, content_type: 'text/vcard' }];
    expect((await readBack(await sourceOf(saved.data!))).files).toMatchObject(withCard);
    const parts = [...body('x'), { id: '2' }];
    expect((await send({ ...draft, sendtype: 4, msgref: saved.data, attachments: parts })).error).toBeUndefined();
    expect((await send({ ...draft, vcard: 0 })).error).toBeUndefined();
    const [card, none] = at.sink.mails.map(({ text }) => text);
    const { id, files } = await readBack(card!);
    expect([files, files.length]).toMatchObject([withCard, 1]);
    const query = { action: 'attachment', session: at.cast.U1.session, folder: 'default0/INBOX' };
    const read = await at.cast.U1.fetch('GET', '/mail', { ...query, id, attachment: files[0].id });
    const content = await read.text();
    expect(content).toMatch(/^BEGIN:VCARD\r\n/);
    expect(content).toContain(own);
    expect((await readBack(none!)).files).toEqual([]);
  });

  it('attaches contacts and parts of mails that data sources name', async () => {
    const { U1 } = at.cast;
    const { data: user } = await U1.get('user', 'get');
    const calendar = ['Content-Type: text/calendar; name=plan.ics', '', 'BEGIN:VCALENDAR', 'END:VCALENDAR'];
    const [id] = await storeMails(at.imap, 'INBOX', [
      {
        headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'],
        text: ['--b', 'Content-Type: text/plain', '', 'see', '--b', ...calendar, '--b--'].join('\r\n'),
      },
    ]);
    const partOf = (kind: string, sequenceid: string) => ({
      identifier: `com.openexchange.mail.${kind}`,
      args: [
        { 'com.openexchange.mail.conversion.fullname': 'default0/INBOX' },
        { 'com.openexchange.mail.conversion.mailid': id },
        { 'com.openexchange.mail.conversion.sequenceid': sequenceid },
      ],
    });
    const pairs = [{ folder: String(user.folder_id), id: String(user.contact_id) }];
    const contact = { identifier: 'com.example.contact', args: [{ 'com.example.contact.pairs': pairs }] };
    const attach = (...datasources: object[]) => send({ attachments: body('see files'), datasources });
    expect((await attach(contact, partOf('ical', '2'))).error).toBeUndefined();
    expect((await readBack(at.sink.mails[0]!.text)).files).toMatchObject([
      { filename: `${user.display_name}.vcf`, content_type: 'text/vcard' },
      { filename: 'plan.ics', content_type: 'text/calendar' },
    ]);
    at.sink.mails.length = 0;
    expect((await attach({ identifier: 'com.example.nothing' })).code).toBe('CNV-0003');
    expect((await attach({ identifier: 'com.example.mail.ical' })).code).toBe('CNV-0001');
    expect((await attach(partOf('vcard', '2'))).code).toBe('CNV-0005');
    expect((await attach(partOf('ical', '7'))).code).toBe('MSG-0067');
    expect(at.sink.mails).toEqual([]);
  });

  it('takes a link along in place of its files, where that is wanted and allowed', async () => {
    const { U1, admin, contextId } = at.cast;
    const setting = `/admin/v1/contexts/${contextId}/config/com.example.mail.compose.share`;
    const share = (options: object = {}) =>
      send({ subject: 'Big / files', attachments: body('See'), share_attachments: { enable: true, ...options } }, [
        ['a.txt', 'file content'],
      ]);
    const end = Date.now() + 7 * 86_400_000;
    await admin.expect('PUT', `${setting}.requiredExpiration`, { value: 'true' });
    expect((await share()).code).toBe('MSG-0107');
    await admin.expect('DELETE', `${setting}.requiredExpiration`);
    await admin.expect('PUT', `${setting}.enabled`, { value: 'false' });
    expect((await share({ expiry_date: end })).code).toBe('MSG-0106');
    await admin.expect('DELETE', `${setting}.enabled`);
    expect(at.sink.mails).toEqual([]);
    expect((await share({ expiry_date: end, password: 'a pin for the link' })).error).toBeUndefined();
    const [linked] = at.sink.mails;
    const text = linked!.text.replace(/=\r\n/g, '').replace(/=3D/g, '=');
    expect(text).not.toMatch(/^Content-Disposition: attachment/im);
    expect(text).not.toContain('file content');
    const [, reference] = /^X-Svc-Share-Reference:\s*([\s\S]*?)\r\n(?=\S)/im.exec(text)!;
    const [url] = /http:\/\/[^\s"<>]+\/share\/[^\s"<>]+/.exec(text)!;
    const shared = JSON.parse(Buffer.from(reference!.replace(/\s/g, ''), 'base64url').toString());
    expect(shared).toMatchObject({ contextId, userId: U1.userId, expiration: end });
    expect(url).toContain(`/share/${shared.shareToken}`);
    const { data } = await U1.get('infostore', 'all', { folder: shared.folder, columns: '702,704' });
    expect(data).toEqual([['a.txt', 'file content'.length]]);
    // The holder of the link is asked for its pin.
    const opened = await fetch(url, { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([302, expect.stringContaining('login_type=')]);
    expect((await share({ enable: false })).error).toBeUndefined();
    expect((await readBack(at.sink.mails.at(-1)!.text)).files).toMatchObject([{ filename: 'a.txt', size: 12 }]);
  }, 60_000);

  it('stores it in a folder instead, or as a draft that replaces the former one', async () => {
    const stored = await send({ subject: 'stored', attachments: body('x') }, [], { folder: 'default0/INBOX' });
    expect(stored.data).toMatch(/^default0\/INBOX\/\d+$/);
    const first = await send({ subject: 'draft 1', flags: 4, attachments: body('x') });
    expect(first.data).toMatch(/^default0\/Drafts\/\d+$/);
    const second = await send({
      subject: 'draft 2',
      flags: 4,
      sendtype: 3,
      msgref: first.data,
      attachments: body('x'),
    });
    const third = await at.cast.U1.put(
      'mail',
      'autosave',
      {},
      {
        ...{ from: [[null, own]], subject: 'draft 3', msgref: second.data, attachments: body('y') },
      },
    );
    expect(await all('Drafts')).toEqual([['draft 3']]);
    // The mail that is answered is named like a draft: it stays.
    const saved = await at.cast.U1.put('mail', 'autosave', {}, { subject: 'answer', msgref: stored.data, sendtype: 1 });
    expect(await all('INBOX')).toContainEqual(['stored']);
    expect(await sourceOf(saved.data)).toContain(`X-Svc-Msgref: ${stored.data}`);
    const sent = await send({ subject: 'draft 3', sendtype: 4, msgref: third.data, attachments: body('z') });
    expect([sent.error, await all('Drafts')]).toEqual([undefined, [['answer']]]);
    expect(at.sink.mails).toHaveLength(1);
  });
});

describe('people to whom a mail went', () => {
  it('CO-84 become contacts of the folder for collected addresses once, and count as used', async () => {
    const collected = async (): Promise<unknown[][]> => {
      const folders = await at.cast.U1.get('folders', 'list', { parent: 1, columns: '1,300', all: 1 });
      const [found] = folders.data.filter(([, title]: unknown[]) => title === 'Collected addresses');
      if (!found) return [];
      return (await at.cast.U1.get('contacts', 'all', { folder: found[0], columns: '500,555,608' })).data;
    };
    for (const uses of [1, 2]) {
      await send({ to: [['Zoe', 'zoe@y.example']] });
      await until(async () =>
        (await collected()).some(([, address, used]) => address === 'zoe@y.example' && used === uses),
      );
    }
    expect((await collected()).filter(([name]) => name === 'Zoe')).toEqual([['Zoe', 'zoe@y.example', 2]]);
  });

  it('that are users count as used for who wrote to them', async () => {
    const { U1, U2 } = at.cast;
    const usesOf = async (reader: TestUser): Promise<number> =>
      (await reader.get('user', 'get', { id: U2.userId })).data.useCount;
    const before = await usesOf(U1);
    await send({ to: [['Bob', U2.email]] });
    await until(async () => (await usesOf(U1)) === before + 1);
    expect(await usesOf(U2)).toBe(0);
    const sorted = await U1.get('user', 'all', { columns: '1,608', sort: '608', order: 'desc' });
    expect(sorted.data[0]).toEqual([String(U2.userId), before + 1]);
    expect((await U1.put('user', 'list', { columns: '608' }, [U2.userId])).data).toEqual([[before + 1]]);
  });
});

describe('answers', () => {
  const original = async (folder = 'INBOX') => {
    const [id] = await storeMails(at.imap, folder, [
      {
        subject: 'Plan',
        from: 'Zoe <zoe@x.example>',
        headers: [
          `To: ${own}, Other <other@x.example>`,
          `Cc: ${ALIAS}, cee@x.example`,
          'Message-ID: <m1@x.example>',
          'References: <m0@x.example>',
          'Date: Tue, 02 Jan 2024 10:00:00 +0000',
        ],
        text: 'first\r\nsecond',
      },
    ]);
    return { folder: `default0/${folder}`, id: id! };
  };

  it('MR-01 MR-02 are prepared: to the author, or to all but the user', async () => {
    const mail = await original();
    const { data: one } = await at.cast.U1.get('mail', 'reply', { ...mail, setFrom: true });
    expect(one).toMatchObject({
      to: [['Zoe', 'zoe@x.example']],
      cc: [],
      from: [[null, own]],
      subject: 'Re: Plan',
      msgref: `default0/INBOX/${mail.id}`,
    });
    expect(one.attachments[0].content).toMatch(/On .*2024 at .*wrote:\n\n> first\n> second\n$/);
    const { data: everybody } = await at.cast.U1.get('mail', 'replyall', mail);
    expect(everybody).toMatchObject({
      to: [
        ['Zoe', 'zoe@x.example'],
        ['Other', 'other@x.example'],
      ],
      cc: [[null, 'cee@x.example']],
    });
    const { data: html } = await at.cast.U1.get('mail', 'reply', { ...mail, view: 'html' });
    expect(html.attachments[0]).toMatchObject({
      content_type: 'text/html',
      content: expect.stringContaining('<blockquote type="cite"'),
    });
    const codes = [
      await at.cast.U1.get('mail', 'reply', { ...mail, id: `${mail.id},${mail.id}` }),
      await at.cast.U1.get('mail', 'reply', { ...mail, id: '99999' }),
      await at.cast.U1.get('mail', 'reply', { ...mail, view: 'none' }),
    ].map(({ code }) => code);
    expect(codes).toEqual(['MSG-0047', 'MSG-0032', 'MSG-0031']);
  });

  it('quote of HTML the content of its body, whose rules reach no other text', async () => {
    const html =
      '<html><head><style>p, .mine{color:red}</style></head><body bgcolor="#eeeeee"><p class=mine>Hi</p></body></html>';
    const [id] = await storeMails(at.imap, 'INBOX', [
      { subject: 'HTML', from: 'zoe@x.example', headers: ['Content-Type: text/html'], text: html },
    ]);
    for (const action of ['reply', 'replyall', 'forward'])
      for (const view of [undefined, 'html']) {
        const { data } = await at.cast.U1.get('mail', action, { folder: 'default0/INBOX', id, view });
        const [{ content, content_type: type }] = data.attachments;
        expect([action, type]).toEqual([action, 'text/html']);
        expect(content).not.toMatch(/<(?:!doctype|html|head|meta|body)\b/i);
        const quoted =
          /<div id="(svc-\w+)" style="background-color:#eeeeee"><style type="text\/css">#\1 p,#\1 \.\1-mine\{color:red\}<\/style><p class="\1-mine">Hi<\/p>\s*<\/div>/;
        expect(content).toMatch(quoted);
        if (action === 'forward') continue;
        expect(content).toMatch(new RegExp(`<blockquote type="cite" style="[^"]*">${quoted.source}</blockquote>$`));
      }
    const { data: text } = await at.cast.U1.get('mail', 'reply', { folder: 'default0/INBOX', id, view: 'text' });
    expect(text.attachments[0].content).toMatch(/wrote:\n\n> Hi\n/);
    const { data } = await at.cast.U1.get('mail', 'reply', { folder: 'default0/INBOX', id });
    expect((await send({ to: [[null, 'zoe@x.example']], attachments: data.attachments })).error).toBeUndefined();
    const sent = at.sink.mails.at(-1)!.text.replace(/=\r\n/g, '').replaceAll('=3D', '=');
    expect(sent).toMatch(
      /<style type="text\/css">#(svc-\w+) p,#\1 \.\1-mine\{color:red\}<\/style>.*<p class="\1-mine">Hi/s,
    );
  });

  it('continue the thread and mark the original', async () => {
    const mail = await original();
    const msgref = `default0/INBOX/${mail.id}`;
    await send({ subject: 'Re: Plan', sendtype: 1, msgref, attachments: body('x') });
    const { headers } = await readBack(at.sink.mails[0]!.text);
    expect([headers['In-Reply-To'], headers.References]).toEqual(['<m1@x.example>', '<m0@x.example> <m1@x.example>']);
    expect((await flagsOf('INBOX', mail.id)) & 1).toBe(1);
    await send({ subject: 'Fwd: Plan', sendtype: 2, msgref, attachments: body('x') });
    expect((await flagsOf('INBOX', mail.id)) & 256).toBe(256);
  });

  it('continue the thread and mark the original when they are sent as drafts that were saved twice', async () => {
    const { U1 } = at.cast;
    const save = async (json: object): Promise<string> =>
      (await U1.put('mail', 'autosave', {}, { from: [[null, own]], to: [[null, 'zoe@x.example']], ...json })).data;
    for (const [sendtype, folder, flag] of [
      [1, 'Pläne', 1],
      [2, 'INBOX', 256],
    ] as const) {
      const mail = await original(folder);
      const msgref = `${mail.folder}/${mail.id}`;
      const first = await save({ subject: 'first', sendtype, msgref, attachments: body('x') });
      const second = await save({ subject: 'second', msgref: first, attachments: body('y') });
      expect(await all('Drafts', '607,615')).toContainEqual(['second', msgref]);
      const draft = { folder: 'default0/Drafts', id: second.split('/').pop()! };
      const { data: edited } = await U1.get('mail', 'get', { ...draft, edit: 1 });
      expect([edited.subject, edited.msgref]).toEqual(['second', second]);
      expect((await flagsOf(folder, mail.id)) & 257).toBe(0);
      at.sink.mails.length = 0;
      const sent = await send({ subject: 'third', sendtype: 4, msgref: edited.msgref, attachments: body('z') });
      expect([sent.error, (await all('Drafts')).flat().includes('second')]).toEqual([undefined, false]);
      const { headers } = await readBack(at.sink.mails[0]!.text);
      expect([headers['In-Reply-To'], headers.References]).toEqual(['<m1@x.example>', '<m0@x.example> <m1@x.example>']);
      expect(Object.keys(headers).filter((name) => name.startsWith('X-Svc-'))).toEqual([]);
      expect((await flagsOf(folder, mail.id)) & 257).toBe(flag);
    }
  }, 30_000);

  it('answer one mail only', async () => {
    const draft = { sendtype: 1, msgref: 'default0/INBOX/1,default0/INBOX/2', attachments: body('x') };
    expect((await send(draft)).code).toBe('MSG-0047');
    expect((await at.cast.U1.put('mail', 'autosave', {}, draft)).code).toBe('MSG-0047');
    expect(at.sink.mails).toEqual([]);
  });

  it('MX-10 leave with a warning when the original is gone', async () => {
    const gone = await send({ sendtype: 1, msgref: 'default0/INBOX/99999', attachments: body('x') });
    expect([gone.category, gone.code, gone.data]).toEqual([13, 'MSG-0082', expect.stringMatching(/^default0\/Sent/)]);
    expect(at.sink.mails).toHaveLength(1);
    const part = [...body('x'), { id: '2' }];
    expect((await send({ sendtype: 2, msgref: 'default0/INBOX/99999', attachments: part })).code).toBe('MSG-0067');
    expect(at.sink.mails).toHaveLength(1);
  });

  it('MR-03 MX-21 pass on files, pictures and whole mails', async () => {
    const picture = Buffer.from('picture').toString('base64');
    const lines = [
      'Content-Type: multipart/related; boundary=r',
      '',
      '--r',
      'Content-Type: text/html',
      '',
      '<p>See <img src="cid:pic@x"></p>',
      '--r',
      'Content-Type: image/png; name=p.png',
      'Content-ID: <pic@x>',
      'Content-Transfer-Encoding: base64',
      'Content-Disposition: inline; filename=p.png',
      '',
      picture,
      '--r--',
    ];
    const bounce = ['--n', 'Content-Type: text/plain', '', 'see', '--n', 'Content-Type: message/rfc822', ''];
    const [id, other] = await storeMails(at.imap, 'Pictures', [
      { subject: 'with picture', headers: lines.slice(0, 1), text: lines.slice(2).join('\r\n') },
      {
        subject: 'with a mail',
        headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=n'],
        text: [...bounce, 'From: inner@x.example', 'Subject: inner', '', 'inner text', '--n--'].join('\r\n'),
      },
    ]);
    const { data } = await at.cast.U1.get('mail', 'forward', { folder: 'default0/Pictures', id: id! });
    const [text, ...files] = data.attachments;
    expect([data.subject, text.content_type, files.length]).toEqual(['Fwd: with picture', 'text/html', 1]);
    expect(text.content).toContain('/image/mail/picture?');
    const parts = [{ content_type: 'text/html', content: text.content }, { id: files[0].id }];
    expect((await send({ sendtype: 2, msgref: data.msgref, attachments: parts })).error).toBeUndefined();
    const sent = await readBack(at.sink.mails[0]!.text);
    expect(at.sink.mails[0]!.text).not.toContain('/image/mail/picture');
    expect(sent.files.map(({ disp, size }: { disp: string; size: number }) => [disp, size]).sort()).toEqual([
      ['attachment', 7],
      ['inline', 7],
    ]);

    const mails = [
      { folder: 'default0/Pictures', id: other },
      { folder: 'default0/Pictures', id },
    ];
    const { data: several } = await at.cast.U1.put('mail', 'forward', {}, mails);
    expect(several.attachments.map(({ content_type: type }: { content_type: string }) => type)).toEqual([
      'text/plain',
      'message/rfc822',
      'message/rfc822',
    ]);
    const { msgref, attachments } = several;
    expect((await send({ sendtype: 2, msgref, attachments })).error).toBeUndefined();
    const { nested_msgs: passedOn } = await readBack(at.sink.mails[1]!.text);
    expect(passedOn).toMatchObject([
      { subject: 'with a mail', nested_msgs: [{ subject: 'inner' }] },
      { subject: 'with picture' },
    ]);
    const nine = Array.from({ length: 9 }, () => mails[0]);
    expect((await at.cast.U1.put('mail', 'forward', {}, nine)).code).toBe('MSG-0080');
  });

  it('attach a mail whole where the operator wants it, and keep its subject when that tells of it', async () => {
    const { admin, contextId, U1 } = at.cast;
    const setting = `/admin/v1/contexts/${contextId}/users/${U1.userId}/config/com.example.mail.forwardAsAttachment`;
    const mails = ['plan', 'FWD: plan', 'a/b: c'].map((subject) => ({ subject }));
    const ids = await storeMails(at.imap, 'Whole', mails);
    const forward = async (id: string | undefined) =>
      (await U1.get('mail', 'forward', { folder: 'default0/Whole', id: id! })).data;
    await admin.expect('PUT', setting, { value: 'true' });
    await until(async () => (await forward(ids[0])).attachments.length === 2);
    expect((await forward(ids[0])).subject).toBe('Fwd: plan');
    expect((await forward(ids[2])).attachments[1].filename).toBe('a_b_ c.eml');
    const { subject, msgref, attachments } = await forward(ids[1]);
    expect(subject).toBe('FWD: plan');
    await admin.expect('DELETE', setting);
    await until(async () => (await forward(ids[0])).attachments.length === 1);
    expect((await send({ subject, sendtype: 2, msgref, attachments })).error).toBeUndefined();
    expect((await readBack(at.sink.mails[0]!.text)).nested_msgs).toMatchObject([{ subject: 'FWD: plan' }]);
  });

  it('pass on mails within the one that is forwarded', async () => {
    const lines = ['--n', 'Content-Type: text/plain', '', 'see', '--n', 'Content-Type: message/rfc822', ''];
    const named = ['--n', 'Content-Type: message/rfc822', 'Content-Disposition: attachment; filename=msg.eml', ''];
    const [id] = await storeMails(at.imap, 'Nested', [
      {
        subject: 'with a mail',
        headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=n'],
        text: [
          ...[...lines, 'From: inner@x.example', 'Subject: inner/one', '', 'inner text'],
          ...[...named, 'Subject: inner two', '', 'x', '--n--'],
        ].join('\r\n'),
      },
    ]);
    const { data } = await at.cast.U1.get('mail', 'forward', { folder: 'default0/Nested', id: id! });
    const [text, nested, other] = data.attachments;
    expect([data.attachments.length, nested.content_type, nested.disp]).toEqual([3, 'message/rfc822', 'attachment']);
    expect(other).toMatchObject({ content_type: 'message/rfc822', filename: 'msg.eml' });
    expect(nested.filename).toMatch(/^inner.one\.eml$/);
    const parts = [{ content_type: 'text/plain', content: text.content }, { id: nested.id }];
    expect((await send({ sendtype: 2, msgref: data.msgref, attachments: parts })).error).toBeUndefined();
    expect(at.sink.mails[0]!.text).toMatch(/Content-Type: message\/rfc822[^]*Subject: inner\/one[^]*inner text/);
  });
});

describe('mails as their source', () => {
  const source = (lines: readonly string[]) => lines.join('\n');
  const put = (text: string, parameters: object = {}) => raw('PUT', 'new', text, parameters);

  it('are sent as they are, without the recipients of blind copies', async () => {
    const { data, error } = await put(
      source(['To: bob@x.example', 'Bcc: secret@x.example', 'Subject: raw', 'X-Own: kept', '', 'body', '.', 'end']),
    );
    expect([error, data]).toEqual([undefined, { folder_id: 'default0/Sent', id: expect.any(String) }]);
    const [taken] = at.sink.mails;
    expect(taken).toMatchObject({ from: own, to: ['bob@x.example', 'secret@x.example'] });
    expect(taken!.text).toMatch(/^X-Own: kept\r\n/m);
    expect(taken!.text).toMatch(/\r\n\r\nbody\r\n\.\r\nend/);
    expect(taken!.text).not.toContain('secret@');
    expect(await sourceOf(`${data.folder_id}/${data.id}`)).toContain('Bcc: secret@x.example');
  });

  it('are refused from others, without recipients, and when they are none', async () => {
    expect((await put(source(['From: eve@x.example', 'To: bob@x.example', '', 'x']))).code).toBe('MSG-0056');
    expect((await put(source(['Subject: x', '', 'x']))).code).toBe('MSG-0037');
    expect((await put('\u0089PNG\r\n\u001a\n')).code).toBe('MSG-0101');
    expect(at.sink.mails).toEqual([]);
    const stored = source(['From: eve@x.example', 'Subject: of eve', '', 'x']);
    expect((await put(stored, { folder: 'default0/INBOX' })).code).toBe('MSG-0056');
    const { data } = await put(stored, { folder: 'default0/INBOX', force: true, flags: 32 });
    expect(await flagsOf('INBOX', data.id)).toBe(32 | 64);
  });

  it('MI-05 MI-06 are imported, each for itself', async () => {
    const form = new FormData();
    const good = (name: string) => source([`From: ${own}`, `Subject: ${name}`, '', 'x']);
    for (const [name, content] of [
      ['a', good('import a')],
      ['bad', '\u0089PNG'],
      ['b', good('import b')],
    ] as const)
      form.append('file', new Blob([content]), `${name}.eml`);
    const { data } = await post('import', form, { folder: 'default0/INBOX' });
    expect(data).toEqual([
      { folder_id: 'default0/INBOX', id: expect.any(String) },
      { folder_id: 'default0/INBOX', filename: 'bad.eml', error: expect.any(String), code: 'MSG-0101' },
      { folder_id: 'default0/INBOX', id: expect.any(String) },
    ]);
    const foreign = new FormData();
    foreign.append('file', new Blob([good('first')]), 'a.eml');
    foreign.append('file', new Blob([source(['From: eve@x.example', 'Subject: second', '', 'x'])]), 'b.eml');
    const before = await all('INBOX');
    expect((await post('import', foreign, { folder: 'default0/INBOX' })).code).toBe('MSG-0056');
    expect(await all('INBOX')).toEqual(before);
    const nothing = new FormData();
    nothing.append('x', 'y');
    expect((await post('import', nothing, { folder: 'default0/INBOX' })).code).toBe('SVL-0002');
    const missing = new FormData();
    missing.append('file', new Blob([good('x')]), 'x.eml');
    expect((await post('import', missing, { folder: 'default0/Nowhere' })).code).toBe('IMAP-1002');
    expect((await post('import', missing, { folder: 'default7/INBOX' })).code).toBe('ACC-0002');
    expect((await post('import', missing, { folder: 'default0' })).code).toBe('MSG-0050');
    expect((await put(good('x'), { folder: 'default7/INBOX' })).code).toBe('ACC-0002');
    for (const folder of ['default0/INBOX', 'default0/Nowhere']) {
      const query = { action: 'import', session: at.cast.U1.session, folder };
      const answer = await at.cast.U1.fetch('POST', '/mail', query, { body: foreign });
      expect([answer.headers.get('content-type'), await answer.json()]).toEqual([
        expect.stringMatching(/json|javascript/),
        expect.objectContaining({ code: expect.any(String) }),
      ]);
    }
  });
});

describe('receipts', () => {
  it('are sent once, to who asked for them', async () => {
    const [id, plain] = await storeMails(at.imap, 'INBOX', [
      {
        subject: 'please confirm',
        headers: [`To: ${ALIAS}`, 'Message-ID: <r1@x.example>', 'Disposition-Notification-To: zoe@x.example'],
      },
      { subject: 'nothing asked' },
    ]);
    const wantedBy = async () => (await at.cast.U1.get('mail', 'get', { folder: 'default0/INBOX', id: id! })).data;
    expect((await wantedBy()).disp_notification_to).toBe('zoe@x.example');
    expect(await wantedBy()).not.toHaveProperty('disp_notification_to');
    const ack = (of: string | undefined, parts: object = {}) =>
      at.cast.U1.put('mail', 'receipt_ack', {}, { folder: 'default0/INBOX', id: of, ...parts });
    expect((await ack(id, { from: 'eve@x.example' })).code).toBe('MSG-0056');
    expect((await ack(plain)).code).toBe('MSG-0095');
    expect((await ack('99999')).code).toBe('MSG-0032');
    expect((await ack(id)).data).toEqual({});
    expect(at.sink.mails).toMatchObject([{ from: '', to: ['zoe@x.example'] }]);
    const { text } = at.sink.mails[0]!;
    expect(text).toMatch(/Content-Type: multipart\/report;[^]*Final-Recipient: rfc822;alias@mail\.test/);
    expect(text).toContain('Original-Message-ID: <r1@x.example>');
    expect((await flagsOf('INBOX', id!)) & 512).toBe(512);
    expect((await ack(id)).code).toBe('MSG-0095');
    expect(at.sink.mails).toHaveLength(1);
  });
});

describe('a write with an idempotency key', () => {
  /** @param body what the request bears */
  const keyed = async (key: string, method: string, path: string, body?: FormData, query: object = {}) => {
    const { session } = at.cast.U1;
    const parameters = { session, force_json_response: true, plainJson: true, ...query };
    const init = { body, headers: { 'idempotency-key': key } };
    return (await at.cast.U1.fetch(method, path, parameters, init)).json() as any;
  };
  const fileOf = (subject: string) => {
    const form = new FormData();
    form.append('file', new Blob([`From: ${own}\r\nSubject: ${subject}\r\n\r\nx\r\n`]), 'mail.eml');
    return form;
  };

  it('stores a mail once, and answers the same again', async () => {
    const store = (key: string, subject: string) =>
      keyed(key, 'POST', '/mail', fileOf(subject), { action: 'import', folder: 'default0/INBOX' });
    const answer = await store('one-import', 'stored once');
    expect(answer).toEqual({ data: [{ folder_id: 'default0/INBOX', id: expect.any(String) }] });
    expect(await store('one-import', 'stored once')).toEqual(answer);
    expect((await store('one-import', 'stored with another text')).code).toBe('SVL-0036');
    const subjects = (await all('INBOX')).flat();
    expect(subjects.filter((subject) => String(subject).startsWith('stored '))).toEqual(['stored once']);
  });

  it('sends a mail once', async () => {
    const form = () => formOf({ from: [[null, own]], to: [[null, 'bob@x.example']], subject: 'sent once' });
    const answer = await keyed('one-mail', 'POST', '/mail', form(), { action: 'new' });
    expect(answer).toMatchObject({ data: expect.any(String) });
    expect(await keyed('one-mail', 'POST', '/mail', form(), { action: 'new' })).toEqual(answer);
    expect(at.sink.mails).toHaveLength(1);
  });

  it('opens one space for composing', async () => {
    const open = () => keyed('one-space', 'POST', '/mail/compose');
    const { data } = await open();
    expect(data.id).toEqual(expect.any(String));
    expect((await open()).data).toEqual(data);
  });

  it('begins anew after a refusal', async () => {
    const store = (folder: string) => keyed('refused', 'POST', '/mail', fileOf('late'), { action: 'import', folder });
    for (const _time of [1, 2]) expect((await store('default0/Nowhere')).code).toBe('IMAP-1002');
  });
});
