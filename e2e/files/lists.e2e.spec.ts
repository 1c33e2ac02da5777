import { until } from '@groupware/test-kit';
import type { Client } from '../client';
import { createTestUser, type TestUser } from '../fixtures';
import { linkOf, Visitor } from '../sharing/sharing';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  addVersion,
  all,
  BITS,
  change,
  column,
  createFileFixtures,
  createFolder,
  dataOf,
  homeOf,
  move,
  read,
  remove,
  trashOf,
  tryCreate,
  tryUpload,
  upload,
  usedBytes,
  type FileFixtures,
} from './files';

let world: TestEnvironment;
let cast: FileFixtures;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFileFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const newcomer = (name: string) => createTestUser(world, cast.admin, cast.contextId, name);
const freshFolder = (rights: [number, number][] = []) => createFolder(cast.U1, cast.P1, rights);
const configure = (key: string, value: string) =>
  cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/config/${key}`, { value });
const resetProperty = (key: string) =>
  cast.admin.request('DELETE', `/admin/v1/contexts/${cast.contextId}/config/${key}`);
const columnOf = (rows: any[][] | undefined, index = 0) => rows!.map((row) => row[index]);

describe('the folder of a user', () => {
  it('is named after him, and tells what it can do', async () => {
    const { U1, contextId } = cast;
    const { data } = await U1.get('folders', 'get', { id: cast.P1, tree: 0 });
    expect(data).toMatchObject({ title: `u1 of ${contextId}`, standard_folder: true, standard_folder_type: 8 });
    expect(data.supported_capabilities).toEqual(
      expect.arrayContaining(['permissions', 'file_versions', 'locks', 'zippable_folder', 'extended_metadata']),
    );
  });

  it('follows another name of his', async () => {
    const [one, other] = [await newcomer('renamed'), await newcomer('namesake')];
    const personalFolderOf = async (user: TestUser) =>
      (await user.get('folders', 'get', { id: await homeOf(user), tree: 0 })).data;
    const rename = async (user: TestUser, display_name: string): Promise<void> => {
      const answer = await user.put('user', 'update', { id: user.userId, timestamp: 9e15 }, { display_name });
      expect(answer.error).toBeUndefined();
    };
    const before = await personalFolderOf(one);
    await rename(one, 'Ann Miller');
    await until(async () => (await personalFolderOf(one)).title === 'Ann Miller');
    expect((await personalFolderOf(one)).last_modified).toBeGreaterThan(before.last_modified);
    await rename(one, 'ANN Miller');
    await until(async () => (await personalFolderOf(one)).title === 'ANN Miller');
    // Another change of the user changes no folder.
    const kept = await personalFolderOf(other);
    await other.put('user', 'update', { id: other.userId, timestamp: 9e15 }, { city: 'Ulm' });
    // The name is free again.
    await rename(one, 'Ann Moore');
    await until(async () => (await personalFolderOf(one)).title === 'Ann Moore');
    expect(await personalFolderOf(other)).toEqual(kept);
    await rename(other, 'Ann Miller');
    await until(async () => (await personalFolderOf(other)).title === 'Ann Miller');
  });
});

describe('the branch of files', () => {
  const NAMES = '1,20,304';
  let viewers: Client[];
  let shared: string;
  let since: number;
  const rows = async (viewer: Client, action: string, query: object) => {
    const answer = await viewer.get<any[][]>('folders', action, { columns: NAMES, ...query });
    if (!answer.data) throw new Error(JSON.stringify(answer));
    return answer.data;
  };

  beforeAll(async () => {
    const user = await createTestUser(world, cast.admin, cast.contextId, 'drive');
    since = (await user.get('folders', 'list', { parent: 9, columns: '1', tree: 1 })).timestamp!;
    shared = await freshFolder([[user.userId, BITS.viewer]]);
    const { url } = await linkOf(cast.U1, shared, 'infostore');
    viewers = [user, await new Visitor(world.publicUrl, 'Files/guest').open(url)];
  });

  it.each([0, 1])(
    'leads in tree %i to folders of others without visible parent, which are not below the public ones',
    async (tree) => {
      for (const viewer of viewers) {
        expect(await rows(viewer, 'list', { parent: 9, tree })).toContainEqual(['14', '9', true]);
        expect(await rows(viewer, 'list', { parent: 14, tree })).toEqual([[shared, '14', false]]);
        expect(columnOf(await rows(viewer, 'list', { parent: 2, tree }))).not.toContain(shared);
        expect(columnOf(await rows(viewer, 'path', { id: shared, tree }))).toEqual([shared, '14', '9']);
        const get = async (id: string) => (await viewer.get('folders', 'get', { id, tree })).data;
        expect(await get(shared)).toMatchObject({ folder_id: '14' });
        expect(await get('14')).toMatchObject({ folder_id: '9', subfolders: true });
      }
      const [user] = viewers;
      for (const parent of [undefined, 14])
        expect(
          await rows(user!, 'updates', { timestamp: since, tree, ...(parent && { parent }), ignore: 'deleted' }),
        ).toContainEqual([shared, '14', false]);
      expect(columnOf(await rows(cast.U1, 'list', { parent: 9, tree }))).not.toContain('14');
      expect(await rows(cast.U1, 'list', { parent: 14, tree })).toEqual([]);
    },
  );

  it('has the own folder directly where it is flat', async () => {
    const { U1, U2, P1 } = cast;
    const other = await createTestUser(world, cast.admin, cast.contextId, 'flat');
    const own = await homeOf(other);
    expect(await rows(other, 'list', { parent: 9, tree: 0 })).toEqual([
      ['10', '9', true],
      ['15', '9', expect.any(Boolean)],
    ]);
    expect(await rows(other, 'list', { parent: 10, tree: 0 })).toEqual([[own, '10', false]]);
    expect(await rows(other, 'list', { parent: 9, tree: 1 })).toEqual([
      ['10', '9', false],
      ['15', '9', expect.any(Boolean)],
      [own, '9', false],
    ]);
    expect(await rows(other, 'list', { parent: 10, tree: 1 })).toEqual([]);
    expect(columnOf(await rows(other, 'path', { id: own, tree: 1 }))).toEqual([own, '9']);
    const places = [0, 1].map(async (tree) => (await U1.get('folders', 'get', { id: P1, tree })).data.folder_id);
    expect(await Promise.all(places)).toEqual(['10', '9']);
    // Those of others stay where they are shared.
    const permissions = [U1.userId, U2.userId, other.userId].map((entity) => ({
      entity,
      group: false,
      bits: entity === U2.userId ? BITS.administrator : BITS.viewer,
    }));
    expect((await U2.put('folders', 'update', { id: cast.P2 }, { permissions })).error).toBeUndefined();
    expect(await rows(other, 'list', { parent: 10, tree: 1 })).toEqual([[cast.P2, '10', false]]);
    expect((await other.get('folders', 'get', { id: 10, tree: 1 })).data.subfolders).toBe(true);
  });
});

describe('all', () => {
  it('FL-47 FL-48 FL-49 FL-50 FL-51 answers columns by number and name, and parts of them', async () => {
    const { U1 } = cast;
    const folder = await freshFolder();
    const ids: string[] = [];
    for (const name of ['a.txt', 'b.txt', 'c.txt']) ids.push(await upload(U1, folder, name));
    expect((await all(U1, folder, 'filename,file_size')).data).toEqual([
      ['a.txt', 5],
      ['b.txt', 5],
      ['c.txt', 5],
    ]);
    expect((await all(U1, folder, '700,700,1')).data![0]).toEqual(['a.txt', 'a.txt', ids[0]]);
    const part = (parameters: object) => all(U1, folder, '1', { ...parameters });
    expect(columnOf((await part({ left_hand_limit: 1, right_hand_limit: 2 })).data)).toEqual([ids[1]]);
    expect(columnOf((await part({ limit: 2 })).data)).toEqual(ids.slice(0, 2));
    expect(columnOf((await part({ left_hand_limit: 1 })).data)).toEqual(ids.slice(1));
    expect((await part({ left_hand_limit: 5, right_hand_limit: 9 })).data).toEqual([]);
    expect((await part({ left_hand_limit: 2, right_hand_limit: 1 })).code).toBe('SVL-0010');
    expect(columnOf((await part({ limit: 1 })).data)).toEqual(ids.slice(0, 1));
    expect(columnOf((await part({ limit: '1,3' })).data)).toEqual(ids.slice(1, 3));
    expect((await part({ limit: '3,9' })).data).toEqual([]);
    for (const limit of ['3,1', '1,', '-1', 'x']) expect((await part({ limit })).code).toBe('SVL-0010');
    // Clients ask for numbers of other objects and other versions: values keep their places.
    expect((await all(U1, folder, '1,51,52,7040,704')).data!.map((row) => row.slice(1, 4))).toContainEqual([
      null,
      null,
      null,
    ]);
    expect(await all(U1, folder, '1,99999,999')).toMatchObject({
      code: 'SVL-0010',
      error_params: ['columns', '99999,999'],
    });
    expect((await U1.get('infostore', 'all', { folder })).data[0].length).toBeGreaterThan(20);
    expect((await all(U1, folder, 'nonsense')).code).toBe('SVL-0010');
    expect((await all(U1, folder, '1', { sort: 'nonsense' })).code).toBe('SVL-0010');
  });

  it('FL-52 FL-53 FL-54 sorts as readers do', async () => {
    const { U1, U2, U3 } = cast;
    const folder = await freshFolder([
      [U2.userId, BITS.author],
      [U3.userId, BITS.author],
    ]);
    await upload(U3, folder, 'Zebra');
    await upload(U2, folder, 'Öl');
    await upload(U1, folder, 'Ofen', 'longer content');
    await tryCreate(U1, { folder_id: folder, title: 'no file' });
    const sorted = async (sort: number | string, order: string, column = '700') =>
      columnOf((await all(U1, folder, column, { sort, order })).data);
    expect(await sorted(700, 'asc')).toEqual(['no file', 'Ofen', 'Öl', 'Zebra']);
    expect(await sorted(702, 'asc')).toEqual(['no file', 'Ofen', 'Öl', 'Zebra']);
    expect(await sorted('file_size', 'desc')).toEqual(['Ofen', 'Zebra', 'Öl', 'no file']);
    expect(await sorted(2, 'desc')).toEqual(['Zebra', 'Öl', 'Ofen', 'no file']);
    expect(await sorted(3, 'asc')).toEqual(['Ofen', 'no file', 'Öl', 'Zebra']);
  });

  it('FL-53 sorts as readers of a language do', async () => {
    const { U1, admin, contextId } = cast;
    const swede = await createTestUser(world, admin, contextId, 'swede', 'UTC', 'sv_SE');
    const folder = await freshFolder([[swede.userId, BITS.viewer]]);
    for (const name of ['Öl', 'Zebra', 'Ofen', 'ähnlich']) await upload(U1, folder, name);
    const sorted = async (user: typeof U1) =>
      columnOf((await all(user, folder, '702', { sort: 702, order: 'asc' })).data);
    expect(await sorted(U1)).toEqual(['ähnlich', 'Ofen', 'Öl', 'Zebra']);
    expect(await sorted(swede)).toEqual(['Ofen', 'Zebra', 'ähnlich', 'Öl']);
  });

  it('FL-57 shifts times to the zone of the request', async () => {
    const { U1, A } = cast;
    const id = await upload(U1, A, 'zone.txt');
    const zoned = await dataOf(U1, id, { timezone: 'Asia/Kolkata' });
    expect(zoned.last_modified - zoned.last_modified_utc).toBe(5.5 * 3_600_000);
    expect((await all(U1, A, '5', { timezone: 'Nowhere' })).code).toBe('SVL-0010');
  });

  it.each([
    ['of another module', '6', 'IFO-0302'],
    ['that is not there', '160008', 'FLD-0008'],
    ['that is none', 'nonsense', 'FLD-1025'],
  ])('refuses a folder %s, as updates and search do', async (_what, folder, code) => {
    const { U1 } = cast;
    expect((await all(U1, folder)).code).toBe(code);
    expect((await U1.get('infostore', 'updates', { folder, columns: '1', timestamp: 0 })).code).toBe(code);
    expect((await U1.put('infostore', 'search', { folder, columns: '1' }, { pattern: 'x' })).code).toBe(code);
  });

  it('FL-01 FL-04 is empty in folders that hold folders only', async () => {
    const { U1 } = cast;
    for (const folder of ['9', '14', '15']) {
      expect((await all(U1, folder)).data).toEqual([]);
      expect((await U1.get('infostore', 'updates', { folder, columns: '1' })).data).toEqual([]);
      expect((await U1.put('infostore', 'search', { folder, columns: '1' }, {})).data).toEqual([]);
    }
    expect((await U1.get('folders', 'get', { id: 9, tree: 1 })).data).toMatchObject({ module: 'infostore' });
    const list = await U1.get('folders', 'list', { parent: 9, tree: 0, columns: '1' });
    expect(columnOf(list.data)).toEqual(expect.arrayContaining(['10', '15']));
  });

  it('reads own documents where only those may be read, and no more rows than allowed', async () => {
    const { U1, U2 } = cast;
    const ownOnly = 2 + 128 + 16_384 + 2_097_152;
    const folder = await freshFolder([[U2.userId, ownOnly]]);
    const [theirs, own] = [await upload(U1, folder, 'theirs.txt'), await upload(U2, folder, 'own.txt')];
    expect(await column(U2, folder, 1)).toEqual([own]);
    expect((await dataOf(U2, own)).shareable).toBe(true);
    expect((await U2.put('infostore', 'list', { columns: '1' }, [{ id: theirs, folder }])).code).toBe('IFO-0400');
    await configure('com.example.infostore.maxResults', '1');
    expect((await all(U1, folder)).code).toBe('FILES-0001');
    expect((await U1.get('infostore', 'updates', { folder, columns: '1' })).code).toBe('FILES-0001');
    expect((await U1.put('infostore', 'search', { folder, columns: '1' }, {})).code).toBe('FILES-0001');
    expect((await all(U1, folder, '1', { limit: 1 })).data).toHaveLength(1);
    await resetProperty('com.example.infostore.maxResults');
  });

  it('FL-05 FL-07 FL-95 tells the folder its number, and is empty after clear', async () => {
    const { U1, T1 } = cast;
    const folder = await freshFolder();
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => upload(U1, folder, name)));
    const total = async () => (await U1.get('folders', 'get', { id: folder })).data.total;
    expect(await total()).toBe(3);
    await addVersion(U1, ids[0]!, 'more');
    expect(await total()).toBe(3);
    await remove(U1, [ids[0]!]);
    expect(await total()).toBe(2);
    const used = await usedBytes(U1);
    expect((await U1.put('folders', 'clear', {}, [folder])).data).toEqual([]);
    expect(await all(U1, folder)).toMatchObject({ data: [] });
    expect((await column(U1, T1, 702)).sort()).toEqual(['b', 'c', 'v.txt']);
    expect(await usedBytes(U1)).toBe(used);
    await upload(U1, folder, 'gone for good');
    expect((await U1.put('folders', 'clear', { hardDelete: true }, [folder])).data).toEqual([]);
    expect(await column(U1, T1, 702)).toHaveLength(3);
    const below = await createFolder(U1, folder);
    await upload(U1, below, 'below');
    await U1.put('folders', 'delete', { timestamp: 9e15 }, [below]);
    expect((await U1.put('folders', 'clear', {}, [T1])).data).toEqual([]);
    expect(await all(U1, T1)).toMatchObject({ data: [] });
    expect((await U1.get('folders', 'get', { id: below })).code).toBe('FLD-0008');
    await until(async () => (await usedBytes(U1)) === used - 'abmorec'.length);
  });

  it('FL-06 FL-08 FL-09 goes with its folder, which stays while another user holds a lock', async () => {
    const { U1, U2, B } = cast;
    const folder = await freshFolder([[U2.userId, BITS.author]]);
    const id = await upload(U2, folder, 'kept.txt');
    expect((await U1.put('folders', 'update', { id: folder, timestamp: 9e15 }, { folder_id: B })).code).toBeUndefined();
    expect(await dataOf(U1, id)).toMatchObject({ id, folder_id: folder });
    await U2.get('infostore', 'lock', { id });
    const answer = await U1.put('folders', 'delete', { timestamp: 9e15 }, [folder]);
    expect(answer).toMatchObject({ data: [folder], code: 'FLD-0088', timestamp: expect.any(Number) });
    expect(await U1.put('folders', 'clear', {}, [folder])).toMatchObject({ data: [folder], code: 'FLD-0088' });
    expect(await column(U1, folder, 702)).toEqual(['kept.txt']);
    await U2.get('infostore', 'unlock', { id });
    expect((await U1.put('folders', 'delete', { timestamp: 9e15 }, [folder])).data).toEqual([]);
    expect((await U1.put('folders', 'restore', {}, [folder])).code).toBeUndefined();
    expect(await column(U1, folder, 702)).toEqual(['kept.txt']);
    // Moved into the trash it is as one that was deleted.
    await change(U1, id, { object_permissions: [{ entity: cast.U3.userId, bits: 1 }] });
    await U1.put('folders', 'update', { id: folder, timestamp: 9e15 }, { folder_id: cast.T1 });
    expect((await U1.get('folders', 'get', { id: folder })).data.permissions).toHaveLength(1);
    expect(await dataOf(U1, id)).not.toHaveProperty('object_permissions');
    expect((await U1.put('folders', 'restore', {}, [folder])).code).toBeUndefined();
    expect((await U1.get('folders', 'get', { id: folder })).data.folder_id).toBe(B);
  });

  it('keeps no user from clearing own documents by a lock on one that stays anyway', async () => {
    const { U1, U2 } = cast;
    const own = 2 + (2 << 7) + (1 << 14) + (1 << 21);
    const folder = await freshFolder([[U2.userId, own]]);
    const id = await upload(U1, folder, 'stays.txt');
    await U1.get('infostore', 'lock', { id });
    await upload(U2, folder, 'goes.txt');
    expect(await U2.put('folders', 'clear', {}, [folder])).toMatchObject({ data: [] });
    expect(await column(U1, folder, 702)).toEqual(['stays.txt']);
  });
});

describe('the folders of a user', () => {
  it('PD-07 PD-08 come back from the trash, under another name where theirs is taken, unless they are gone for good', async () => {
    const { U1 } = cast;
    const parent = await freshFolder();
    const folder = await createFolder(U1, parent);
    const id = await upload(U1, folder, 'kept.txt');
    const data = async (of: string) => (await U1.get('folders', 'get', { id: of, tree: 0 })).data;
    const { title } = await data(folder);
    const erase = (ids: string[], more: object = {}) => U1.put('folders', 'delete', { timestamp: 9e15, ...more }, ids);
    await erase([folder]);
    expect((await data(folder)).folder_id).toBe(await trashOf(U1));
    await U1.put('folders', 'restore', {}, [folder]);
    expect(await data(folder)).toMatchObject({ title, folder_id: parent });

    await erase([folder]);
    const taken = String(
      (await U1.put('folders', 'new', { folder_id: parent, tree: 0 }, { title, module: 'infostore' })).data,
    );
    await U1.put('folders', 'restore', {}, [folder]);
    expect(await data(folder)).toMatchObject({ title: `${title} (1)`, folder_id: parent });
    expect((await data(taken)).title).toBe(title);
    expect(await column(U1, folder, 702)).toEqual(['kept.txt']);

    await erase([folder, taken, parent]);
    await U1.put('folders', 'restore', {}, [folder]);
    expect(await column(U1, folder, 702)).toEqual(['kept.txt']);
    await erase([folder], { hardDelete: true });
    expect((await U1.get('folders', 'get', { id: folder, tree: 0 })).code).toBe('FLD-0008');
    expect((await U1.get('infostore', 'get', { id })).code).toBe('IFO-0300');
  });

  const throwAway = async (user: TestUser, ...ids: string[]) =>
    expect((await user.put('folders', 'delete', { timestamp: 9e15, tree: 0 }, ids)).data).toEqual([]);
  const restore = (user: TestUser, id: string) => user.put('folders', 'restore', { tree: 0 }, [id]);

  it.each([
    ['all rights on it', BITS.administrator, (cast: FileFixtures) => cast.U1],
    ['some of its documents', BITS.author, (cast: FileFixtures) => cast.U1],
    ['none of it', BITS.administrator, (cast: FileFixtures) => cast.U2],
  ])('belong to the owner of the trash alone, when another user had %s', async (_what, bits, whose) => {
    const { U1, U2 } = cast;
    const [actor, other] = whose(cast) === U1 ? [U1, U2] : [U2, U1];
    const folder = await createFolder(U1, cast.P1, [[U2.userId, bits]]);
    const below = await createFolder(U1, folder, [[U2.userId, bits]]);
    const id = await upload(U1, below, 'plan.txt');
    const { timestamp } = await other.get('folders', 'updates', { timestamp: 0, columns: '1', tree: 0 });
    await throwAway(actor, folder);
    const own = { entity: actor.userId, group: false, bits: BITS.administrator };
    const owned = {
      permissions: [expect.objectContaining(own)],
      created_by: String(actor.userId),
      own_rights: own.bits,
    };
    for (const each of [folder, below]) expect(await folderOf(actor, each)).toMatchObject(owned);
    expect((await folderOf(actor, folder)).folder_id).toBe(await trashOf(actor));
    const shared = await actor.get('folders', 'shares', { content_type: 'infostore', columns: '1', tree: 0 });
    for (const each of [[folder], [below]]) expect(shared.data).not.toContainEqual(each);

    const { data } = await other.get('folders', 'updates', { timestamp: timestamp!, columns: '1', tree: 0 });
    expect(data).toEqual(expect.arrayContaining([folder, below]));
    for (const each of [folder, below])
      expect((await other.get('folders', 'get', { id: each, tree: 0 })).code).toBe('FLD-0003');
    expect((await tryUpload(other, below, 'late.txt')).code).toBe('IFO-0400');
    expect((await read(other, id)).code).toBe('IFO-0400');

    await restore(actor, folder);
    expect((await folderOf(actor, below)).permissions).toHaveLength(1);
    await throwAway(actor, folder);
    expect((await actor.put('folders', 'clear', {}, [await trashOf(actor)])).data).toEqual([]);
    expect((await actor.get('folders', 'get', { id: folder, tree: 0 })).code).toBe('FLD-0008');
  });

  it('count on from the number of their names, when these are taken', async () => {
    const { U1 } = cast;
    const place = await createFolder(U1, cast.P1);
    const thrown: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      thrown.push(await createFolder(U1, place, [], 'Report'));
      await throwAway(U1, thrown.at(-1)!);
    }
    await createFolder(U1, place, [], 'Report');
    for (const id of thrown) await restore(U1, id);
    const titles = await Promise.all(thrown.map(async (id) => (await folderOf(U1, id)).title));
    expect(titles).toEqual(['Report (1)', 'Report (2)']);
  });

  it.each([
    ['no rights', []],
    ['no right to make folders', [BITS.viewer]],
  ])('return below the own one from where their user has %s any more', async (_what, left) => {
    const { U1, U2, P1 } = cast;
    const { title: home } = await folderOf(U1, P1);
    const place = await createFolder(U1, P1, [[U2.userId, BITS.administrator]], `Plans ${left.length}`);
    const folder = await createFolder(U2, place, [[U1.userId, BITS.administrator]]);
    const id = await upload(U2, folder, 'own.txt');
    await throwAway(U2, folder);
    await restore(U2, folder);
    expect((await folderOf(U2, folder)).folder_id).toBe(place);
    await throwAway(U2, folder);
    const permissions = [
      { entity: U1.userId, group: false, bits: BITS.administrator },
      ...left.map((bits) => ({ entity: U2.userId, group: false, bits })),
    ];
    expect((await update(place, { permissions })).error).toBeUndefined();
    const { data } = await restore(U2, folder);
    const path = data[0].path.map(({ title }: { title: string }) => title);
    expect(path.slice(1, 4)).toEqual([`Plans ${left.length}`, home, (await folderOf(U2, cast.P2)).title]);
    expect(data[0].path[3].id).toBe(cast.P2);
    const below = await U1.get('folders', 'list', { parent: place, columns: '1', tree: 0 });
    expect(below.data).toEqual([]);
    expect((await read(U2, id)).error).toBeUndefined();
  });

  it('return to the public folders, while their user may make folders there', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1, '15');
    const below = await createFolder(U1, folder);
    await throwAway(U1, folder);
    expect((await folderOf(U1, below)).type).toBe(1);
    await restore(U1, folder);
    expect((await folderOf(U1, folder)).folder_id).toBe('15');
    expect((await folderOf(U1, below)).type).toBe(2);
  });

  it('return below folders with slashes in their names', async () => {
    const { U1, P1 } = cast;
    const parent = await createFolder(U1, P1, [], 'a/c');
    const kid = await createFolder(U1, parent, [], 'kid');
    const document = await upload(U1, parent, 'plan.txt');
    await throwAway(U1, kid);
    await remove(U1, [document]);
    expect((await folderOf(U1, kid)).origin).toMatch(/\/a\/c$/);
    const trashed = document.replace(parent, cast.T1);
    expect((await read(U1, trashed)).data.origin).toMatch(/[^/]\/a\/c$/);
    await U1.put('folders', 'delete', { timestamp: 9e15, hardDelete: true }, [parent]);
    const { data } = await restore(U1, kid);
    expect(data[0].path.map(({ title }: { title: string }) => title).slice(0, 2)).toEqual(['kid', 'a/c']);
    expect(data[0].path[2].id).toBe(P1);
    const back = await U1.put('infostore', 'restore', {}, [{ id: trashed, folder: cast.T1 }]);
    expect(back.data[0].path[0]).toMatchObject({ id: data[0].path[1].id, title: 'a/c' });
  });

  const folderOf = async (user: TestUser, id: string) => (await user.get('folders', 'get', { id, tree: 0 })).data;
  const update = (id: string, body: object) => cast.U1.put('folders', 'update', { id, timestamp: 9e15, tree: 0 }, body);

  it("FL-02 hold an own one that is nobody else's", async () => {
    const { U1, P1 } = cast;
    const found = await folderOf(U1, P1);
    expect(found).toMatchObject({ module: 'infostore', standard_folder: true, created_by: String(U1.userId) });
    expect(found.permissions.map(({ entity }: { entity: number }) => entity)).toEqual([U1.userId]);
  });

  it('FL-03 hold a trash from the beginning, which stays', async () => {
    const { U3 } = cast;
    const trash = await trashOf(U3);
    expect(await folderOf(U3, trash)).toMatchObject({ module: 'infostore', type: 16 });
    expect((await all(U3, trash)).data).toEqual([]);
    const renamed = await U3.put('folders', 'update', { id: trash, timestamp: 9e15, tree: 0 }, { title: 'Bin' });
    expect(renamed.code).toMatch(/^FLD-/);
    const before = await folderOf(U3, trash);
    const deleted = await U3.put('folders', 'delete', { timestamp: 9e15, tree: 0, failOnError: true }, [trash]);
    expect(deleted.code).toMatch(/^FLD-/);
    expect(await folderOf(U3, trash)).toEqual(before);
  });

  it('have a trash that cannot be shared, neither by itself nor with the folders above it', async () => {
    const { U2 } = cast;
    const user = await createTestUser(world, cast.admin, cast.contextId, 'tidy');
    const [home, trash] = [await homeOf(user), await trashOf(user)];
    const own = { entity: user.userId, group: false, bits: BITS.administrator };
    const permissions = [own, { entity: U2.userId, group: false, bits: BITS.viewer }];
    const share = (id: string, query: object, body: object = { permissions }) =>
      user.put('folders', 'update', { id, timestamp: 9e15, tree: 0, ...query }, body);
    expect((await share(trash, {})).code).toBe('FLD-0072');
    expect((await share(trash, {}, { permissions: [own] })).code).toBeUndefined();
    const [plain, thrown] = [await createFolder(user, home), await createFolder(user, trash)];
    expect((await share(home, { cascadePermissions: true })).code).toBeUndefined();
    const entitiesOf = async (id: string) =>
      (await folderOf(user, id)).permissions.map(({ entity }: { entity: number }) => entity);
    expect(await entitiesOf(plain)).toEqual(expect.arrayContaining([user.userId, U2.userId]));
    for (const id of [trash, thrown]) expect(await entitiesOf(id)).toEqual([user.userId]);
  });

  it('FL-10 have other names than their neighbours, in any case of letters', async () => {
    const { U1 } = cast;
    const parent = await freshFolder();
    await createFolder(U1, parent, [], 'Photos');
    const body = { title: 'photos', module: 'infostore' };
    expect((await U1.put('folders', 'new', { folder_id: parent, tree: 0 }, body)).code).toBe('FLD-0012');
  });

  it('FL-85 FL-86 stay where they are rather than go below themselves, the own one and the trash always', async () => {
    const { U1, B, P1, T1 } = cast;
    const folder = await freshFolder();
    const below = await createFolder(U1, folder);
    const places = () => Promise.all([folder, below, P1, T1].map(async (id) => (await folderOf(U1, id)).folder_id));
    const before = await places();
    expect((await update(folder, { folder_id: folder })).code).toBe('FLD-0028');
    expect((await update(folder, { folder_id: below })).code).toBe('FLD-0045');
    for (const target of [folder, below]) {
      const moved = await U1.put('infostore', 'move', { folder: target }, [{ folder }]);
      expect(moved.code ?? moved.data).toBeTruthy();
      expect(moved.data ?? [{ folder }]).toEqual([expect.objectContaining({ folder })]);
    }
    for (const kept of [P1, T1]) expect((await update(kept, { folder_id: B })).code).toMatch(/^FLD-/);
    expect(await places()).toEqual(before);
  });
});

describe('list', () => {
  it('FL-55 FL-56 answers in the order asked for, without what is gone', async () => {
    const { U1, U2 } = cast;
    const folder = await freshFolder();
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => upload(U1, folder, name)));
    await remove(U1, [ids[1]!], { hardDelete: true });
    const list = (user: typeof U1, body: unknown) => user.put('infostore', 'list', { columns: '1,702' }, body);
    const named = [...ids].reverse().map((id) => ({ id, folder }));
    expect((await list(U1, named)).data).toEqual([
      [ids[2], 'c'],
      [ids[0], 'a'],
    ]);
    const bare = ids[0]!.split('/')[1];
    expect(columnOf((await list(U1, [{ id: bare, folder }])).data)).toEqual([ids[0]]);
    expect(columnOf((await list(U1, [{ id: bare }])).data)).toEqual([ids[0]]);
    expect((await list(U1, [{ id: bare, folder: cast.A }])).data).toEqual([]);
    expect((await list(U1, [{ id: ids[0], folder: cast.A }])).data).toEqual([]);
    expect(columnOf((await list(U1, [{ id: ids[0] }])).data)).toEqual([ids[0]]);
    expect((await list(U1, [])).data).toEqual([]);
    expect((await list(U1, [{ id: 'nonsense' }, {}])).data).toEqual([]);
    expect((await list(U1, {})).code).toBeDefined();
    // Not shared with who reads its folder: it is in no other.
    expect((await list(U1, [{ id: `10/${bare}`, folder: '10' }, ...named.slice(1)])).data).toEqual([[ids[0], 'a']]);
    expect((await list(U2, [{ id: `10/${bare}`, folder: '10' }])).code).toBe('IFO-0400');
    expect((await list(U2, named)).code).toBe('IFO-0400');
    expect((await U1.put('infostore', 'list', { columns: 'nonsense' }, named)).code).toBe('SVL-0010');
  });
});

describe('updates', () => {
  const updates = (user: FileFixtures['U1'], folder: string, timestamp: number, parameters: object = {}) =>
    user.get('infostore', 'updates', { folder, timestamp, columns: '1,702', ...parameters });

  it('FL-96 FL-97 FL-98 tells what changed, was deleted and moved', async () => {
    const { U1, B } = cast;
    const folder = await freshFolder();
    const [kept, moved, deleted] = [
      await upload(U1, folder, 'kept'),
      await upload(U1, folder, 'moved'),
      await upload(U1, folder, 'deleted'),
    ];
    const first = await updates(U1, folder, 0);
    expect(columnOf(first.data, 1).sort()).toEqual(['deleted', 'kept', 'moved']);
    expect((await updates(U1, folder, first.timestamp!)).data).toEqual([]);
    const inTarget = (await updates(U1, B, 0)).timestamp!;
    await change(U1, kept, { title: 'other' });
    await move(U1, [moved], B);
    await remove(U1, [deleted], { hardDelete: true });
    const second = await updates(U1, folder, first.timestamp!);
    expect(second.data).toEqual([[kept, 'kept'], moved, deleted]);
    expect(second.timestamp).toBeGreaterThan(first.timestamp!);
    expect((await updates(U1, folder, first.timestamp!, { ignore: 'deleted' })).data).toEqual([[kept, 'kept']]);
    expect((await updates(U1, B, inTarget)).data).toEqual([[moved.replace(folder, B), 'moved']]);
    await move(U1, [moved.replace(folder, B)], folder);
    expect((await updates(U1, folder, second.timestamp!)).data).toEqual([[moved, 'moved']]);
    expect((await updates(U1, folder, 0, { columns: 'nonsense' })).code).toBe('SVL-0010');
  });

  it('FL-99 tells everything anew when rights change, and nothing when they are gone', async () => {
    const { U1, U2 } = cast;
    const folder = await freshFolder([[U2.userId, BITS.viewer]]);
    const [theirs, own] = [await upload(U1, folder, 'theirs'), await upload(U1, folder, 'second')];
    const { timestamp } = await updates(U2, folder, 0);
    const setRights = async (bits: number) => {
      const permissions = [
        { entity: U1.userId, group: false, bits: BITS.administrator },
        ...(bits > 0 ? [{ entity: U2.userId, group: false, bits }] : []),
      ];
      const answer = await U1.put('folders', 'update', { id: folder, timestamp: 9e15 }, { permissions });
      expect(answer.code).toBeUndefined();
    };
    const readsOwn = 1 + 128;
    await setRights(readsOwn);
    const { data, timestamp: next } = await updates(U2, folder, timestamp!);
    expect(data.sort()).toEqual([theirs, own].sort());
    await setRights(BITS.viewer);
    expect(columnOf((await updates(U2, folder, next!)).data)).toEqual(expect.arrayContaining([theirs, own]));
    await setRights(0);
    expect((await updates(U2, folder, timestamp!)).code).toBe('IFO-0400');
  });
});

describe('search', () => {
  const find = async (pattern: string, parameters: object = {}, user = cast.U1): Promise<string[]> => {
    const { data, error, code } = await user.put('infostore', 'search', { columns: '702', ...parameters }, { pattern });
    if (!data) throw new Error(`${code} ${error}`);
    return columnOf(data);
  };

  it('FL-100 FL-102 FL-103 FL-104 finds texts with wildcards, anywhere but in the trash', async () => {
    const { U1, U2, T1 } = cast;
    const folder = await freshFolder();
    const below = await createFolder(U1, folder);
    await upload(U1, folder, 'report.q', '1');
    await upload(U1, folder, 'repot.q', '22');
    await upload(U1, below, '100%_Straße.q', '333');
    const trashed = await upload(U1, folder, 'report trashed.q');
    await remove(U1, [trashed]);
    expect(await find('repo?t', { folder })).toEqual(['report.q']);
    expect(await find('repo?t*.q')).toEqual(['report.q']);
    expect(await find('report', { folder: T1 })).toContain('report trashed.q');
    expect(await find('STRAßE', { folder })).toEqual([]);
    expect(await find('STRAßE', { folder, includeSubfolders: true })).toEqual(['100%_Straße.q']);
    expect(await find('%_', { folder, includeSubfolders: true })).toEqual(['100%_Straße.q']);
    expect(await find('report', { folder: cast.P1, includeSubfolders: true })).toEqual(['report.q']);
    expect(await find('report', { folder: T1, includeSubfolders: true })).toContain('report trashed.q');
    expect(await find('', { folder })).toEqual(['report.q', 'repot.q']);
    expect(await find('.q', { sort: 704, order: 'desc', start: 0, end: 1 })).toEqual(['100%_Straße.q', 'repot.q']);
    expect(await find('.q', { sort: 2, limit: 1 })).toHaveLength(1);
    expect(await find('.q', {}, U2)).toEqual([]);
    await upload(U1, below, 'disk.q', '4444', { description: '5*6 on C_\\' });
    expect(await find('C_\\', { folder, includeSubfolders: true })).toEqual(['disk.q']);
    expect(await find('5\\*', { folder, includeSubfolders: true })).toEqual(['disk.q']);
    expect((await U1.put('infostore', 'search', { start: 2, end: 1 }, {})).code).toBe('SVL-0010');
    expect((await U2.put('infostore', 'search', { folder }, {})).code).toBe('IFO-0400');
  });

  it('finds composed and decomposed accents by either', async () => {
    const folder = await freshFolder();
    await upload(cast.U1, folder, 'été.txt'.normalize('NFD'));
    for (const form of ['NFC', 'NFD'])
      expect(await find('Été'.normalize(form), { folder })).toEqual(['été.txt'.normalize('NFC')]);
  });

  it('has the branches of roots below them, and what is shared by itself where it is seen', async () => {
    const { U1, U2, U3, P1 } = cast;
    const [home, open] = [await createFolder(U1, P1), await createFolder(U1, '15', [[U2.userId, BITS.viewer]])];
    await upload(U1, P1, 'home.r58', '1');
    const one = await upload(U1, await createFolder(U1, home), 'deep.r58', '22');
    await upload(U1, open, 'open.r58', '333');
    const trashed = await upload(U1, home, 'gone.r58');
    for (const id of [one, trashed])
      await change(U1, id, { object_permissions: [{ entity: U2.userId, group: false, bits: 1 }] });
    await remove(U1, [trashed]);
    const below = (folder: string, user = U1) =>
      find('.r58', { folder, includeSubfolders: true, sort: 702, order: 'asc' }, user);
    expect(await below('10')).toEqual(['deep.r58', 'home.r58']);
    expect(await below('15')).toEqual(['open.r58']);
    expect(await below('9')).toEqual(['deep.r58', 'home.r58', 'open.r58']);
    expect(await find('.r58', { sort: 702, order: 'asc' })).toEqual(['deep.r58', 'home.r58', 'open.r58']);
    expect(await below('10', U2)).toEqual(['deep.r58']);
    expect(await below('15', U2)).toEqual(['open.r58']);
    expect(await below('9', U2)).toEqual(['deep.r58', 'open.r58']);
    for (const folder of ['9', '10', '15']) expect(await below(folder, U3)).toEqual([]);
    // The folders themselves hold nothing but what is shared by itself.
    for (const folder of ['9', '10', '15']) expect(await find('.r58', { folder })).toEqual([]);
    expect(await find('.r58', { folder: '10' }, U2)).toEqual(['deep.r58']);
  });

  it('FL-101 needs as many characters as are set', async () => {
    await configure('com.example.minimumSearchCharacters', '3');
    expect((await cast.U1.put('infostore', 'search', { columns: '1' }, { pattern: 'x*?' })).code).toBe('IFO-0602');
    expect(await find('xyz')).toEqual([]);
    await resetProperty('com.example.minimumSearchCharacters');
  });
});

describe('checkname', () => {
  it.each([
    ['plain.txt', undefined],
    ['com10', undefined],
    ['', 'SVL-0010'],
    ['a|b', 'FILE_STORAGE-0065'],
    ['COM9', 'FILE_STORAGE-0066'],
    ['.', 'FILE_STORAGE-0067'],
    ['...', 'FILE_STORAGE-0068'],
    ['end ', 'FILE_STORAGE-0068'],
    ['\ttab', undefined],
  ])('FL-41 to FL-44 says of %j: %s', async (name, code) => {
    const answer = await cast.U1.get('infostore', 'checkname', { name });
    expect(answer.code).toBe(code);
    if (!code) expect(answer.data).toEqual({});
  });

  it('names each bad character once', async () => {
    const answer = await cast.U1.get('infostore', 'checkname', { name: 'a|b|c?' });
    expect(answer.error_params![0]).toBe('|,?');
    expect((await cast.U1.get('infostore', 'checkname')).code).toBe('SVL-0002');
  });
});

describe('a document that is shared by itself', () => {
  const share = (user: FileFixtures['U1'], id: string, permissions: object[]) =>
    change(user, id, { object_permissions: permissions });
  const shared = async (user: FileFixtures['U1'], parameters: object = {}) =>
    columnOf((await all(user, '10', '1,20', { ...parameters })).data);

  it('FL-58 FL-119 FL-120 is seen and written in folder 10', async () => {
    const { U1, U2, U3, A } = cast;
    const id = await upload(U1, A, 'one.txt', 'text');
    const there = id.replace(A, '10');
    expect(await shared(U2)).not.toContain(there);
    const start = (await U2.get('infostore', 'updates', { folder: '10', columns: '1' })).timestamp!;
    await share(U1, id, [{ entity: U2.userId, group: false, bits: 1 }]);
    expect(await shared(U2)).toContain(there);
    expect(await shared(U1)).not.toContain(there);
    expect((await all(U2, A)).code).toBe('IFO-0400');
    expect(await dataOf(U2, id)).toMatchObject({ id: there, folder_id: '10', shareable: false });
    expect((await U2.put('infostore', 'list', { columns: '1' }, [{ id: there, folder: '10' }])).data).toEqual([
      [there],
    ]);
    expect((await U2.put('infostore', 'list', { columns: '1' }, [{ id, folder: A }])).code).toBe('IFO-0400');
    expect((await U2.put('infostore', 'search', { folder: '10', columns: '1' }, { pattern: 'one' })).data).toEqual([
      [there],
    ]);
    expect((await change(U2, there, { title: 'x' })).code).toBe('IFO-0403');
    await share(U1, id, [{ entity: U2.userId, group: false, bits: 2 }]);
    expect((await change(U2, there, { title: 'theirs' })).data).toBe(there);
    expect((await share(U2, there, [])).code).toBe('IFO-0403');
    expect((await remove(U2, [there])).code).toBe('IFO-0445');
    expect((await move(U2, [there], cast.P2)).code).toBe('IFO-0421');
    expect((await U3.get('infostore', 'get', { id, folder: A })).code).toBe('IFO-0400');
    expect((await U1.get('infostore', 'shares', { columns: '1' })).data).toContainEqual([id]);
    const { data, timestamp } = await U2.get('infostore', 'updates', { folder: '10', timestamp: start, columns: '1' });
    expect(data).toEqual([[there]]);
    expect((await share(U1, id, [])).data).toBe(id);
    const gone = await U2.get('infostore', 'updates', { folder: '10', timestamp, columns: '1' });
    expect(gone.data).toEqual([there]);
    expect(gone.timestamp).toBeGreaterThan(timestamp!);
    expect(await shared(U2)).not.toContain(there);
    expect((await U1.get('infostore', 'shares', { columns: '1' })).data).not.toContainEqual([id]);
  });

  it('FL-118 is that of members of a group, and of nobody after it is deleted', async () => {
    const { U1, U2, A, team } = cast;
    const id = await upload(U1, A, 'team.txt');
    const there = id.replace(A, '10');
    await share(U1, id, [{ entity: team, group: true, bits: 1 }]);
    expect(await shared(U2, { sort: 3 })).toContain(there);
    expect((await dataOf(U1, id)).object_permissions).toEqual([{ entity: team, group: true, bits: 1 }]);
    const copy = await U1.put('infostore', 'copy', { id }, {});
    expect(await dataOf(U1, copy.data)).not.toHaveProperty('object_permissions');
    await remove(U1, [id], { hardDelete: true });
    expect(await shared(U2)).not.toContain(there);
  });

  it('FL-118 is told by updates to who joins a group, and to who leaves it', async () => {
    const { U1, A } = cast;
    const user = await createTestUser(world, cast.admin, cast.contextId, 'joining');
    const groups = `/admin/v1/contexts/${cast.contextId}/groups`;
    const group = await cast.admin.expect('POST', groups, { name: 'joined', displayName: 'G', members: [] });
    const id = await upload(U1, A, 'of the group.txt');
    const there = id.replace(A, '10');
    await share(U1, id, [{ entity: group.id, group: true, bits: 1 }]);
    const own = await upload(U1, A, 'of the user.txt');
    await share(U1, own, [{ entity: user.userId, group: false, bits: 1 }]);
    const updates = (timestamp: number) =>
      user.get<unknown[]>('infostore', 'updates', { folder: '10', timestamp, columns: '1' });
    const told = async (since: number, expected: unknown[]): Promise<number> => {
      await until(async () => (await updates(since)).data!.length > 0);
      const { data, timestamp } = await updates(since);
      expect(data).toEqual(expected);
      expect((await updates(timestamp!)).data).toEqual([]);
      return timestamp!;
    };
    const { data, timestamp } = await all(user, '10');
    expect(data).toEqual([[own.replace(A, '10')]]);
    await cast.admin.expect('PUT', `${groups}/${group.id}/members/${user.userId}`);
    const joined = await told(timestamp!, [[there]]);
    await cast.admin.expect('DELETE', `${groups}/${group.id}/members/${user.userId}`);
    await told(joined, [there]);
  });

  it.each([
    [
      'more than allowed',
      'IFO-2108',
      () => Array.from({ length: 101 }, (_none, index) => ({ entity: 90_000 + index })),
    ],
    ['an unknown entity', 'IFO-2100', () => [{ entity: 99_999, bits: 1 }]],
    ['all guests', 'IFO-2107', () => [{ entity: 2_147_483_647, group: true, bits: 1 }]],
    ['a right that documents have not', 'IFO-2104', () => [{ entity: cast.U2.userId, bits: 4 }]],
  ])('FL-121 FL-122 is not shared with %s', async (_what, code, permissions) => {
    const { U1, A } = cast;
    const id = await upload(U1, A, 'not shared.txt');
    expect((await share(U1, id, permissions())).code).toBe(code);
    expect((await tryUpload(U1, A, 'new.txt', 'x', { object_permissions: permissions() })).code).toBe(code);
    expect(await dataOf(U1, id)).not.toHaveProperty('object_permissions');
  });
});

describe('a user of another context with the same number', () => {
  it('FL-123 sees nothing of what is shared with that number here', async () => {
    const { U1, U2, U3, UB, X1 } = cast;
    const twin = [U1, U2, U3, UB].find(({ userId }) => userId === X1.userId)!;
    const owner = twin === U1 ? U2 : U1;
    const id = await upload(owner, owner === U1 ? cast.P1 : cast.P2, 'for one.txt');
    await change(owner, id, { object_permissions: [{ entity: twin.userId, group: false, bits: 1 }] });
    const seen = `10/${id.split('/')[1]}`;
    expect(await column(twin, '10', 1)).toContain(seen);
    expect(await column(X1, '10', 1)).toEqual([]);
    for (const name of [id, seen]) expect((await read(X1, name)).code).toBe('IFO-0300');
    const list = await X1.put('infostore', 'list', { columns: '1' }, [{ id: seen, folder: '10' }]);
    expect(list.data).toEqual([]);
  });
});

describe('the number of documents', () => {
  it('is limited, and told with its limit', async () => {
    const { U1, A } = cast;
    const usage = async (): Promise<any> => (await U1.get('quota', 'get', { module: 'infostore', account: '0' })).data;
    const before = await usage();
    await upload(U1, A, 'counted');
    expect(await usage()).toEqual({
      ...{ account_id: '0', account_name: 'Documents', countquota: -1, countuse: before.countuse + 1 },
    });
    await configure('com.example.quota.infostore', '0');
    expect((await tryUpload(U1, A, 'one too many')).code).toBe('QUOTA-0003');
    expect((await tryCreate(U1, { folder_id: A, title: 'T' })).code).toBe('QUOTA-0003');
    expect(await usage()).toMatchObject({ countquota: 0, countuse: before.countuse + 1 });
    await resetProperty('com.example.quota.infostore');
  });
});
