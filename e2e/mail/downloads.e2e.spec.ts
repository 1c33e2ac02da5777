import { createHash, randomBytes } from 'node:crypto';
import { EICAR, startClamd, type Clamd } from '@groupware/test-kit';
import sharp from 'sharp';
import { unzipped } from '../attachments/zip';
import { Client } from '../client';
import { homeOf } from '../files/files';
import { createTestUser, PASSWORD } from '../fixtures';
import { provisionMailbox, startMail, type MailFixtures } from './mailbox';

let clamd: Clamd;
let at: MailFixtures;
beforeAll(async () => {
  clamd = await startClamd();
  // Slow readers are waited for: on a busy machine the tests read slowly themselves.
  at = await startMail(['ann'], { CLAMD_URL: clamd.url, CLAMD_MAX_BYTES: '10000000', HTTP_STALL_MS: '60000' });
  await at.imap.mailboxCreate('Files');
}, 120_000);
afterAll(async () => {
  await at?.close();
  await clamd?.stop();
});

const FOLDER = 'default0/Files';
const HEADER = ['From: jane@x.example', 'Subject: Report: <2024>', 'MIME-Version: 1.0'];
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function store(...lines: string[]): Promise<string> {
  const made = await at.imap.append('Files', Buffer.from(lines.join('\r\n'), 'latin1'));
  return String((made as { uid?: number }).uid);
}
const mixed = (...parts: string[][]) => [
  'Content-Type: multipart/mixed; boundary=b',
  '',
  ...parts.flatMap((part) => ['--b', ...part]),
  '--b--',
];
const TEXT = ['Content-Type: text/plain', '', 'see below'];
const part = (type: string, name: string, content: Buffer, headers: string[] = []) => [
  ...[`Content-Type: ${type}`, `Content-Disposition: attachment; filename="${name}"`, ...headers],
  ...['Content-Transfer-Encoding: base64', '', content.toString('base64').replace(/.{76}/g, '$&\r\n')],
];
const download = (parameters: object, headers: Record<string, string> = {}, client: Client = at.cast.U1) =>
  client.fetch(
    'GET',
    '/mail',
    { action: 'attachment', session: client.session, folder: FOLDER, ...parameters },
    { headers },
  );
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const isSeen = async (id: string) => {
  const { data } = await at.cast.U1.get('mail', 'get', { folder: FOLDER, id, unseen: true });
  return (data.flags & 32) !== 0;
};
/** The JSON of an answer. */
const jsonOf = async (response: Promise<Response>): Promise<any> => (await response).json();
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('files of mails', () => {
  it('MT-01 are streamed as they are, for saving and for showing', async () => {
    const content = randomBytes(3_000_001);
    const id = await store(...HEADER, ...mixed(TEXT, part('application/pdf', 'my %file%.pdf', content)));
    const saved = await download({ id, attachment: '2', save: 1 });
    expect(sha256(await bytesOf(saved))).toBe(sha256(content));
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment; filename="my _file_\.pdf"/);
    expect(saved.headers.get('content-security-policy')).toContain('sandbox');
    expect(await isSeen(id)).toBe(false);
    await bytesOf(await download({ id, attachment: '2', unseen: 1 }));
    expect(await isSeen(id)).toBe(false);
    await bytesOf(await download({ id, attachment: '2', delivery: 'view' }));
    expect(await isSeen(id)).toBe(true);
  });

  it('are shown in the size that is asked for when they are pictures, saved as they are', async () => {
    const teal = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'teal' } })
      .jpeg()
      .toBuffer();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    const id = await store(
      ...HEADER,
      ...mixed(TEXT, part('image/jpeg', 'teal.jpg', teal), part('image/svg+xml', 'a.svg', svg)),
    );
    const show = (attachment: string, wanted: object) => download({ id, attachment, delivery: 'view', ...wanted });
    const scaled = await show('2', { width: 10, cropWidth: 20, cropHeight: 20, rotate: true });
    expect(Object.fromEntries(scaled.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-disposition': 'inline; filename="teal.jpg"',
      'cache-control': 'private, max-age=31536000',
    });
    const inAYear = expect.closeTo(Date.now() + 31_536_000_000, -6);
    for (const wanted of [{ width: 10 }, {}, { save: 1 }, { attachment: '3' }]) {
      const { status, headers } = await download({ id, attachment: '2', ...wanted });
      expect([status, Date.parse(headers.get('expires')!)]).toEqual([200, inAYear]);
    }
    const ranged = await download({ id, attachment: '2' }, { range: 'bytes=0-9' });
    expect([ranged.status, Date.parse(ranged.headers.get('expires')!)]).toEqual([206, inAYear]);
    const { width, height } = await sharp(await bytesOf(scaled)).metadata();
    expect([width, height]).toEqual([10, 10]);
    expect((await bytesOf(await download({ id, attachment: '2', width: 10, save: 1 }))).equals(teal)).toBe(true);
    expect((await bytesOf(await show('2', { width: 10_001 }))).equals(teal)).toBe(true);
    const drawing = await show('3', { width: 10 });
    expect(drawing.headers.get('content-disposition')).toMatch(/^attachment/);
    expect((await bytesOf(drawing)).equals(svg)).toBe(true);
  });

  it('MT-10 are shown smaller under a name of their type when they are pictures without one', async () => {
    const gif = await sharp({ create: { width: 80, height: 40, channels: 3, background: 'teal' } })
      .gif()
      .toBuffer();
    const bare = ['Content-Type: image/gif', 'Content-Transfer-Encoding: base64', '', gif.toString('base64')];
    const id = await store(...HEADER, ...mixed(TEXT, bare));
    const shown = await download({ id, attachment: '2', width: 20 });
    expect([shown.status, shown.headers.get('content-type')?.split('/')[0]]).toEqual([200, 'image']);
    expect(shown.headers.get('content-disposition')).toMatch(/^inline; filename="[^"]+\.(gif|png|webp|jpe?g)"$/);
    const { width, height } = await sharp(await bytesOf(shown)).metadata();
    expect([width, height]).toEqual([20, 10]);
    const saved = await download({ id, attachment: '2', save: 1 });
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment; filename="[^"]+\.gif"$/);
    expect((await bytesOf(saved)).equals(gif)).toBe(true);
  });

  it('MT-07 answers ranges, of encoded parts also, and conditions', async () => {
    const content = randomBytes(500_000);
    const text = `line ${'x'.repeat(60)}\r\n`.repeat(1_000);
    const lines = content.toString('base64').match(/.{1,71}/g)!;
    const id = await store(
      ...HEADER,
      ...mixed(
        TEXT,
        part('application/pdf', 'a.pdf', content),
        ['Content-Type: text/csv', '', text],
        // Lines of which none is a whole number of bytes, so that no place can be computed.
        ['Content-Type: application/pdf', 'Content-Transfer-Encoding: base64', '', ...lines],
        [
          'Content-Type: text/csv',
          'Content-Transfer-Encoding: quoted-printable',
          '',
          text.replaceAll('x', '=78').replace(/(.{72})/g, '$1=\r\n'),
        ],
      ),
    );
    const csv = Buffer.from(text);
    for (const [attachment, whole] of [
      ['2', content],
      ['3', csv],
      ['4', content],
    ] as const)
      for (const [range, from, to] of [
        ['bytes=0-99', 0, 100],
        ['bytes=1000-400000', 1_000, 400_001],
        ['bytes=57-57', 57, 58],
        ['bytes=-10', whole.length - 10, whole.length],
        [`bytes=${whole.length - 1}-`, whole.length - 1, whole.length],
      ] as const) {
        const response = await download({ id, attachment, unseen: 1 }, { range });
        const end = Math.min(to, whole.length);
        expect(response.status).toBe(206);
        expect(response.headers.get('content-range')).toBe(`bytes ${from}-${end - 1}/${whole.length}`);
        expect((await bytesOf(response)).equals(whole.subarray(from, end))).toBe(true);
      }
    const quoted = await bytesOf(await download({ id, attachment: '5' }));
    const middle = await download({ id, attachment: '5' }, { range: 'bytes=100-199' });
    expect((await bytesOf(middle)).equals(quoted.subarray(100, 200))).toBe(true);
    const beyond = await download({ id, attachment: '3' }, { range: 'bytes=9999999-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${csv.length}`]);
    const etag = middle.headers.get('etag')!;
    expect((await download({ id, attachment: '5' }, { 'if-none-match': etag })).status).toBe(304);
    const other = await download({ id, attachment: '5' }, { range: 'bytes=0-9', 'if-range': '"other"' });
    expect([other.status, (await bytesOf(other)).length]).toEqual([200, quoted.length]);
  });

  it('MT-08 comes soon and holds no connection while a client reads slowly', async () => {
    const content = randomBytes(12_000_000);
    const id = await store(...HEADER, ...mixed(TEXT, part('application/zip', 'large.zip', content)));
    const slow = await Promise.all(
      Array.from({ length: 6 }, async () => (await download({ id, attachment: '2' })).body!.getReader()),
    );
    for (const reader of slow) expect((await reader.read()).value!.length).toBeGreaterThan(0);
    // More readers than connections: mails are read meanwhile.
    expect((await at.cast.U1.get('mail', 'count', { folder: FOLDER })).data).toBeGreaterThan(0);
    const [first, ...others] = slow;
    for (const reader of others) await reader.cancel();
    let read = 1;
    for (let next = await first!.read(); !next.done; next = await first!.read()) read += next.value.length;
    expect(read).toBeGreaterThan(content.length / 2);
  }, 60_000);

  it('runs nothing: HTML, SVG and XML are saved, HTML with filter is shown as a safe page', async () => {
    const html = Buffer.from('<p onclick="x">Hi</p><script>alert(1)</script>');
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    const id = await store(
      ...HEADER,
      ...mixed(
        TEXT,
        part('text/html', 'a.html', html),
        part('image/svg+xml', 'a.svg', svg),
        part('image/png', 'a.png', PNG),
      ),
    );
    for (const attachment of ['2', '3']) {
      const { headers } = await download({ id, attachment });
      expect([headers.get('content-type'), headers.get('content-disposition')?.split(';')[0]]).toEqual([
        'application/octet-stream',
        'attachment',
      ]);
    }
    const picture = await download({ id, attachment: '4' });
    expect([picture.headers.get('content-type'), picture.headers.get('content-disposition')]).toEqual([
      'image/png',
      'inline; filename="a.png"',
    ]);
    const page = await download({ id, attachment: '2', filter: 1 });
    expect(page.headers.get('content-type')).toBe('text/html; charset=UTF-8');
    expect(page.headers.get('content-security-policy')).toMatch(/^sandbox allow-same-origin .*default-src 'none'/);
    const shown = await page.text();
    expect(shown).toContain('<p>Hi</p>');
    expect(shown).not.toMatch(/script|onclick/);
  });

  it('are told with the charset of their text', async () => {
    const text = (type: string) => [`Content-Type: ${type}`, 'Content-Disposition: attachment', '', 'x'];
    const named = ['text/plain; charset=utf-8', 'text/csv; charset="windows-1252"', 'text/plain; charset="a; b"'];
    const id = await store(
      ...HEADER,
      ...mixed(TEXT, ...[...named, 'text/plain', 'text/html; charset=utf-8'].map(text)),
    );
    const types = await Promise.all(
      ['2', '3', '4', '5', '6'].map(async (attachment) =>
        (await download({ id, attachment })).headers.get('content-type'),
      ),
    );
    expect(types).toEqual([
      'text/plain; charset=utf-8',
      'text/csv; charset=windows-1252',
      ...['text/plain', 'text/plain', 'application/octet-stream'],
    ]);
  });

  it('tells what is missing', async () => {
    const id = await store(...HEADER, ...mixed(TEXT));
    const codes = await Promise.all(
      [
        { id },
        { id, attachment: '7' },
        { id, cid: 'none@x' },
        { id: '999999', attachment: '1' },
        { id, attachment: '1', delivery: 'fax' },
      ].map(async (parameters) => (await jsonOf(download(parameters))).code),
    );
    expect(codes).toEqual(['MSG-0030', 'MSG-0024', 'MSG-0055', 'MSG-0032', 'MSG-0031']);
  });

  it('MT-09 refuses files with a virus when it shall scan', async () => {
    const id = await store(
      ...HEADER,
      ...mixed(TEXT, part('text/plain', 'a.txt', EICAR), part('text/plain', 'b.txt', PNG)),
    );
    expect((await jsonOf(download({ id, attachment: '2', scan: true }))).code).toBe('ANTIVIRUS-0001');
    expect((await bytesOf(await download({ id, attachment: '3', scan: true }))).equals(PNG)).toBe(true);
    const zip = { action: 'zip_attachments', id, attachment: '2,3', scan: true };
    expect((await jsonOf(download(zip))).code).toBe('ANTIVIRUS-0001');
  });

  it('MT-06 are saved as documents, with their name and type', async () => {
    const { U1, U2 } = at.cast;
    const own = await homeOf(U1);
    const id = await store(...HEADER, ...mixed(TEXT, part('image/png', 'dot.png', PNG)));
    const save = (parameters: object = {}, body: object = {}) =>
      U1.put('mail', 'attachment', { folder: FOLDER, id, attachment: '2', dest_folder: own, ...parameters }, body);
    const { data: saved, error } = await save();
    expect([error, saved]).toEqual([
      undefined,
      { mailFolder: FOLDER, mailUID: id, id: expect.any(String), folder_id: own, filename: 'dot.png' },
    ]);
    const documents = async () =>
      (await U1.get('infostore', 'all', { folder: own, columns: '702,703,704', sort: 702, order: 'asc' })).data;
    expect(await documents()).toEqual([['dot.png', 'image/png', PNG.length]]);
    const content = await U1.fetch('GET', '/infostore', {
      ...{ action: 'document', session: U1.session, id: saved.id, folder: own },
    });
    expect(await bytesOf(content)).toEqual(PNG);
    expect((await save()).data.filename).toBe('dot (1).png');
    const body = { filename: 'other.png', title: 'A dot', description: 'of Jane' };
    expect((await save({}, body)).data.filename).toBe('other.png');
    const before = await documents();
    expect(before).toHaveLength(3);
    const titled = await U1.get('infostore', 'all', { folder: own, columns: '702,700,706' });
    expect(titled.data).toContainEqual(['other.png', 'A dot', 'of Jane']);
    expect(await isSeen(id)).toBe(false);
    const foreign = await homeOf(U2);
    for (const [parameters, body, code] of [
      [{ dest_folder: foreign }, {}, /^(IFO-0|FLD-0)/],
      [{ dest_folder: '99999999' }, {}, /^IFO-0302/],
      [{}, { filename: 'a/b' }, /^IFO-2101/],
      [{ attachment: '7' }, {}, /^MSG-0024/],
      [{ id: '99999' }, {}, /^MSG-0032/],
    ] as const)
      expect((await save(parameters, body)).code).toMatch(code);
    expect(await documents()).toEqual(before);
    const { admin, contextId } = at.cast;
    const without = await createTestUser(at.world, admin, contextId, 'nofiles');
    await provisionMailbox(at, without, { login: 'ann' });
    await admin.expect('PUT', `/admin/v1/contexts/${contextId}/users/${without.userId}/module-access`, {
      flags: { infostore: false },
    });
    await without.login(without.loginName, PASSWORD);
    const query = { folder: FOLDER, id, attachment: '2', dest_folder: own };
    expect((await without.put('mail', 'attachment', query, {})).code).toBe('SVL-0016');
  });

  it('opens mails within mails as objects, and their files', async () => {
    const inner = ['Content-Type: message/rfc822', '', 'Subject: inner', 'Content-Type: text/plain', '', 'inner text'];
    const id = await store(...HEADER, ...mixed(TEXT, inner));
    const { data } = await jsonOf(download({ id, attachment: '2', as_json: true }));
    expect(data).toMatchObject({ id: '2', subject: 'inner', attachments: [{ id: '2.1', content: 'inner text' }] });
    expect(await (await download({ id, attachment: '2.1' })).text()).toBe('inner text');
    const saved = await download({ id, attachment: '2', save: 1 });
    expect(saved.headers.get('content-type')).toBe('application/octet-stream');
    expect(await saved.text()).toContain('Subject: inner');
  });

  it('packs files and mails', async () => {
    const id = await store(
      ...HEADER,
      ...mixed(
        TEXT,
        part('application/pdf', 'a.pdf', Buffer.from('one')),
        part('application/pdf', 'A.pdf', Buffer.from('two')),
      ),
    );
    const zip = async (action: string, parameters: object) =>
      at.cast.U1.fetch('GET', '/mail', { action, session: at.cast.U1.session, folder: FOLDER, ...parameters });
    const files = await zip('zip_attachments', { id, attachment: '2,3' });
    expect(files.headers.get('content-disposition')).toBe('attachment; filename="attachments.zip"');
    expect(unzipped(await bytesOf(files))).toEqual({ 'a.pdf': 'one', 'A (2).pdf': 'two' });
    expect(Object.keys(unzipped(await bytesOf(await zip('zip_attachments', { id }))))).toHaveLength(2);
    expect((await jsonOf(zip('zip_attachments', { id, attachment: '9' }))).code).toBe('MSG-0024');
    const again = await store('From: a@x.example', 'Subject: Report: <2024>', '', 'again');
    const mails = unzipped(await bytesOf(await zip('zip_messages', { id: `${id},${again}` })));
    expect(Object.keys(mails)).toEqual(['Report_ _2024_.eml', 'Report_ _2024_ (2).eml']);
    expect(Object.values(mails)[1]).toBe('From: a@x.example\r\nSubject: Report: <2024>\r\n\r\nagain');
    expect((await jsonOf(zip('zip_messages', { id: `${id},999999` }))).code).toBe('MSG-0032');
    const source = await zip('get', { id: again, src: 1, save: 1 });
    expect(source.headers.get('content-disposition')).toBe('attachment; filename="Report_ _2024_.eml"');
    expect(await source.text()).toMatch(/\r\n\r\nagain$/);
    const query = { action: 'get', session: at.cast.U1.session, folder: FOLDER, id: again, src: 1, save: 1 };
    const named = await at.cast.U1.fetch('GET', '/mail/Any%20name.eml', query);
    expect([named.status, await named.text()]).toEqual([200, expect.stringMatching(/\r\n\r\nagain$/)]);
  });

  it('MG-28 shows a mail as a page, and a missing one as another', async () => {
    const id = await store(
      ...HEADER,
      'Content-Type: text/html',
      '',
      '<p>Hello <img src="https://x.example/p.png"></p>',
    );
    const page = (parameters: object) =>
      at.cast.U1.fetch('GET', '/mail', {
        action: 'get',
        session: at.cast.U1.session,
        folder: FOLDER,
        view: 'document',
        ...parameters,
      });
    const shown = await page({ id });
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    const html = await shown.text();
    expect(html).toContain('<title>Report: &lt;2024&gt;</title>');
    expect(html).toContain('<p>Hello <img /></p>');
    expect(await (await page({ id, forceImages: true })).text()).toContain('https://x.example/p.png');
    const missing = await page({ id: '999999' });
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8']);
  });
});

