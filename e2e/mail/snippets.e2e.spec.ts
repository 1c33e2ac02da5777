import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { filesBelow, until } from '@groupware/test-kit';
import { Client as Database } from 'pg';
import sharp from 'sharp';
import { envelopeOf, uploadPicture } from '../attachments/attachments';
import { createFixtures, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { Client } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let cast: Fixtures;
let png: Buffer;
beforeAll(async () => {
  world = await startTestEnvironment({
    variables: { MAIL_SNIPPET_SWEEP_INTERVAL_MS: '200', MAIL_SNIPPET_SWEEP_AGE_MS: '1000' },
    properties: { 'com.example.snippet.maxPerUser': '30', 'com.example.snippet.maxAttachments': '5' },
  });
  cast = await createFixtures(world);
  png = await pictureOf('red');
}, 120_000);
afterAll(() => world?.close());

const pictureOf = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 4, height: 3, channels: 3, background } })
    .png()
    .toBuffer();
const dataUrl = (bytes: Buffer, type = 'image/png'): string => `data:${type};base64,${bytes.toString('base64')}`;
/** As the client of the original product, 7.10.4, writes signatures. */
const signature = (fields: object = {}) => ({
  type: 'signature',
  module: 'io.ox/mail',
  displayname: 'Work',
  content: '<p>Kind regards,<br>Ann&nbsp;Example</p>',
  misc: { insertion: 'below', 'content-type': 'text/html' },
  ...fields,
});
async function create(fields: object = {}, who: TestUser = cast.U1): Promise<string> {
  const { data, error } = await who.put<string>('snippet', 'new', {}, signature(fields));
  expect(error).toBeUndefined();
  return data!;
}
const get = async (id: string, who: TestUser = cast.U1): Promise<any> => (await who.get('snippet', 'get', { id })).data;
const codeOf = async (fields: object, who: TestUser = cast.U1) =>
  (await who.put('snippet', 'new', {}, signature(fields))).code;
const addressOf = (content: string): string => /src="([^"]+)"/.exec(content)![1]!.replaceAll('&amp;', '&');
/** What stands behind the base path of an address. */
const pathOf = (address: string): string => address.slice(address.indexOf('/image/'));
const fetchPicture = (who: Client, address: string) => who.fetch('GET', pathOf(address));
async function attach(id: string, files: readonly [string, string | Buffer, string][], type = 'file', who = cast.U1) {
  const form = new FormData();
  files.forEach(([name, content, contentType], index) =>
    form.append(`file_${index}`, new Blob([content], { type: contentType }), name),
  );
  const query = { action: 'attach', session: who.session, id, type };
  return envelopeOf(await (await who.fetch('POST', '/snippet', query, { body: form })).text());
}
const download = (id: string, attachmentid: string, who: Client = cast.U1) =>
  who.fetch('GET', '/snippet', { action: 'getattachment', session: who.session, id, attachmentid });
async function rowsOf(table: string, contextId: number): Promise<number> {
  const database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  try {
    const found = await database.query(`select count(*)::int as n from mail.${table} where context_id = $1`, [
      contextId,
    ]);
    return found.rows[0].n as number;
  } finally {
    await database.end();
  }
}
const storedFiles = () => filesBelow(path.join(world.environment.DATA_DIR!, 'files')).length;

