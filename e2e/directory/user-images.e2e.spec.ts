import { createHash } from 'node:crypto';
import { envelopeOf } from '../attachments/attachments';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffdb', 'hex');
const WEBP = Buffer.from('52494646240000005745425056503820180000003001009d012a0100010002003425a400', 'hex');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>top.hacked = true</script></svg>');
const MAX_BYTES = 2048;
const FAR = Number.MAX_SAFE_INTEGER;
const COLUMNS = '1,570,596,597,601,606';

let world: TestEnvironment;
let contextId: number;
let master: AdminClient;
let admin: AdminClient;
let contextAdmin: Client;
let ann: Client;
let bob: Client;
let stranger: Client;

const upload = (bytes: Buffer, contentType?: string) => ({ data: bytes.toString('base64'), contentType });
const users = () => `/admin/v1/contexts/${contextId}/users`;

async function opened(login: string): Promise<Client> {
  const client = new Client(world.publicUrl, `browser of ${login}`);
  expect(await client.login(login, PASSWORD)).toHaveProperty('session');
  return client;
}

async function newUser(name: string, parts: object = {}): Promise<Client> {
  const body = { name, password: PASSWORD, surname: name, primaryEmail: `${name}@c${contextId}.example`, ...parts };
  await admin.expect('POST', users(), body);
  return opened(`${name}@${contextId}`);
}

const setImage = (client: Client, image: object | null) =>
  admin.expect('PATCH', `${users()}/${client.userId}`, { image });
/** The picture as a page shows it: cookies, but no session parameter. */
const shown = (client: Client, id: number | string, init: RequestInit = {}) =>
  client.fetch('GET', '/image/user/picture', { id }, init);
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const codeOf = async (response: Response) => ((await response.json()) as { code?: string }).code;
const urlOf = async (client: Client, id: number): Promise<string> =>
  (await client.get('user', 'get', { id })).data.image1_url;

async function sendForm(client: Client, id: number, file: Buffer | undefined, json?: string, timestamp = FAR) {
  const form = new FormData();
  if (json !== undefined) form.set('json', json);
  if (file) form.set('file', new Blob([file], { type: 'image/x-anything' }), 'me.png');
  const parameters = { action: 'update', session: client.session, id, timestamp };
  return envelopeOf(await (await client.fetch('POST', '/user', parameters, { body: form })).text());
}

beforeAll(async () => {
  world = await startTestEnvironment({
    modules: ['identity', 'gateway'],
    variables: { BASE_PATH: '/,/appsuite/api' },
    properties: { 'com.example.user.maxImageSize': String(MAX_BYTES) },
  });
  master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  const other = await createContext(master, 'other');
  contextId = await createContext(master, 'images');
  admin = new AdminClient(world.internalUrl, 'admin', PASSWORD);
  contextAdmin = await opened(`admin@${contextId}`);
  ann = await newUser('ann', { image: upload(PNG, 'image/png') });
  bob = await newUser('bob');
  stranger = await opened(`admin@${other}`);
}, 120_000);
afterAll(() => world?.close());

