import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesBelow, until } from '@groupware/test-kit';
import { Client as Database } from 'pg';
import { createContext, createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  addVersion,
  BITS,
  change,
  column,
  createFileFixtures,
  createFolder,
  dataOf,
  download,
  homeOf,
  read,
  remove,
  trashOf,
  tryUpload,
  upload,
  usedBytes,
  type FileFixtures,
} from './files';

let world: TestEnvironment;
let cast: FileFixtures;
let folder: string;
let serial = 0;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'filestore-'));
  world = await startTestEnvironment({
    variables: {
      FILES_SWEEP_AGE_MS: '3000',
      FILES_INCOMING_AGE_MS: '3000',
      FILES_SWEEP_INTERVAL_MS: '300',
      FILES_TRASH_INTERVAL_MS: '300',
    },
  });
  cast = await createFileFixtures(world);
}, 120_000);
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

const someone = (contextId = cast.contextId): Promise<TestUser> =>
  createTestUser(world, cast.admin, contextId, `leaver${(serial += 1)}`);
const ask = (method: string, place: string, body?: object) => cast.admin.expect(method, `/admin/v1${place}`, body);

/** Rows of a context in the tables of the module, by table; tables without any are left out. */
async function rowsOf(contextId: number): Promise<Record<string, number>> {
  const client = new Database({ connectionString: world.environment.DATABASE_URL });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `select table_name as name from information_schema.columns where table_schema = 'files' and column_name = 'context_id'`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from files."${name}" where context_id = ${contextId}`,
      );
      if (rows[0]!.count > 0) counts[name] = rows[0]!.count;
    }
    return counts;
  } finally {
    await client.end();
  }
}

describe('a large upload', () => {
  const MEGABYTE = 1024 * 1024;
  /** Scenario FL-29 has 5 GiB. */
  const bytes = Number(process.env.E2E_FILE_BYTES ?? 64 * MEGABYTE);

  it('FL-29 is kept without being held in memory', async () => {
    const { U1, A } = cast;
    const zeros = new Uint8Array(MEGABYTE);
    const md5 = createHash('md5');
    let most = 0;
    global.gc?.();
    const before = process.memoryUsage().rss;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const sent = Math.min(MEGABYTE, bytes - count);
        count += sent;
        most = Math.max(most, process.memoryUsage().rss);
        const piece = zeros.subarray(0, sent);
        md5.update(piece);
        controller.enqueue(piece);
        if (count >= bytes) controller.close();
      },
    });
    let count = 0;
    const query = { action: 'upload', binary: true, session: U1.session, folder_id: A, filename: 'zeros.bin' };
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(bytes) };
    const init = { body, headers, duplex: 'half' } as RequestInit;
    const { data: id } = (await (await U1.fetch('PUT', '/infostore', query, init)).json()) as { data: string };
    expect(await dataOf(U1, id)).toMatchObject({ file_size: bytes, file_md5sum: md5.digest('hex') });
    // Client, gateway, service and test runner are one process here.
    expect(most - before).toBeLessThan(48 * MEGABYTE);
    await remove(U1, [id], { hardDelete: true });
  }, 600_000);
});

describe('personal folders', () => {
  it('are written by users who may not edit public folders, those of others as far as these let them', async () => {
    const { U1, contextId, P1 } = cast;
    const player = await someone();
    const open = await createFolder(U1, '15', [[player.userId, BITS.author]]);
    await ask('PUT', `/contexts/${contextId}/users/${player.userId}/module-access`, {
      flags: { editpublicfolders: false },
    });
    await player.login(player.loginName, PASSWORD);
    const home = await homeOf(player);
    const own = await createFolder(player, home);
    const id = await upload(player, own, 'own.txt');
    expect((await remove(player, [id])).data).toEqual([]);
    expect((await tryUpload(player, open, 'public.txt')).code).toBe('IFO-0402');
    const shared = await createFolder(U1, P1, [[player.userId, BITS.author]]);
    expect((await tryUpload(player, shared, 'shared.txt')).code).toBeUndefined();
    const typeOf = async (user: TestUser, folder: string) =>
      (await user.get('folders', 'get', { id: folder })).data.type;
    expect([await typeOf(player, own), await typeOf(player, shared), await typeOf(player, open)]).toEqual([1, 3, 2]);
    // A folder below a public one is public.
    const answer = await U1.put('folders', 'update', { id: shared, timestamp: 9e15 }, { folder_id: open });
    expect(answer.code).toBeUndefined();
    expect([await typeOf(U1, shared), (await tryUpload(player, shared, 'more.txt')).code]).toEqual([2, 'IFO-0402']);
    await U1.put('folders', 'update', { id: shared, timestamp: 9e15 }, { folder_id: P1 });
    expect((await tryUpload(player, shared, 'more.txt')).code).toBeUndefined();
    // Thrown away it is personal, brought back it is public.
    const below = await createFolder(U1, open, [[player.userId, BITS.author]]);
    await U1.put('folders', 'delete', { timestamp: 9e15 }, [below]);
    expect(await typeOf(U1, below)).toBe(1);
    await U1.put('folders', 'restore', {}, [below]);
    expect(await typeOf(U1, below)).toBe(2);
  });
});

describe('the trash', () => {
  it('FL-93 keeps documents and folders as long as the property says', async () => {
    const { contextId } = cast;
    const user = await someone();
    const [home, trash] = [await homeOf(user), await trashOf(user)];
    const folder = await createFolder(user, home, [], 'Thrown');
    await upload(user, folder, 'below.txt', 'below');
    const used = await usedBytes(user);
    await remove(user, [await upload(user, home, 'old.txt', 'old')]);
    const kept = await upload(user, home, 'kept.txt', 'kept');
    await user.put('folders', 'delete', { timestamp: 9e15 }, [folder]);
    const keep = (days: number) =>
      ask('PUT', `/contexts/${contextId}/users/${user.userId}/config/com.example.infostore.trash.retentionDays`, {
        value: days,
      });
    await keep(30);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await column(user, trash, 702)).toEqual(['old.txt']);
    await keep(0);
    await until(async () => (await column(user, trash, 702)).length === 0);
    await until(async () => (await user.get('folders', 'get', { id: folder })).code === 'FLD-0008');
    await until(async () => (await usedBytes(user)) === used - 'below'.length + 'kept'.length);
    expect(await dataOf(user, kept)).toMatchObject({ filename: 'kept.txt' });
  });
});

describe('the files of a user who is deleted', () => {
  it('go to the heir where others see them, everything else goes with its bytes', async () => {
    const { U1, U2, contextId } = cast;
    const leaver = await someone();
    const home = await homeOf(leaver);
    const common = await createFolder(leaver, home, [[U1.userId, BITS.administrator]], 'Common');
    const secret = await createFolder(leaver, home, [], 'Secret');
    const offered = await createFolder(leaver, home, [], 'Offered');
    const permissions = [leaver, U1].map(({ userId: entity }) => ({ entity, group: false, bits: BITS.administrator }));
    await leaver.put('folders', 'update', { id: offered, timestamp: 9e15 }, { permissions });
    const made = await U1.put('folders', 'new', { folder_id: offered }, { title: 'Guest', module: 'infostore' });
    const guest = String(made.data);
    await leaver.put('folders', 'update', { id: offered, timestamp: 9e15 }, { permissions: permissions.slice(0, 1) });
    const below = await upload(U1, guest, 'below.txt', 'below');
    const kept = await upload(leaver, common, 'kept.txt', 'kept by the heir');
    const gone = await upload(leaver, secret, 'gone.txt', 'gone with the user');
    const atHome = await upload(leaver, home, 'home.txt', 'gone from home');
    await remove(leaver, [await upload(leaver, common, 'trashed.txt', 'gone from the trash')]);
    await leaver.get('infostore', 'lock', { id: kept });
    const mine = await upload(U1, cast.A, 'mine.txt', 'mine');
    await change(U1, mine, { object_permissions: [{ entity: leaver.userId, bits: 1 }] });
    const used = await usedBytes(U1);
    expect((await change(U1, kept, { title: 'locked' })).code).toBe('IFO-0415');
    await ask('DELETE', `/contexts/${contextId}/users/${leaver.userId}?reassignTo=${U2.userId}`);
    await until(async () => (await dataOf(U1, kept)).created_by === String(U2.userId));
    expect(await (await download(U2, kept)).text()).toBe('kept by the heir');
    expect((await change(U1, kept, { title: 'free' })).data).toBe(kept);
    expect(await U2.get('folders', 'get', { id: common })).toMatchObject({
      data: { folder_id: cast.P2, title: 'Common', created_by: String(U2.userId) },
    });
    expect((await read(U1, below)).data).toMatchObject({ id: below });
    expect((await U2.get('folders', 'get', { id: guest })).data).toMatchObject({ folder_id: cast.P2, title: 'Guest' });
    for (const id of [gone, atHome]) expect((await read(U2, id)).code).toBe('IFO-0300');
    const bytes = ['gone with the user', 'gone from home', 'gone from the trash'].join('').length;
    await until(async () => (await usedBytes(U1)) === used - bytes);
    expect(await dataOf(U1, mine)).not.toHaveProperty('object_permissions');
  });

  it('go to the heir when they are shared by themselves, in whatever folder they stand', async () => {
    const { U1, U2, U3, contextId } = cast;
    const leaver = await someone();
    const home = await homeOf(leaver);
    const above = await createFolder(leaver, home, [], 'Above');
    const below = await createFolder(leaver, above, [], 'Below');
    const group = await ask('POST', `/contexts/${contextId}/groups`, { name: `heirs${serial}`, members: [U1.userId] });
    const shared = (...entries: object[]) => ({ object_permissions: entries });
    const atHome = await upload(leaver, home, 'single.txt', 'single');
    await change(leaver, atHome, shared({ entity: U1.userId, group: false, bits: 2 }));
    const deep = await upload(leaver, below, 'deep.txt', 'deep');
    await change(leaver, deep, shared({ entity: group.id, group: true, bits: 1 }));
    const alone = [
      await upload(leaver, home, 'alone.txt', 'alone'),
      await upload(leaver, above, 'above.txt', 'above'),
      await upload(leaver, below, 'beside.txt', 'beside'),
    ];
    const used = await usedBytes(U1);
    await ask('DELETE', `/contexts/${contextId}/users/${leaver.userId}?reassignTo=${U2.userId}`);

    const [single, inGroup] = [atHome, deep].map((id) => `10/${id.split('/')[1]}`);
    expect(await dataOf(U1, single!)).toMatchObject({
      created_by: String(U2.userId),
      object_permissions: [{ entity: U1.userId, group: false, bits: 2 }],
    });
    expect(await (await download(U1, single!)).text()).toBe('single');
    expect((await change(U1, single!, { title: 'Still mine to change' })).code).toBeUndefined();
    expect(await (await download(U1, inGroup!)).text()).toBe('deep');
    expect((await read(U3, inGroup!)).code).toBe('IFO-0400');
    expect((await addVersion(U2, deep, 'by the heir')).code).toBeUndefined();
    for (const id of [home, below]) {
      const { permissions, own_rights, standard_folder } = (await U2.get('folders', 'get', { id })).data;
      expect(permissions.map(({ entity }: { entity: number }) => entity)).toEqual([U2.userId]);
      expect([own_rights, standard_folder]).toEqual([BITS.administrator, false]);
      expect((await U1.get('folders', 'get', { id })).code).toBe('FLD-0003');
    }
    expect((await U2.get('folders', 'get', { id: below })).data.folder_id).toBe(cast.P2);
    expect((await U2.get('folders', 'get', { id: above })).code).toBe('FLD-0008');
    for (const id of alone) expect((await read(U2, id)).code).toBe('IFO-0300');
    await until(async () => (await usedBytes(U1)) === used - 'aloneabovebeside'.length + 'by the heir'.length);
    expect(await homeOf(U2)).toBe(cast.P2);
  });

  it('all go without an heir', async () => {
    const { U1, contextId } = cast;
    const leaver = await someone();
    const common = await createFolder(leaver, await homeOf(leaver), [[U1.userId, BITS.viewer]]);
    const id = await upload(leaver, common, 'a.txt', 'nobody wants it');
    const used = await usedBytes(U1);
    await ask('DELETE', `/contexts/${contextId}/users/${leaver.userId}?reassignTo=none`);
    await until(async () => (await read(U1, id)).code === 'IFO-0300');
    await until(async () => (await usedBytes(U1)) === used - 'nobody wants it'.length);
  });
});

describe('the files of a context', () => {
  const register = async (place: string): Promise<number> =>
    (await ask('POST', '/filestores', { uri: pathToFileURL(place).href })).id;

  it('move to another store and go with the context, rows and bytes', async () => {
    const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')];
    const [first, second] = [await register(from), await register(to)];
    const contextId = await createContext(cast.admin, 'stored', { filestoreId: first });
    const player = await someone(contextId);
    const home = await homeOf(player);
    const id = await upload(player, home, 'a.txt', 'one');
    await addVersion(player, id, 'two');
    await upload(player, home, 'same.txt', 'one');
    const other = await someone(contextId);
    await change(player, id, { object_permissions: [{ entity: other.userId, bits: 1 }] });
    await change(player, id, { object_permissions: [] });
    await remove(player, [await upload(player, home, 'b.txt', 'three')], { hardDelete: true });
    await until(() => filesBelow(from).length === 2);
    const job = await ask('POST', `/contexts/${contextId}/move`, { filestoreId: second });
    await until(async () => (await ask('GET', `/contexts/${contextId}/jobs/${job.id}`)).state !== 'running', 60_000);
    expect(await ask('GET', `/contexts/${contextId}/jobs/${job.id}`)).toMatchObject({ state: 'done', errors: [] });
    expect(filesBelow(to)).toHaveLength(2);
    expect(await (await download(player, id)).text()).toBe('two');
    // Files that readers may still hold go with the sweep.
    await until(() => filesBelow(from).length === 0, 20_000);
    await until(
      async () => (await cast.admin.request('DELETE', `/admin/v1/filestores/${first}`)).status === 204,
      20_000,
    );
    expect(await column(player, home, 702)).toEqual(['v.txt', 'same.txt']);
    expect(Object.keys(await rowsOf(contextId))).toEqual(
      expect.arrayContaining(['document', 'document_version', 'stored_file', 'context_state', 'folder']),
    );
    await ask('DELETE', `/contexts/${contextId}`);
    await until(() => filesBelow(to).length === 0, 20_000);
    await until(async () => Object.keys(await rowsOf(contextId)).length === 0, 20_000).catch(() => undefined);
    expect(await rowsOf(contextId)).toEqual({});
  }, 120_000);
});