describe('a snippet', () => {
  it('XS-01 is kept as the client wrote it, listed, changed field by field and deleted', async () => {
    const made = signature({ props: { k: 'v' }, accountid: 0 });
    const id = await create(made);
    const whole = { ...made, id, shared: false, createdby: cast.U1.userId, files: [] };
    expect(await get(id)).toEqual(whole);
    const other = await create({ type: 'template', displayname: 'T', misc: undefined, content: 'no <tags>' });
    const all = async (type?: string) => (await cast.U1.get<any[]>('snippet', 'all', { type })).data!.map((s) => s.id);
    expect(await all()).toEqual([id, other]);
    expect(await all('signature')).toEqual([id]);
    expect(await all('template,signature')).toEqual([id, other]);
    expect(await all('none')).toEqual([]);
    const { data: listed } = await cast.U1.put<any[]>('snippet', 'list', {}, [other, '99999', 'x', id]);
    expect(listed!.map((each) => each.id)).toEqual([other, id]);
    const changed = await cast.U1.put('snippet', 'update', { id }, { displayname: 'Home', shared: true });
    expect(changed.data).toEqual({ ...whole, displayname: 'Home', shared: true });
    const misc = { insertion: 'above', 'content-type': 'text/html' };
    expect((await cast.U1.put('snippet', 'update', { id }, { misc, props: null })).data).toEqual({
      ...{ ...whole, displayname: 'Home', shared: true, misc, props: {} },
    });
    expect(await cast.U1.put('snippet', 'delete', { id }, undefined)).not.toHaveProperty('error');
    expect((await cast.U1.get('snippet', 'get', { id })).code).toBe('SNIPPET-0003');
    expect((await cast.U1.put('snippet', 'delete', {}, [other, id])).code).toBe('SNIPPET-0003');
    expect(await all()).toEqual([other]);
    expect(await cast.U1.put('snippet', 'delete', {}, [other])).not.toHaveProperty('error');
    expect((await cast.U1.put('snippet', 'delete', {}, [])).code).toBe('SVL-0002');
  });

  it('are deleted by clients that send an empty object where they have no body', async () => {
    const { U1 } = cast;
    const id = await create(signature());
    const calls = [{ module: 'snippet', action: 'delete', id, data: {} }];
    const answer = await U1.fetch('PUT', '/multiple', { session: U1.session }, { body: JSON.stringify(calls) });
    expect(await answer.json()).toEqual([{}]);
    expect((await U1.get('snippet', 'get', { id })).code).toBe('SNIPPET-0003');
  });

  it.each([
    '<p>Mit freundlichen Grüßen</p><div style="color: #336699; font-weight: bold;">Änn &amp; Co</div>',
    '<div class="io-ox-signature"><strong>A</strong><br>b<br></div><ul><li>c</li></ul>',
    '<p><a href="https://x.example/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">x</a></p><hr>',
    '<table border="0" width="100%"><tbody><tr><td>1</td></tr></tbody></table>',
  ])('comes back as it was written: %s', async (content) => {
    const id = await create({ content });
    expect((await get(id)).content).toBe(content);
    await cast.U1.put('snippet', 'delete', { id }, undefined);
  });

  it('keeps texts that are no HTML as they are', async () => {
    const misc = { insertion: 'below', 'content-type': 'text/plain' };
    const content = '--\nAnn <ann@x.example> & Co "1 < 2"\u0000';
    const id = await create({ content, misc });
    expect((await get(id)).content).toBe(content.slice(0, -1));
    // What is called HTML afterwards is made safe then.
    await cast.U1.put('snippet', 'update', { id }, { content: '<b>x</b><script>1</script>' });
    expect((await get(id)).content).toContain('<script>');
    const html = { misc: { 'content-type': 'text/html' } };
    expect((await cast.U1.put('snippet', 'update', { id }, html)).data.content).toBe('<b>x</b>');
    await cast.U1.put('snippet', 'delete', { id }, undefined);
  });

  it('XS-02 needs to exist', async () => {
    for (const id of ['987654', '0', '-1', 'x', '99999999999', "1'--", '1'.repeat(500)])
      expect((await cast.U1.get('snippet', 'get', { id })).code).toBe('SNIPPET-0003');
    expect((await cast.U1.put('snippet', 'update', { id: '987654' }, {})).code).toBe('SNIPPET-0003');
    expect((await cast.U1.put('snippet', 'detach', { id: '987654' }, [])).code).toBe('SNIPPET-0003');
    expect((await attach('987654', [['a.txt', 'a', 'text/plain']])).code).toBe('SNIPPET-0003');
  });

  it('XS-03 XS-04 XS-05 is read by others when it is shared, and changed by nobody else', async () => {
    const id = await create({ content: `<p><img src="${dataUrl(png)}"></p>` });
    await attach(id, [['a.txt', 'text', 'text/plain']]);
    const { files, content } = await get(id);
    const [picture, file] = files as any[];
    const seenBy = async (who: TestUser) => ({
      get: (await who.get('snippet', 'get', { id })).code ?? 'ok',
      all: (await who.get<any[]>('snippet', 'all')).data!.some((each) => each.id === id),
      list: (await who.put<any[]>('snippet', 'list', {}, [id])).data!.length,
      file: (await download(id, file.id, who)).status,
      picture: (await fetchPicture(who, addressOf(content))).status,
    });
    const nothing = { get: 'SNIPPET-0003', all: false, list: 0, file: 404, picture: 404 };
    expect(await seenBy(cast.U2)).toEqual(nothing);
    expect((await cast.U2.put('snippet', 'update', { id }, { displayname: 'no' })).code).toBe('SNIPPET-0003');
    await cast.U1.put('snippet', 'update', { id }, { shared: true });
    expect(await seenBy(cast.U2)).toEqual({ get: 'ok', all: true, list: 1, file: 200, picture: 200 });
    expect(await seenBy(cast.X1)).toEqual(nothing);
    const refused = [
      await cast.U2.put('snippet', 'update', { id }, { displayname: 'no' }),
      await cast.U2.put('snippet', 'delete', { id }, undefined),
      await cast.U2.put('snippet', 'detach', { id }, [{ id: picture.id }]),
      await attach(id, [['b.txt', 'b', 'text/plain']], 'file', cast.U2),
    ];
    expect(refused.map(({ code }) => code)).toEqual(Array(4).fill('SNIPPET-0011'));
    expect((await get(id)).displayname).toBe('Work');
    await cast.U1.put('snippet', 'delete', { id }, undefined);
  });

  it('XS-06 is made safe', async () => {
    const content =
      '<p onclick="alert(1)">a<script>alert(2)</script><img src=x onerror=alert(3)><a href="javascript:alert(4)">b</a>' +
      '<!--><img src onerror=alert(5)>--><iframe srcdoc="<script>1</script>"></iframe><svg onload=alert(6)></svg></p>' +
      '<style>body{display:none}</style><form action="https://x.example"><input name="password"></form>';
    for (const misc of [{ 'content-type': 'text/html' }, {}, null, '{"content-type":"text/html"}']) {
      const id = await create({ content, misc });
      const stored = (await get(id)).content;
      expect(stored).not.toMatch(/script|onerror|onclick|onload|javascript|iframe|svg|style|form|input|<!--/i);
      expect(stored).toMatch(/^<p>a.*b/);
      await cast.U1.put('snippet', 'delete', { id }, undefined);
    }
  });

  it('XS-07 has few pictures, small ones, and whole ones', async () => {
    const img = (bytes: Buffer, type?: string) => `<img src="${dataUrl(bytes, type)}">`;
    expect(await codeOf({ content: img(png).repeat(4) })).toBe('SNIPPET-0008');
    const large = await uploadPicture(cast.U1, Buffer.concat([png, randomBytes(2_000_000)]));
    expect(await codeOf({ content: `<img src="/ajax/file?action=get&id=${large}">` })).toBe('SNIPPET-0009');
    expect(await codeOf({ content: img(randomBytes(500)) })).toBe('SNIPPET-0010');
    expect(await codeOf({ content: img(png.subarray(0, 20)) })).toBe('SNIPPET-0010');
    expect(
      await codeOf({ content: img(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml') }),
    ).toBe('SNIPPET-0010');
    expect(await codeOf({ content: '<img src="/ajax/file?action=get&id=nosuch">' })).toBe('SNIPPET-0010');
    const shown = await create({ content: img(Buffer.concat([png, randomBytes(900_000)])) });
    expect((await get(shown)).files).toMatchObject([{ size: png.length + 900_000 }]);
    await cast.U1.put('snippet', 'delete', { id: shown }, undefined);
    expect(await codeOf({ content: img(Buffer.concat([png, randomBytes(2_000_000)])) })).toBe('SNIPPET-0009');
    const lower = async (name: string, to: string) =>
      cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/config/com.example.mail.signature.${name}`, {
        value: to,
      });
    await lower('maxImageSize', '1000');
    await lower('maxTextSize', '2000');
    await lower('maxRawSize', '5000');
    expect(await codeOf({ content: img(Buffer.concat([png, randomBytes(1_001)])) })).toBe('SNIPPET-0009');
    expect(await codeOf({ content: `<p>${'x'.repeat(2_001)}</p>` })).toBe('SNIPPET-0012');
    expect(await codeOf({ content: 'x'.repeat(2_001), misc: { 'content-type': 'text/plain' } })).toBe('SNIPPET-0012');
    expect(await codeOf({ content: `<p>${'x'.repeat(5_000)}</p>` })).toBe('SNIPPET-0013');
    expect(await codeOf({ content: 'x'.repeat(2_000_000) })).toBe('SNIPPET-0013');
    for (const name of ['maxImageSize', 'maxTextSize', 'maxRawSize']) await lower(name, '1048576');
    const id = await create({ content: img(png).repeat(3) });
    // Equal pictures are stored once.
    expect(new Set((await get(id)).files.map((file: any) => file.size))).toEqual(new Set([png.length]));
    await cast.U1.put('snippet', 'delete', { id }, undefined);
  });

  it('XS-09 has names of moderate length', async () => {
    expect(await codeOf({ displayname: 'x'.repeat(300) })).toBe('SNIPPET-0014');
    expect(await codeOf({ module: 'x'.repeat(300) })).toBe('SNIPPET-0016');
    expect(await codeOf({ type: 'x'.repeat(300) })).toBe('SNIPPET-0017');
    expect(await codeOf({ misc: { text: 'x'.repeat(70_000) } })).toBe('SNIPPET-0018');
    for (const wrong of [{ props: { a: 1 } }, { props: 1 }, { misc: 'text' }, { misc: 1 }, { misc: [] }])
      expect(await codeOf(wrong)).toBe('SVL-0031');
    expect(await codeOf({ displayname: undefined })).toBe('SVL-0002');
    expect(await codeOf({ type: undefined })).toBe('SVL-0002');
  });

  it('is one of not too many', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => create({}, cast.U3)));
    expect(await codeOf({}, cast.U3)).toBe('QUOTA-0003');
    await cast.U3.put('snippet', 'delete', {}, ids);
    expect((await cast.U3.get('snippet', 'all')).data).toEqual([]);
  });
});

describe('files of a snippet', () => {
  it('XS-08 are attached, read and detached', async () => {
    const id = await create();
    expect(
      (
        await attach(id, [
          ['a.txt', 'text', 'text/plain'],
          ['p.html', '<script>alert(1)</script>', 'text/html'],
        ])
      ).data,
    ).toBe(id);
    const { files } = await get(id);
    expect(files).toEqual([
      { id: expect.stringMatching(/^[\da-f]{32}$/), filename: 'a.txt', mimetype: 'text/plain', size: 4 },
      { id: expect.any(String), filename: 'p.html', mimetype: 'text/html', size: 25 },
    ]);
    const [text, page] = files as any[];
    const read = await download(id, text.id);
    expect([read.status, await read.text()]).toEqual([200, 'text']);
    const shown = await download(id, page.id);
    expect(shown.headers.get('content-type')).toBe('application/octet-stream');
    expect(shown.headers.get('content-disposition')).toMatch(/^attachment/);
    for (const missing of ['x', '0'.repeat(32), "'"]) expect((await download(id, missing)).status).toBe(404);
    expect((await cast.U1.put('snippet', 'detach', { id }, [{ id: text.id }, { id: 'x' }])).code).toBe('SNIPPET-0007');
    expect((await get(id)).files).toHaveLength(2);
    expect((await cast.U1.put('snippet', 'detach', { id }, [{ id: text.id }])).data).toBe(id);
    expect((await get(id)).files).toHaveLength(1);
    expect((await download(id, text.id)).status).toBe(404);
    await cast.U1.put('snippet', 'delete', { id }, undefined);
  });

  it('are of the kind that the client says, few, and there', async () => {
    const id = await create();
    expect((await attach(id, [['a.png', 'text', 'image/png']], 'text')).code).toBe('UPL-0011');
    expect((await attach(id, [['a.txt', png, 'text/plain']], 'image')).data).toBe(id);
    expect((await attach(id, [])).code).toBe('SVL-0002');
    const many = Array.from({ length: 5 }, (_, at): [string, string, string] => [`${at}`, `${at}`, 'text/plain']);
    expect((await attach(id, many)).code).toBe('QUOTA-0003');
    expect((await get(id)).files).toHaveLength(1);
    await cast.U1.put('snippet', 'delete', { id }, undefined);
  });

  it('XS-10 are made of the pictures of the text, which are shown in every session', async () => {
    const uploaded = await uploadPicture(cast.U1, png);
    const blue = await pictureOf('blue');
    const content = `<p>A<img alt="" src="/ajax/file?action=get&amp;id=${uploaded}&amp;session=x" width="10">B<img src='${dataUrl(blue)}'></p>`;
    const id = await create({ content });
    const made = await get(id);
    expect(made.files.map((file: any) => [file.mimetype, file.size, file.contentid === file.id])).toEqual([
      ['image/png', png.length, true],
      ['image/png', blue.length, true],
    ]);
    const address = addressOf(made.content);
    expect(
      made.content.startsWith(`<p>A<img alt="" src="${address.replaceAll('&', '&amp;')}" width="10">B<img src="`),
    ).toBe(true);
    const elsewhere = new Client(world.publicUrl);
    await elsewhere.login(cast.U1.loginName, PASSWORD);
    const shown = await fetchPicture(elsewhere, address);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(png);
    const stranger = await fetchPicture(new Client(world.publicUrl), address);
    expect(stranger.headers.get('content-type')).not.toMatch(/^image/);
    // A text that is sent back keeps its pictures; those that it shows no longer go.
    const again = await cast.U1.put('snippet', 'update', { id }, { content: made.content });
    expect(again.data).toEqual(made);
    const rest = made.content.replace(/<img alt[^>]*>/, '');
    const less = (await cast.U1.put('snippet', 'update', { id }, { content: rest })).data;
    expect(less.files).toEqual([made.files[1]]);
    expect((await fetchPicture(elsewhere, address)).status).toBe(404);
    // Pictures of other snippets are none of this one.
    const other = await create({ content: made.content });
    expect((await get(other)).files).toEqual([]);
    for (const each of [id, other]) await cast.U1.put('snippet', 'delete', { id: each }, undefined);
  });

  it('leave nothing behind', async () => {
    const id = await create({ content: `<img src="${dataUrl(await pictureOf('green'))}">` });
    await attach(id, [['a.txt', 'only here', 'text/plain']]);
    const [before, rows] = [storedFiles(), await rowsOf('stored_file', cast.contextId)];
    await cast.U1.put('snippet', 'delete', { id }, undefined);
    await until(async () => storedFiles() === before - 2 && (await rowsOf('stored_file', cast.contextId)) === rows - 2);
  });

  it('are those of two writers who change a snippet at once', async () => {
    const id = await create();
    const colors = ['cyan', 'pink', 'gold', 'navy'];
    const contents = await Promise.all(colors.map(async (color) => `<img src="${dataUrl(await pictureOf(color))}">`));
    await Promise.all(contents.map((content) => cast.U1.put('snippet', 'update', { id }, { content })));
    const { files, content } = await get(id);
    expect(files).toHaveLength(1);
    expect((await fetchPicture(cast.U1, addressOf(content))).status).toBe(200);
    await cast.U1.put('snippet', 'delete', { id }, undefined);
  });
});

describe('the end of their owners', () => {
  it('takes the snippets of a user, and of a context, along', async () => {
    const one = await create({ shared: true, content: `<img src="${dataUrl(await pictureOf('teal'))}">` }, cast.UB);
    const two = await create({}, cast.U2);
    await cast.admin.expect('DELETE', `/admin/v1/contexts/${cast.contextId}/users/${cast.UB.userId}`);
    await until(async () => (await cast.U2.get('snippet', 'get', { id: one })).code === 'SNIPPET-0003');
    expect((await get(two, cast.U2)).id).toBe(two);
    await create({ content: `<img src="${dataUrl(await pictureOf('lime'))}">` }, cast.X1);
    await cast.admin.expect('DELETE', `/admin/v1/contexts/${cast.otherContextId}`);
    await until(async () => {
      const left = ['snippet', 'snippet_file', 'stored_file', 'context_state'].map((table) =>
        rowsOf(table, cast.otherContextId),
      );
      return (await Promise.all(left)).every((count) => count === 0);
    });
  });
});
