import { filesBelow, until } from '@groupware/test-kit';
import path from 'node:path';
import sharp from 'sharp';
import { Client as Database } from 'pg';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { envelopeOf } from './attachments';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const MAX_FILES = 3;
const MAX_BYTES = 4000;

let world: TestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  world = await startTestEnvironment({
    variables: { ATTACHMENTS_SWEEP_INTERVAL_MS: '100' },
    properties: {
      'com.example.file.managed.maxPerUser': String(MAX_FILES),
      'com.example.file.managed.maxUploadSize': String(MAX_BYTES),
    },
  });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

interface Upload {
  readonly name?: string;
  readonly content: string | Uint8Array;
  readonly type?: string;
}

async function upload(
  who: TestUser,
  query: Record<string, string>,
  files: readonly Upload[],
  fields: Record<string, string> = {},
): Promise<any> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  files.forEach(({ name = 'a.bin', content, type = 'application/octet-stream' }, index) =>
    form.set(`file_${index}`, new Blob([content], { type }), name),
  );
  const init = { body: form };
  const response = await who.fetch('POST', '/file', { action: 'new', session: who.session, ...query }, init);
  return envelopeOf(await response.text());
}
const keep = async (who: TestUser, content: string | Uint8Array, type = 'text/plain', name = 'a.txt') =>
  (await upload(who, { module: 'mail', type: 'file' }, [{ name, content, type }])).data[0] as string;
const read = (who: TestUser, id: string) => who.fetch('GET', '/file', { action: 'get', session: who.session, id });
const codeOf = async (who: TestUser, action: string, id: string) => (await who.get('file', action, { id })).code;

describe('managed files', () => {
  it('are kept by their ids, and given back as browsers may see them', async () => {
    const ids = (
      await upload(cast.U1, { module: 'mail', type: 'file' }, [
        { name: 'dot.png', content: PNG, type: 'image/png' },
        { name: 'page.html', content: '<script>alert(1)</script>', type: 'text/html' },
      ])
    ).data;
    expect(ids).toEqual([expect.any(String), expect.any(String)]);
    const picture = await read(cast.U1, ids[0]);
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(picture.headers.get('content-disposition')).toMatch(/^inline/);
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(PNG);
    const page = await read(cast.U1, ids[1]);
    expect(page.headers.get('content-type')).toBe('application/octet-stream');
    expect(page.headers.get('content-disposition')).toMatch(/^attachment/);
    expect((await cast.U1.get('file', 'keepalive', { id: ids[0] })).data).toBe(true);
  });

  it('are shown as pictures by their own address, scaled as asked', async () => {
    const { U1, U2 } = cast;
    const bytes = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    const id = await keep(U1, bytes, 'image/png', 'teal.png');
    const show = (who: TestUser, parameters: object, headers: Record<string, string> = {}) =>
      who.fetch('GET', '/image/mfile/picture', { ...parameters }, { headers });
    const shown = await show(U1, { uid: id });
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="teal.png"',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
    });
    expect(Buffer.from(await shown.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await show(U1, { uid: id }, { 'if-none-match': shown.headers.get('etag')! })).status).toBe(304);
    const scaled = await sharp(Buffer.from(await (await show(U1, { uid: id, width: 10 })).arrayBuffer())).metadata();
    expect([scaled.format, scaled.width, scaled.height]).toEqual(['png', 10, 5]);
    const text = await keep(U1, 'words', 'image/png', 'text.png');
    for (const [who, uid] of [
      [U2, id],
      [U1, text],
      [U1, 'x'],
    ] as const) {
      const answer = await show(who, { uid });
      expect([answer.status, ((await answer.json()) as { code?: string }).code]).toEqual([404, 'IMG-0001']);
    }
  });

  it('FL-129 need a module, a kind and a file', async () => {
    const file = { content: 'x' };
    expect((await upload(cast.U1, { type: 'file' }, [file])).code).toBe('SVL-0002');
    expect((await upload(cast.U1, { module: 'mail' }, [file])).code).toBe('SVL-0002');
    expect((await upload(cast.U1, { module: 'mail', type: 'film' }, [file])).code).toBe('SVL-0010');
    const complete = { module: 'mail', type: 'file' };
    expect((await upload(cast.U1, complete, [])).code).toBe('SVL-0002');
    expect((await upload(cast.U1, complete, [], { note: 'no file' })).code).toBe('UPL-0006');
  });

  it('are of the asked kind by their bytes, whatever they say', async () => {
    const send = async (type: string, file: Upload) =>
      (await upload(cast.U1, { module: 'mail', type }, [file])).code ?? 'kept';
    expect(await send('image', { content: PNG, type: 'text/plain' })).toBe('kept');
    expect(await send('media', { content: PNG, type: 'text/plain' })).toBe('kept');
    expect(await send('text', { content: 'words', type: 'text/plain' })).toBe('kept');
    expect(await send('audio', { content: PNG, type: 'audio/mpeg' })).toBe('UPL-0011');
    expect(await send('text', { content: PNG, type: 'text/plain' })).toBe('UPL-0011');
    expect(await send('image', { content: 'words', type: 'text/plain' })).toBe('UPL-0011');
  });

  it('belong to their user', async () => {
    const id = await keep(cast.U1, 'mine');
    for (const action of ['get', 'keepalive']) {
      expect(await codeOf(cast.U2, action, id)).toBe('UPL-0010');
      for (const unknown of ['0', '%', '11111111-1111-4111-8111-111111111111', `${id}0`])
        expect(await codeOf(cast.U1, action, unknown)).toBe('UPL-0010');
    }
    expect(await (await read(cast.U1, id)).text()).toBe('mine');
  });

  it('make way for newer ones', async () => {
    const ids: string[] = [];
    for (let turn = 0; turn <= MAX_FILES; turn++) ids.push(await keep(cast.U2, `number ${turn}`));
    expect(await codeOf(cast.U2, 'keepalive', ids[0]!)).toBe('UPL-0010');
    const large = await keep(cast.U2, 'x'.repeat(MAX_BYTES - 500));
    expect(await codeOf(cast.U2, 'keepalive', large)).toBeUndefined();
    const next = await keep(cast.U2, 'x'.repeat(600));
    expect(await codeOf(cast.U2, 'keepalive', large)).toBe('UPL-0010');
    expect(await codeOf(cast.U2, 'keepalive', next)).toBeUndefined();
    const tooLarge = [{ content: 'x'.repeat(MAX_BYTES + 1) }];
    expect((await upload(cast.U2, { module: 'mail', type: 'file' }, tooLarge)).code).toBe('UPL-0005');
  });

  it('FL-130 end when nobody asks for them, with their bytes', async () => {
    const id = await keep(cast.U1, 'soon gone');
    const database = new Database({ connectionString: world.environment.DATABASE_URL });
    await database.connect();
    await database.query('update attachments.managed_file set expires = 1');
    await database.end();
    for (const action of ['get', 'keepalive']) expect(await codeOf(cast.U1, action, id)).toBe('UPL-0010');
    const folder = path.join(world.environment.DATA_DIR!, 'files');
    await until(() => filesBelow(folder).length === 0);
  });
});
