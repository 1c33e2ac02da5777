import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesBelow, S3Process, until } from '@groupware/test-kit';
import { Client as Database } from 'pg';
import { createContext, createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { AdminClient } from '../client';
import { keepOutOfLogs } from '../secrets';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { attach, attachFiles, download, newObject, rows, type Target } from './attachments';

/** The key of the S3 server with a secret that would be seen. */
const SECRET = 'S3RVER';
let world: TestEnvironment;
let master: AdminClient;
let s3: S3Process;
let folder: string;
let serial = 0;

beforeAll(async () => {
  s3 = await S3Process.start('files');
  folder = mkdtempSync(path.join(os.tmpdir(), 'filestore-'));
  world = await startTestEnvironment({
    variables: {
      ATTACHMENTS_SWEEP_AGE_MS: '5000',
      ATTACHMENTS_INCOMING_AGE_MS: '5000',
      ATTACHMENTS_SWEEP_INTERVAL_MS: '300',
    },
    properties: { 'com.example.contexts.pre-assembly.enabled': 'true' },
  });
  keepOutOfLogs(`${SECRET}:${SECRET}`);
  master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await s3?.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (method: string, place: string, body?: object) => master.expect(method, `/admin/v1${place}`, body);
const refusal = async (method: string, place: string, body?: object) => {
  const answer = await master.request(method, `/admin/v1${place}`, body);
  return [answer.status, answer.body?.code];
};
const ownFiles = () => filesBelow(path.join(world.environment.DATA_DIR!, 'files'));
const newFolder = () => path.join(folder, String(++serial));
const register = async (uri: string, parts: object = {}) => (await ask('POST', '/filestores', { uri, ...parts })).id;
async function playerIn(filestoreId: number): Promise<{ contextId: number; player: TestUser }> {
  const contextId = await createContext(master, 'stored', { filestoreId });
  return { contextId, player: await createTestUser(world, master, contextId, 'someone') };
}
const textOf = async (player: TestUser, target: Target, id: number) => (await download(player, target, id)).text();
async function ended(contextId: number, jobId: string): Promise<any> {
  let job: any;
  await until(async () => {
    job = await ask('GET', `/contexts/${contextId}/jobs/${jobId}`);
    return job.state !== 'running';
  }, 120_000);
  return job;
}
async function sql<T extends object>(text: string): Promise<T[]> {
  const client = new Database({ connectionString: world.environment.DATABASE_URL });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('the store provisioned for a context', () => {
  it('holds its files, and no other store does', async () => {
    const place = newFolder();
    const { player } = await playerIn(await register(pathToFileURL(place).href));
    const target = await newObject(player);
    const before = ownFiles();
    const [id, twin] = await attachFiles(player, target, [
      { name: 'a', content: 'here' },
      { name: 'b', content: 'there' },
    ]);
    expect(filesBelow(place)).toHaveLength(2);
    expect(ownFiles()).toEqual(before);
    expect(await textOf(player, target, id!)).toBe('here');
    expect((await download(player, target, id!, {}, { headers: { range: 'bytes=1-2' } })).status).toBe(206);
    const zip = await player.fetch(
      'PUT',
      '/attachment',
      { action: 'zipDocuments', session: player.session, ...target },
      { body: JSON.stringify([id, twin]) },
    );
    expect([zip.status, (await zip.arrayBuffer()).byteLength > 100]).toEqual([200, true]);
    await player.put('attachment', 'detach', { ...target }, [String(id), String(twin)]);
    expect(filesBelow(place)).toEqual([]);
    // A refused upload leaves nothing either.
    expect((await attach(player, { ...target, attached: 4711 }, [{ name: 'c', content: 'c' }])).code).toBeDefined();
    expect(filesBelow(place)).toEqual([]);
  });

  it('is an S3 bucket whose key is sealed and never told', async () => {
    const uri = s3.storeUrl('one', { credentials: '' }).replace('//@', '//');
    const { body: created } = await master.request('POST', '/admin/v1/filestores', { uri: s3.storeUrl('one') });
    expect(created.uri).toBe(uri);
    expect(JSON.stringify(await ask('GET', '/filestores'))).not.toContain(SECRET);
    expect(JSON.stringify(await sql('select * from identity.filestore'))).not.toContain(SECRET);
    expect(JSON.stringify(await sql(`select * from identity.audit_entry where kind = 'filestore'`))).not.toContain(
      SECRET,
    );
    const { player } = await playerIn(created.id);
    const target = await newObject(player);
    const content = randomBytes(100_000);
    const [id] = await attachFiles(player, target, [{ name: 'a', content }]);
    expect(s3.objects()).toHaveLength(1);
    const bytes = Buffer.from(await (await download(player, target, id!)).arrayBuffer());
    expect(bytes.equals(content)).toBe(true);
    // The address is changed without telling the key again; a new key replaces it.
    await ask('PATCH', `/filestores/${created.id}`, { uri: uri.replace('/one', '/one/') });
    expect((await download(player, target, id!)).status).toBe(200);
    await ask('PATCH', `/filestores/${created.id}`, { uri: s3.storeUrl('one', { credentials: 'wrong:S3RVER' }) });
    await until(async () => (await attach(player, target, [{ name: 'b', content: 'b' }])).code === 'FLS-0003');
    await ask('PATCH', `/filestores/${created.id}`, { uri: s3.storeUrl('one') });
    await until(async () => (await download(player, target, id!)).status === 200);
    for (const wrong of ['s3://key@bucket/', 'file://key:secret@host/x', 's3://b/?endpoint=http://k:s@h'])
      expect(await refusal('POST', '/filestores', { uri: wrong })).toEqual([400, 'INST-0007']);
  });

  it('that is full takes no file and no context', async () => {
    const store = await register(pathToFileURL(newFolder()).href, { sizeMb: 1 });
    const { contextId, player } = await playerIn(store);
    const target = await newObject(player);
    await attachFiles(player, target, [{ name: 'fits', content: randomBytes(1_000_000) }]);
    const refused = await attach(player, target, [{ name: 'too much', content: randomBytes(50_000) }]);
    expect(refused).toMatchObject({ code: 'FLS-0011', categories: 'CAPACITY' });
    await attachFiles(player, target, [{ name: 'rest', content: randomBytes(48_576) }]);
    await until(async () => (await ask('GET', `/filestores/${store}`)).usedMb === 1, 15_000);
    const admin = { name: 'admin', password: PASSWORD, surname: 'Min', email: 'full@full.example' };
    expect(await refusal('POST', '/contexts', { name: 'full', filestoreId: store, admin })).toEqual([400, 'INST-0011']);
    const empty = { schema: 'default', number: 1, filestore_id: store };
    expect(await refusal('POST', '/contexts/pre-assemble', empty)).toEqual([400, 'INST-0011']);
    // Nor does a store with less room than the files of a context need.
    const small = await register(pathToFileURL(newFolder()).href, { sizeMb: 0.5 });
    expect(await refusal('POST', `/contexts/${contextId}/move`, { filestoreId: small })).toEqual([400, 'INST-0011']);
    await ask('PATCH', `/filestores/${store}`, { sizeMb: 2 });
    await attachFiles(player, target, [{ name: 'more', content: randomBytes(50_000) }]);
  });

  it('that several contexts share is not filled beyond its size by uploads at the same time', async () => {
    const place = newFolder();
    const store = await register(pathToFileURL(place).href, { sizeMb: 1 });
    const players = await Promise.all([playerIn(store), playerIn(store)]);
    const targets = await Promise.all(players.map(({ player }) => newObject(player)));
    const third = 340_000;
    const uploads = Array.from({ length: 8 }, (_none, index) => {
      const { player } = players[index % 2]!;
      return attach(player, targets[index % 2]!, [{ name: `${index}`, content: randomBytes(third) }]);
    });
    const codes = (await Promise.all(uploads)).map(({ code }) => code ?? 'ok');
    expect(codes.filter((code) => code === 'ok')).toHaveLength(3);
    expect(codes.filter((code) => code === 'FLS-0011')).toHaveLength(5);
    expect(filesBelow(place)).toHaveLength(3);
    // Space reserved by an upload that did not come to an end is free again.
    const { player } = players[0];
    const rest = 1024 * 1024 - 3 * third;
    await ask('PUT', `/contexts/${players[0].contextId}/quota`, { filestoreMb: 0 });
    const refused = await attach(player, targets[0]!, [{ name: 'quota', content: randomBytes(rest) }]);
    expect(refused).toMatchObject({ code: 'ATT-0001' });
    await ask('PUT', `/contexts/${players[0].contextId}/quota`, { filestoreMb: -1 });
    await attachFiles(player, targets[0]!, [{ name: 'rest', content: randomBytes(rest) }]);
    await until(async () => (await sql('select * from identity.filestore_reservation')).length === 0, 15_000);
    expect((await ask('GET', `/filestores/${store}`)).usedMb).toBe(1);
  });
});

describe('the move of a context to another store', () => {
  it('brings every file, while all of them can be read and new ones come', async () => {
    const place = newFolder();
    const from = await register(pathToFileURL(place).href);
    const to = await register(s3.storeUrl('moved'));
    const { contextId, player } = await playerIn(from);
    const target = await newObject(player);
    const texts = new Map<number, string>();
    const add = async (text: string) =>
      texts.set((await attachFiles(player, target, [{ name: text, content: text }]))[0]!, text);
    for (let number = 0; number < 6; number++) await add(`file ${number}`);
    const [gone] = await attachFiles(player, target, [{ name: 'goes', content: 'goes' }]);
    const before = s3.objects().length;
    let moving = true;
    const reader = (async () => {
      while (moving) for (const [id, text] of texts) expect(await textOf(player, target, id)).toBe(text);
    })();
    const writer = (async () => {
      for (let number = 0; moving; number++) await add(`new ${number}`);
    })();
    const job = await master.request('POST', `/admin/v1/contexts/${contextId}/move`, { filestoreId: to });
    expect(job).toMatchObject({ status: 202, body: { kind: 'move-context', state: 'running' } });
    await player.put('attachment', 'detach', { ...target }, [gone]);
    expect(await ended(contextId, job.body.id)).toMatchObject({ state: 'done', errors: [], result: { unreadable: 0 } });
    moving = false;
    await Promise.all([reader, writer]);
    expect(await ask('GET', `/contexts/${contextId}`)).toMatchObject({ filestoreId: to, state: 'ready' });
    expect((await ask('GET', `/filestores/${from}`)).contexts).toBe(0);
    for (const [id, text] of texts) expect(await textOf(player, target, id)).toBe(text);
    expect(await rows(player, 'all', target, '1')).toHaveLength(texts.size);
    // Files that readers may still hold go with the sweep; until then the old store is in use.
    await until(() => filesBelow(place).length === 0, 15_000);
    expect(s3.objects()).toHaveLength(before + texts.size);
    for (const [id, text] of texts) expect(await textOf(player, target, id)).toBe(text);
    await until(async () => (await master.request('DELETE', `/admin/v1/filestores/${from}`)).status === 204);
    // Detaching and the end of the context empty the new one.
    await ask('DELETE', `/contexts/${contextId}`);
    await until(() => s3.objects().length === before, 15_000);
  }, 120_000);

  it('is refused by a store that takes nothing, and leaves no file behind unnoticed', async () => {
    const broken = await register('s3://key:secret@nowhere/x?endpoint=http://127.0.0.1:1');
    const place = newFolder();
    const { contextId, player } = await playerIn(1);
    const target = await newObject(player);
    const [id] = await attachFiles(player, target, [{ name: 'stays', content: 'stays' }]);
    expect(await refusal('POST', `/contexts/${contextId}/move`, { filestoreId: broken })).toEqual([400, 'INST-0011']);
    expect(await refusal('POST', `/contexts/${contextId}/move`, { filestoreId: 4711 })).toEqual([400, 'INST-0011']);
    expect((await ask('GET', `/contexts/${contextId}`)).filestoreId).toBe(1);
    expect(await textOf(player, target, id!)).toBe('stays');
    // A file that was damaged in its store is named by number, the others move.
    const to = await register(pathToFileURL(place).href);
    const own = path.join(world.environment.DATA_DIR!, 'files');
    const [{ reference }] = (await sql<{ reference: string }>(
      `select reference from attachments.attachment where context_id = ${contextId}`,
    )) as [{ reference: string }];
    writeFileSync(path.join(own, reference.slice(0, 2), reference.slice(2, 4), reference), 'other');
    await attachFiles(player, target, [{ name: 'moves', content: 'moves' }]);
    const job = await ask('POST', `/contexts/${contextId}/move`, { filestoreId: to });
    expect(await ended(contextId, job.id)).toMatchObject({ state: 'failed', errors: [{ code: 'INST-0015' }] });
    expect(filesBelow(place)).toHaveLength(1);
    // Once it is repaired the move is repeated.
    writeFileSync(path.join(own, reference.slice(0, 2), reference.slice(2, 4), reference), 'stays');
    const again = await ask('POST', `/contexts/${contextId}/move`, { filestoreId: to });
    expect((await ended(contextId, again.id)).state).toBe('done');
    expect(filesBelow(place)).toHaveLength(2);
    expect(await textOf(player, target, id!)).toBe('stays');
  }, 120_000);
});