describe('pictures of users', () => {
  it('are set, read and removed by provisioning, and lists hold no bytes', async () => {
    const at = `${users()}/${ann.userId}`;
    const image = { contentType: 'image/png', sizeBytes: PNG.length };
    const read = await admin.expect('GET', at);
    expect(read.image).toEqual({ ...image, data: PNG.toString('base64') });
    expect((await admin.expect('GET', `${users()}?q=ann`)).items[0].image).toEqual(image);
    // An image that was read may be sent back.
    expect((await admin.expect('PATCH', at, { image: read.image })).image).toEqual(image);
    for (const [bytes, contentType] of [
      [GIF, 'image/gif'],
      [JPEG, 'image/jpeg'],
      [WEBP, 'image/webp'],
    ] as const)
      expect((await setImage(ann, upload(bytes))).image).toEqual({ contentType, sizeBytes: bytes.length });
    expect((await setImage(ann, { data: upload(PNG).data })).version).toBeGreaterThan(read.version);
    expect((await admin.expect('PATCH', at, { title: 'Dr.' })).image).toEqual(image);
    expect(await setImage(ann, null)).not.toHaveProperty('image');
    expect((await shown(ann, ann.userId)).status).toBe(404);
    await setImage(ann, upload(PNG));
  });

  it.each([
    ['no picture', Buffer.from('just a text'), undefined, 'CON-0101'],
    ['a picture that runs', SVG, undefined, 'CON-0101'],
    ['another kind than was said', PNG, 'image/jpeg', 'CON-0101'],
    ['too many bytes', Buffer.concat([PNG, Buffer.alloc(MAX_BYTES)]), undefined, 'CON-0172'],
  ])('are refused when they are %s', async (_what, bytes, contentType, code) => {
    const image = upload(bytes, contentType);
    const body = { name: 'new', password: PASSWORD, surname: 'New', primaryEmail: 'new@x.example', image };
    for (const answer of [
      await admin.request('PATCH', `${users()}/${ann.userId}`, { image }),
      await admin.request('POST', users(), body),
    ])
      expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect((await bytesOf(await shown(ann, ann.userId))).equals(PNG)).toBe(true);
  });

  it('are refused when they are no base64 or of a type that is never kept', async () => {
    const change = async (image: unknown) =>
      (await admin.request('PATCH', `${users()}/${ann.userId}`, { image })).body.code;
    expect(await change({ data: 'not base64!' })).toBe('PROV-0019');
    expect(await change({ data: PNG.toString('base64'), contentType: 'image/svg+xml' })).toBe('SVL-0031');
    expect(await change({})).toBe('SVL-0002');
  });

  it('are named by the columns of contacts', async () => {
    const { data } = await bob.get('user', 'get', { id: ann.userId });
    expect(data).toMatchObject({ number_of_images: 1, image1_content_type: 'image/png' });
    expect(data).not.toHaveProperty('image1');
    expect(data.image1_url).toBe(`/image/user/picture?id=${ann.userId}&timestamp=${data.image_last_modified}`);
    const rows = (await bob.put('user', 'list', { columns: COLUMNS }, [String(ann.userId), String(bob.userId)])).data;
    expect(rows).toEqual([
      [String(ann.userId), null, 1, data.image_last_modified, 'image/png', data.image1_url],
      [String(bob.userId), null, 0, null, null, null],
    ]);
    expect((await bob.get('user', 'all', { columns: COLUMNS })).data).toContainEqual(rows[0]);
    const found = await bob.put('user', 'search', { columns: COLUMNS }, { last_name: 'ann' });
    expect(found.data).toEqual([rows[0]]);
  });

  it('are shown with the cookies of the session, and nothing runs in them', async () => {
    const response = await bob.fetch('GET', await urlOf(bob, ann.userId));
    expect(response.status).toBe(200);
    expect((await bytesOf(response)).equals(PNG)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      'content-disposition': `inline; filename="${ann.userId}.png"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; (?!.*script-src)/),
      'cache-control': 'private, max-age=31536000, immutable',
      etag: `"${createHash('sha256').update(PNG).digest('hex')}"`,
    });
    const below = await bob.fetch('GET', `/appsuite/api${await urlOf(bob, ann.userId)}`);
    expect(below.status).toBe(200);
  });

  it('are asked for again where the address does not name their stamp, and known ones are not sent', async () => {
    const first = await shown(bob, ann.userId);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const stamp = Number(new URL(await urlOf(bob, ann.userId), 'http://x').searchParams.get('timestamp'));
    expect(first.headers.get('last-modified')).toBe(new Date(stamp).toUTCString());
    const again = await shown(bob, ann.userId, { headers: { 'if-none-match': first.headers.get('etag')! } });
    expect([again.status, (await bytesOf(again)).length]).toEqual([304, 0]);
    const stale = await bob.fetch('GET', '/image/user/picture', { id: ann.userId, timestamp: 1 });
    expect(stale.headers.get('cache-control')).toBe('private, no-cache');
  });

  it('are shown in the size that is asked for', async () => {
    const show = (parameters: object) => bob.fetch('GET', '/image/user/picture', { id: ann.userId, ...parameters });
    const larger = await show({ width: 3, height: 2, scaleType: 'containforcedimension' });
    expect(larger.headers.get('content-type')).toBe('image/png');
    const bytes = await bytesOf(larger);
    // Width and height stand at this place of a PNG.
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([3, 2]);
    expect(larger.headers.get('etag')).toBe(`"${createHash('sha256').update(bytes).digest('hex')}"`);
    expect((await bytesOf(await show({ width: 3, shrinkOnly: true, transformationNeeded: false }))).equals(PNG)).toBe(
      true,
    );
    expect(await codeOf(await show({ width: 0 }))).toBe('SVL-0010');
  });

  it('need a session: that of the parameter, of `public_session` or of a cookie, and its secret', async () => {
    const [name, value] = [...bob.jar].find(([cookie]) => cookie.includes('public-session'))!;
    const get = (client: Client, parameters = {}) =>
      client.fetch('GET', '/image/user/picture', { id: ann.userId, ...parameters });
    const withSecret = new Client(world.publicUrl, bob.userAgent);
    for (const [cookie, content] of bob.jar) if (cookie.includes('secret')) withSecret.setCookie(cookie, content);
    expect(await codeOf(await get(withSecret))).toBe('SES-0201');
    expect((await get(withSecret.copy(), { session: bob.session })).status).toBe(200);
    expect((await (await get(withSecret.copy(), { session: bob.session })).arrayBuffer()).byteLength).toBe(PNG.length);
    expect((await (await get(withSecret.copy(), { public_session: value })).arrayBuffer()).byteLength).toBe(PNG.length);
    const withoutSecret = new Client(world.publicUrl, bob.userAgent);
    withoutSecret.setCookie(name, value);
    expect(await codeOf(await get(withoutSecret))).toBe('SES-0206');
    // A browser keeps public session cookies of sessions that ended.
    const withOld = bob.copy();
    const cookies = [`svc-public-session-old=${'e'.repeat(32)}`, ...[...bob.jar].map((pair) => pair.join('='))];
    const headers = { cookie: cookies.join('; '), 'user-agent': withOld.userAgent };
    const answer = await fetch(`${world.publicUrl}/image/user/picture?id=${ann.userId}`, { headers });
    expect((await answer.arrayBuffer()).byteLength).toBe(PNG.length);
  });

  it('look the same to those who may not see them, whether they exist or not', async () => {
    const blind = await newUser('blind', { capabilities: { remove: ['gab'] }, image: upload(GIF) });
    const refusals = [
      await shown(stranger, ann.userId),
      await shown(blind, ann.userId),
      await shown(bob, bob.userId),
      await shown(bob, 987_654),
      await shown(bob, 'x'),
    ];
    for (const refusal of refusals) {
      expect(refusal.status).toBe(404);
      const { error_id: _id, ...body } = (await refusal.json()) as Record<string, unknown>;
      expect(body).toMatchObject({ code: 'IMG-0001', error_params: [] });
    }
    expect((await bytesOf(await shown(blind, blind.userId))).equals(GIF)).toBe(true);
    expect((await blind.get('user', 'get', { id: ann.userId })).data).not.toHaveProperty('image1_url');
    expect((await bob.fetch('GET', '/image/user/picture')).status).toBe(200);
    expect(await codeOf(await bob.fetch('GET', '/image/user/picture'))).toBe('SVL-0002');
  });

  it('are changed by their user in a form, and removed by an empty image1', async () => {
    const before = await urlOf(bob, bob.userId);
    expect(before).toBeUndefined();
    const answer = await sendForm(bob, bob.userId, GIF, '{"note":"with picture"}');
    expect(answer).toMatchObject({ data: null, timestamp: expect.any(Number) });
    expect((await bob.get('user', 'get')).data).toMatchObject({
      note: 'with picture',
      image1_content_type: 'image/gif',
      last_modified_utc: answer.timestamp,
    });
    expect((await bytesOf(await shown(ann, bob.userId))).equals(GIF)).toBe(true);
    expect(await sendForm(contextAdmin, bob.userId, PNG)).not.toHaveProperty('error');
    const change = (image1: string | null) => bob.put('user', 'update', { id: bob.userId, timestamp: FAR }, { image1 });
    expect((await change('a picture')).code).toBe('SVL-0031');
    expect((await shown(ann, bob.userId)).status).toBe(200);
    expect(await change('')).not.toHaveProperty('error');
    expect((await shown(ann, bob.userId)).status).toBe(404);
    expect(await change(null)).not.toHaveProperty('error');
  });

  it('are refused in a form that is not whole, and change nothing then', async () => {
    const id = bob.userId;
    expect((await sendForm(bob, id, undefined, '{"note":"lost"}')).code).toBe('SVL-0002');
    expect((await sendForm(bob, id, PNG, '{"locale":"nowhere"}')).code).toBe('USR-0023');
    expect((await sendForm(bob, id, PNG, '{"timezone":"Mars/Olympus"}')).code).toBe('USR-0024');
    expect((await sendForm(bob, id, PNG, '{"note":')).code).toBe('SVL-0029');
    expect((await sendForm(bob, id, PNG, '[]')).code).toBe('SVL-0028');
    expect((await sendForm(bob, id, PNG, '{"note":1}')).code).toBe('SVL-0031');
    expect((await sendForm(bob, id, SVG, '{"note":"lost"}')).code).toBe('CON-0101');
    expect((await sendForm(bob, id, Buffer.alloc(MAX_BYTES + 1))).code).toBe('UPL-0005');
    expect((await sendForm(ann, id, PNG)).code).toBe('SVL-0016');
    expect((await sendForm(bob, id, PNG, '{}', 1)).code).toBe('SVL-0017');
    expect((await sendForm(bob, 987_654, PNG)).code).toBe('USR-0010');
    expect((await bob.get('user', 'get')).data).toMatchObject({ note: 'with picture', number_of_images: 0 });
  });

  it('go with their user', async () => {
    const gone = await newUser('gone', { image: upload(PNG) });
    expect((await shown(ann, gone.userId)).status).toBe(200);
    expect((await admin.request('DELETE', `${users()}/${gone.userId}`)).status).toBe(204);
    expect((await shown(ann, gone.userId)).status).toBe(404);
  });
});
