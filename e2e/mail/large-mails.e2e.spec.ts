import { readdirSync } from 'node:fs';
import path from 'node:path';
import { until } from '@groupware/test-kit';
import { startMail, storeMails, type MailFixtures } from './mailbox';

/** Most bytes of one upload. */
const MAX_UPLOAD = 20_000_000;
const PARAGRAPH = `<p>Some <b>words</b> of a long <a href="https://x.example/page">mail</a>.</p>\r\n`;
const htmlOf = (bytes: number) => PARAGRAPH.repeat(Math.ceil(bytes / PARAGRAPH.length));

/** Enough for the largest texts that are taken, on a busy machine. */
const CONTENT = { MAIL_CONTENT_TIMEOUT_MS: '50000', MAIL_CONTENT_HEAP_MB: '512' };

let at: MailFixtures;
beforeAll(async () => {
  at = await startMail(['ann', 'bob'], CONTENT, undefined, { 'com.example.mail.maxUploadSize': String(MAX_UPLOAD) });
}, 120_000);
afterAll(() => at?.close());
beforeEach(() => void (at.sink.mails.length = 0));

const to = [[null, 'bob@x.example']];
const call = async (method: string, address: string, body?: FormData | object, query: object = {}): Promise<any> => {
  const { U1 } = at.cast;
  const isJson = body !== undefined && !(body instanceof FormData);
  const init = {
    body: isJson ? JSON.stringify(body) : body,
    headers: isJson ? { 'content-type': 'application/json' } : undefined,
  };
  return (await U1.fetch(method, `/mail/compose${address}`, { session: U1.session, ...query }, init)).json();
};
const send = (id: string, json: object = {}): Promise<any> => {
  const form = new FormData();
  form.append('JSON', JSON.stringify(json));
  return call('POST', `/${id}/send`, form);
};

describe('texts of mails that are written', () => {
  it('are sent whole with 10 MB of HTML', async () => {
    const { id } = (await call('POST', '')).data;
    const content = htmlOf(10_000_000);
    const changed = await call('PUT', `/${id}`, { to, subject: 'large', content });
    expect([changed.error, changed.data.content === content]).toEqual([undefined, true]);
    expect(await send(id)).toMatchObject({ data: expect.stringMatching(/^default0\/Sent\/\d+$/) });
    expect(at.sink.mails).toHaveLength(1);
    expect(at.sink.mails[0]!.text).toMatch(/^Content-Type: text\/html; charset=utf-8\r$/m);
    expect(at.sink.mails[0]!.text.length).toBeGreaterThan(content.length);
  }, 120_000);

  it('are refused when they are too large to be made safe, and stay', async () => {
    const { id } = (await call('POST', '')).data;
    const content = htmlOf(15_000_000);
    expect((await call('PUT', `/${id}`, { to, subject: 'larger', content })).error).toBeUndefined();
    expect((await send(id)).code).toBe('MSG-0102');
    expect((await call('POST', `/${id}/save`)).code).toBe('MSG-0102');
    const { data } = await call('GET', `/${id}`);
    expect([data.subject, data.content === content, at.sink.mails]).toEqual(['larger', true, []]);
  }, 120_000);

  it('are refused by name when they are longer than one may be', async () => {
    const { id } = (await call('POST', '')).data;
    const answer = await call('PUT', `/${id}`, { subject: 'too large', content: 'x'.repeat(17_000_000) });
    expect(answer).toMatchObject({ code: 'MSG-0088', error_params: ['16777216'] });
    expect((await call('GET', `/${id}`)).data).toMatchObject({ subject: '', content: '' });
  }, 120_000);

  it('CO-20 begin with as much of an HTML mail of 20 MB as is shown, or tell that it is too large', async () => {
    const headers = ['MIME-Version: 1.0', 'Content-Type: text/html; charset=utf-8', 'Message-ID: <large@x.example>'];
    const [id] = await storeMails(at.imap, 'INBOX', [{ subject: 'huge', headers, text: htmlOf(20_000_000) }]);
    const { data, code } = await call('POST', '', [{ id, folderId: 'default0/INBOX' }], { type: 'reply' });
    if (code === undefined) {
      expect(data).toMatchObject({ subject: 'Re: huge', meta: { type: 'REPLY' } });
      expect(data.content.length).toBeGreaterThan(1_000_000);
      expect(data.content.length).toBeLessThanOrEqual(16_777_216);
    } else expect(code).toMatch(/^(MSGCS-0014|MSG-0088)$/);
    // Others are served meanwhile and afterwards.
    expect((await at.cast.U1.get('mail', 'count', { folder: 'default0/INBOX' })).data).toBe(1);
  }, 120_000);
});

describe('files of mails that are written', () => {
  const stored = () =>
    readdirSync(path.join(at.world.environment.DATA_DIR!, 'files'), { recursive: true, withFileTypes: true }).filter(
      (each) => each.isFile(),
    ).length;

  it('MX-19 are refused when they are more than an upload may have together: nothing is sent, nothing is kept', async () => {
    const { U1 } = at.cast;
    const before = stored();
    const countSent = async () => (await U1.get('mail', 'count', { folder: 'default0/Sent' })).data;
    const sent = await countSent();
    const form = new FormData();
    const attachments = [{ content_type: 'text/plain', content: 'see files' }];
    form.append('json_0', JSON.stringify({ from: [[null, U1.email]], to, subject: 'much', attachments }));
    for (const name of ['a.bin', 'b.bin', 'c.bin']) form.append(name, new Blob([Buffer.alloc(10_000_000, 1)]), name);
    const query = { action: 'new', session: U1.session, force_json_response: true, plainJson: true };
    const answer: any = await (await U1.fetch('POST', '/mail', query, { body: form })).json();
    expect(answer).toMatchObject({ code: 'MSG-0029', error_params: [String(MAX_UPLOAD)] });
    await until(() => stored() === before);
    expect(at.sink.mails).toEqual([]);
    expect(await countSent()).toBe(sent);
  }, 120_000);
});