describe('pictures within mails', () => {
  const picture = (parameters: object, client: Client = at.cast.U1, headers = {}) =>
    client.fetch('GET', '/image/mail/picture', { folder: FOLDER, ...parameters }, { headers });
  const publicClient = () => {
    const client = new Client(at.world.publicUrl, at.cast.U1.userAgent);
    for (const [name, value] of at.cast.U1.jar) client.setCookie(name, value);
    return client;
  };

  it('XI-01 XI-02 XI-05 are shown with the public cookie alone, by their bytes, and the mail stays unread', async () => {
    const id = await store(
      ...HEADER,
      ...mixed(TEXT, part('application/octet-stream', 'logo.png', PNG, ['Content-ID: <logo@x>'])),
    );
    const client = publicClient();
    const shown = await picture({ id, uid: 'logo@x' }, client);
    expect([shown.status, shown.headers.get('content-type'), shown.headers.get('cache-control')]).toEqual([
      200,
      'image/png',
      'private, no-cache',
    ]);
    expect((await bytesOf(shown)).equals(PNG)).toBe(true);
    const known = await picture({ id, uid: 'logo@x' }, client, { 'if-none-match': shown.headers.get('etag')! });
    expect(known.status).toBe(304);
    expect((await bytesOf(await picture({ id, uid: 'logo.png' }, client))).equals(PNG)).toBe(true);
    expect((await bytesOf(await picture({ id, uid: 'logo@x', folder: 'Files', accountId: 0 }, client))).length).toBe(
      PNG.length,
    );
    expect(await isSeen(id)).toBe(false);
  });

  it('are shown at the end of a text that does not refer to them', async () => {
    const inline = (...headers: string[]) => [
      ...['Content-Type: image/png; name=a.png', 'Content-Disposition: inline; filename=a.png', ...headers],
      ...['Content-Transfer-Encoding: base64', '', PNG.toString('base64')],
    ];
    const html = ['Content-Type: text/html', '', '<p>x</p>'];
    for (const [text, ...pictures] of [
      [html, inline(), inline('Content-ID: <a@x>')],
      [TEXT, inline(), inline('Content-ID: <a@x>')],
    ] as const) {
      const id = await store(...HEADER, ...mixed(text, ...pictures));
      const { data } = await at.cast.U1.get<any>('mail', 'get', { folder: FOLDER, id, view: 'html' });
      const [body, ...files] = data.attachments;
      const uids = [...body.content.matchAll(/<img src="\S*\/image\/mail\/picture\?\S*uid=(\S+)" \/>/g)].map(
        ([, uid]) => decodeURIComponent(uid),
      );
      expect([uids.length, files.length]).toEqual([2, 2]);
      for (const uid of uids) expect((await bytesOf(await picture({ id, uid }))).equals(PNG)).toBe(true);
      const edited = await at.cast.U1.get<any>('mail', 'reply', { folder: FOLDER, id, view: 'html' });
      expect(edited.data.attachments[0].content).not.toContain('<img');
    }
  });

  it('XI-06 are smaller where that is asked for, with their proportions', async () => {
    const teal = await sharp({ create: { width: 200, height: 100, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    const id = await store(...HEADER, ...mixed(TEXT, part('image/png', 'a.png', teal, ['Content-ID: <a@x>'])));
    const shown = await picture({ id, uid: 'a@x', width: 50, scaleType: 'contain' });
    const etag = shown.headers.get('etag')!;
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    const { width, height } = await sharp(await bytesOf(shown)).metadata();
    expect([width, height]).toEqual([50, 25]);
    const again = { id, uid: 'a@x', width: 50, scaleType: 'contain' };
    expect((await picture(again, at.cast.U1, { 'if-none-match': etag })).status).toBe(304);
    expect((await bytesOf(await picture({ id, uid: 'a@x' }, at.cast.U1, { 'if-none-match': etag }))).equals(teal)).toBe(
      true,
    );
  });

  it('XI-03 need a session, and tell nothing else', async () => {
    const id = await store(...HEADER, ...mixed(TEXT, part('image/png', 'a.png', PNG, ['Content-ID: <a@x>'])));
    const nobody = new Client(at.world.publicUrl);
    const refused = await picture({ id, uid: 'a@x' }, nobody);
    expect([refused.status, await refused.json()]).toEqual([404, expect.objectContaining({ code: 'SES-0201' })]);
    for (const missing of [
      { id, uid: 'b@x' },
      { id: '999999', uid: 'a@x' },
      { id, uid: 'a@x', folder: 'default7/INBOX' },
    ])
      expect((await picture(missing)).status).toBe(404);
  });

  it('XI-04 that are SVG or HTML are files', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    const id = await store(...HEADER, ...mixed(TEXT, part('image/png', 'a.png', svg, ['Content-ID: <a@x>'])));
    const { headers } = await picture({ id, uid: 'a@x' });
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      'application/octet-stream',
      'attachment; filename="a.png"',
    ]);
  });
});

describe('pictures of senders that the operator trusts', () => {
  const picture = (uid: string, client: Client = at.cast.U1, parameters = {}) =>
    client.fetch('GET', '/image/mail/trustedMail/picture', { uid, ...parameters });

  it('are shown as they are configured, and there are no others', async () => {
    const setting = `/admin/v1/contexts/${at.cast.contextId}/config/com.example.mail.authenticity.trusted.pictures`;
    expect((await picture('acme')).status).toBe(404);
    const value = `acme=data:image/png;base64,${PNG.toString('base64')} page=data:image/png;base64,PGh0bWw+`;
    await at.cast.admin.expect('PUT', setting, { value });
    const shown = await picture('acme');
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await bytesOf(shown)).equals(PNG)).toBe(true);
    const wide = await sharp(await bytesOf(await picture('acme', at.cast.U1, { width: 7 }))).metadata();
    expect(wide.width).toBe(7);
    for (const unknown of ['other', 'page']) expect((await picture(unknown)).status).toBe(404);
    expect(await jsonOf(picture('acme', new Client(at.world.publicUrl)))).toMatchObject({ code: 'SES-0201' });
  });
});
