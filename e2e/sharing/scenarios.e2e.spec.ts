import { unzipped } from '../attachments/zip';
import type { Client, Envelope } from '../client';
import {
  addVersion,
  all as documentsOf,
  change,
  createFileFixtures,
  createFolder,
  dataOf,
  download,
  homeOf,
  move,
  post,
  remove as removeDocuments,
  toForm,
  tryUpload,
  upload,
  type FileFixtures,
} from '../files/files';
import { createFixtures, createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { ALL, AUTHOR, get, made, read, update, VIEWER } from '../folders/folders';
import { LOGIN_ATTEMPTS_PER_NAME } from '@groupware/contracts';
import { until } from '@groupware/test-kit';
import { Redis } from 'ioredis';
import { keepOutOfLogs } from '../secrets';
import { startTestEnvironment, type LocalTestEnvironment } from '../test-environment';
import { calendarOf, entriesOf, invite, linkOf, shared, shareOf, Visitor } from './sharing';

let world: LocalTestEnvironment;
let cast: FileFixtures;
let U1: TestUser;
let U2: TestUser;
let count = 0;
const visitor = (): Visitor => new Visitor(world.publicUrl, `Scenario/${(count += 1)}`);
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `sh${(count += 1)}`);
const address = (): string => `sh${(count += 1)}@out.example`;
const userPath = (user: TestUser): string => `/admin/v1/contexts/${user.contextId}/users/${user.userId}`;
const DAY = 86_400_000;
const FAR = 9_000_000_000_000;

beforeAll(async () => {
  world = await startTestEnvironment({ properties: {} });
  cast = await createFileFixtures(world);
  ({ U1, U2 } = cast);
}, 120_000);
afterAll(() => world?.close());

/** A call of `share/management`. */
const SM = (user: Client, action: string, body: unknown, query: Record<string, string | number> = {}) =>
  user.put('share/management', action, query, body);
const filesFolder = (user: TestUser = U1, ...rights: (readonly [number, number])[]): Promise<string> =>
  createFolder(user, user === U2 ? cast.P2 : cast.P1, rights);
const target = (folder: string, module = 'infostore') => ({ module, folder });
const typesOf = async (user: TestUser, folder: string) => (await entriesOf(user, folder)).map(({ type }) => type);
const extendedOf = async (user: TestUser, folder: string, query = {}): Promise<Record<string, any>[]> =>
  (await read(user, folder, query))['com.openexchange.share.extendedPermissions'];
const statusOf = async (url: string): Promise<number> => (await visitor().open(url)).status;
const isRefused = { error: expect.any(String), code: expect.any(String) };
const isOut = async (guest: Client): Promise<boolean> =>
  (await guest.get('folders', 'root', { columns: '1' })).code === 'SES-0203';
/** A guest invited to a folder of U1, logged in. */
async function guestIn(folder: string, bits = VIEWER): Promise<Visitor & { userId: number }> {
  const email = address();
  expect((await invite(U1, folder, email, { bits })).error).toBeUndefined();
  const { token } = await shareOf(U1, folder, email);
  const guest = visitor();
  const { user_id } = await guest.enter('guest', { share: token });
  return Object.assign(guest, { userId: user_id as number });
}

describe('links', () => {
  it('SH-01 a link to a folder with folders below is new, and has no end', async () => {
    const F = await filesFolder();
    await createFolder(U1, F);
    const { data } = await SM(U1, 'getLink', target(F));
    expect(data).toMatchObject({ includeSubfolders: false, is_new: true });
    expect(data).not.toHaveProperty('expiry_date');
  });

  it('SH-02 ten calls at once make one link with one guest', async () => {
    const F = await filesFolder();
    // 1000 for the full size.
    const length = Number(process.env.E2E_RACING_LINKS ?? 10);
    const links = await Promise.all(Array.from({ length }, () => linkOf(U1, F, 'infostore')));
    expect(new Set(links.map(({ url }) => url)).size).toBe(1);
    expect(links.filter(({ is_new }) => is_new)).toHaveLength(1);
    expect((await typesOf(U1, F)).filter((type) => type === 'anonymous')).toHaveLength(1);
  }, 300_000);

  it('SH-04 files is another name of infostore', async () => {
    const F = await filesFolder();
    const { url } = await linkOf(U1, F, 'files');
    expect(await linkOf(U1, F, 'infostore')).toMatchObject({ url, is_new: false });
  });

  it('SH-05 without a target nothing is made', async () => {
    const F = await filesFolder();
    for (const body of [{ folder: F }, [], {}, { module: 'infostore' }])
      expect(await SM(U1, 'getLink', body)).toMatchObject(isRefused);
    const response = await U1.fetch('PUT', '/share/management', { action: 'getLink', session: U1.session });
    expect(await response.json()).toMatchObject(isRefused);
    expect(await typesOf(U1, F)).toEqual(['user']);
  });

  it('SH-06 public roots, the trash and the root of somebody else have no link', async () => {
    for (const [user, folder] of [
      [U1, '15'],
      [U1, '10'],
      [U1, cast.T1],
      [U1, cast.P2],
    ] as const)
      expect(await SM(user, 'getLink', target(folder))).toMatchObject(isRefused);
    expect(await typesOf(U1, cast.T1)).toEqual(['user']);
    expect(await typesOf(U2, cast.P2)).not.toContain('anonymous');
  });

  it('folders and documents below the trash are shared with no others, whatever the way', async () => {
    const below = await createFolder(U1, cast.T1);
    const deep = await createFolder(U1, below);
    const D = await upload(U1, below, 'thrown.txt');
    const [open, other] = [await filesFolder(), await filesFolder()];
    const outside = await upload(U1, open, 'kept.txt');
    const invited = await guestIn(open);
    const code = 'FLD-0072';
    for (const wanted of [target(cast.T1), target(below), target(deep), { ...target(below), item: D }])
      expect(await SM(U1, 'getLink', wanted)).toMatchObject({ code });
    for (const { bits, ...entry } of [
      { type: 'anonymous', bits: [VIEWER, 1] },
      { type: 'guest', email_address: address(), bits: [VIEWER, 1] },
      { entity: invited.userId, group: false, bits: [VIEWER, 1] },
      { entity: U2.userId, group: false, bits: [VIEWER, 1] },
      { entity: 0, group: true, bits: [VIEWER, 1] },
    ]) {
      const permissions = shared(U1, { ...entry, bits: bits[0]! } as never);
      for (const parent of [cast.T1, below]) {
        const body = { title: `N ${Math.random()}`, module: 'infostore', permissions };
        expect(await U1.put('folders', 'new', { folder_id: parent, tree: 0 }, body)).toMatchObject({ code });
      }
      for (const folder of [below, deep]) expect(await update(U1, folder, { permissions })).toMatchObject({ code });
      expect(await update(U1, other, { permissions, folder_id: below }, { timestamp: FAR })).toMatchObject({ code });
      const object_permissions = [{ ...entry, bits: bits[1]! }];
      for (const folder of [cast.T1, below])
        expect(await tryUpload(U1, folder, 'new.txt', 'new', { object_permissions })).toMatchObject({ code });
      expect(await change(U1, D, { object_permissions })).toMatchObject({ code });
      expect(await change(U1, outside, { object_permissions, folder_id: below })).toMatchObject({ code });
    }
    for (const folder of [cast.T1, below, deep]) expect(await typesOf(U1, folder)).toEqual(['user']);
    expect((await documentsOf(U1, below)).data).toEqual([[D]]);
    expect((await dataOf(U1, D)).object_permissions ?? []).toEqual([]);
    // Other changes go on.
    expect((await update(U1, below, { title: 'thrown', permissions: shared(U1) })).error).toBeUndefined();
    expect((await change(U1, D, { title: 'thrown', object_permissions: [] })).error).toBeUndefined();
  });

  it('SH-07 the own personal folder has one', async () => {
    const user = await someone();
    const { data } = await user.get('folders', 'list', { parent: '10', columns: '1', tree: '0' });
    const link = await linkOf(user, String(data[0][0]), 'infostore');
    expect(link.is_new).toBe(true);
  });

  it('SH-08 a link shows the folder to no user', async () => {
    const C = await calendarOf(U1);
    await linkOf(U1, C);
    expect(await get(U2, C)).toMatchObject({ code: 'FLD-0003' });
  });

  it('SH-09 no link has an empty pin', async () => {
    const F = await filesFolder();
    const { timestamp, url } = await linkOf(U1, F, 'infostore');
    expect(await SM(U1, 'updateLink', { ...target(F), password: '' }, { timestamp })).toMatchObject(isRefused);
    expect((await visitor().open(url)).session).not.toBe('');
  });

  it('SH-10, SH-72 a link that ended yesterday is dead at once, and shown with its end', async () => {
    const F = await filesFolder();
    const { timestamp, url, entity } = await linkOf(U1, F, 'infostore');
    const yesterday = Date.now() - DAY;
    const changed = await SM(U1, 'updateLink', { ...target(F), expiry_date: yesterday }, { timestamp });
    expect(changed.error).toBeUndefined();
    const late = await visitor().open(url);
    expect([late.status, late.facts.get('code'), late.session]).toEqual([404, 'SHR-0002', '']);
    expect(await extendedOf(U1, F)).toContainEqual(
      expect.objectContaining({ entity, type: 'anonymous', expiry_date: yesterday }),
    );
  });

  it('SH-11 the end is in the zone of the request, else in that of the user', async () => {
    const { UB } = cast;
    const C = await calendarOf(UB);
    const { timestamp } = await linkOf(UB, C);
    const E = Date.UTC(2035, 0, 15, 12);
    const body = { ...target(C, 'calendar'), expiry_date: E };
    expect((await SM(UB, 'updateLink', body, { timestamp, timezone: 'Europe/Berlin' })).error).toBeUndefined();
    const endIn = async (query: Record<string, string>) =>
      (await SM(UB, 'getLink', target(C, 'calendar'), query)).data.expiry_date;
    expect(await endIn({ timezone: 'Europe/Berlin' })).toBe(E);
    expect(await endIn({})).toBe(E);
    expect(await endIn({ timezone: 'UTC' })).toBe(E - 3_600_000);
    expect(await SM(UB, 'getLink', target(C, 'calendar'), { timezone: 'Nowhere/At_All' })).toMatchObject({
      code: 'FLD-0058',
    });
    const ends = async (query: Record<string, string>) =>
      (await extendedOf(UB, C, query)).flatMap(({ expiry_date }) => expiry_date ?? []);
    expect([await ends({}), await ends({ timezone: 'UTC' })]).toEqual([[E], [E - 3_600_000]]);
  });

  it('SH-12 another end leaves the pin', async () => {
    const F = await filesFolder();
    const { timestamp, url } = await linkOf(U1, F, 'infostore');
    const first = await SM(U1, 'updateLink', { ...target(F), password: 'pin that stays' }, { timestamp });
    const expiry_date = Date.now() + DAY;
    await SM(U1, 'updateLink', { ...target(F), expiry_date }, { timestamp: first.timestamp! });
    const guest = await visitor().open(url);
    expect([guest.session, guest.facts.get('login_type')]).toEqual(['', 'anonymous_password']);
    expect((await SM(U1, 'getLink', target(F))).data).toMatchObject({ password: 'pin that stays', expiry_date });
  });

  it('tell their pin to who shares the folder, and to nobody else', async () => {
    const F = await filesFolder(U1, [U2.userId, VIEWER]);
    const { timestamp, entity } = await linkOf(U1, F, 'infostore');
    const password = 'pin that is told';
    await SM(U1, 'updateLink', { ...target(F), password }, { timestamp });
    const entryOf = async (user: TestUser) => (await extendedOf(user, F)).find((entry) => entry.entity === entity);
    expect(await entryOf(U1)).toMatchObject({ password, share_url: expect.any(String) });
    for (const field of ['password', 'share_url']) expect(await entryOf(U2)).not.toHaveProperty(field);
    expect(await SM(U2, 'getLink', target(F))).toMatchObject({ code: 'SHR-0008' });
    await SM(U1, 'updateLink', { ...target(F), password: null }, { timestamp: FAR });
    expect((await SM(U1, 'getLink', target(F))).data).not.toHaveProperty('password');
    expect(await entryOf(U1)).not.toHaveProperty('password');
  });

  it('SH-13 a pin of 5000 characters is too long, one of emoji works', async () => {
    const F = await filesFolder();
    const { timestamp, token } = await linkOf(U1, F, 'infostore');
    const long = await SM(U1, 'updateLink', { ...target(F), password: 'x'.repeat(5_000) }, { timestamp });
    expect(long).toMatchObject(isRefused);
    const password = '🔑🚪🌻🔑🚪🌻';
    expect((await SM(U1, 'updateLink', { ...target(F), password }, { timestamp })).error).toBeUndefined();
    expect(await visitor().enter('anonymous', { share: token, password: '🔑' })).toMatchObject({ code: 'LGI-0025' });
    expect(await visitor().enter('anonymous', { share: token, password })).toHaveProperty('session');
  });

  it('SH-14 a link whose folder got another name since is not deleted', async () => {
    const F = await filesFolder();
    const { timestamp } = await linkOf(U1, F, 'infostore');
    const { timestamp: t2 } = await SM(U1, 'updateLink', { ...target(F), password: 'another pin' }, { timestamp });
    await update(U1, F, { title: `renamed ${(count += 1)}` }, { timestamp: FAR });
    expect(await SM(U1, 'deleteLink', target(F), { timestamp: t2! })).toMatchObject({ code: 'SHR-0006' });
  });

  it('SH-15 beyond the quota of links none is made, and the others can be had', async () => {
    const user = await someone();
    await cast.admin.expect('PUT', `${userPath(user)}/config/com.example.quota.share_links`, { value: 2 });
    const folders = [await calendarOf(user), await calendarOf(user), await calendarOf(user)];
    const { url } = await linkOf(user, folders[0]!);
    await linkOf(user, folders[1]!);
    expect(await SM(user, 'getLink', target(folders[2]!, 'calendar'))).toMatchObject({ code: 'QUOTA-0003' });
    expect(await typesOf(user, folders[2]!)).toEqual(['user']);
    expect(await linkOf(user, folders[0]!)).toMatchObject({ url, is_new: false });
  });

  it('SH-16 who may not make links any more keeps those there are', async () => {
    const user = await someone();
    const C = await calendarOf(user);
    const { url } = await linkOf(user, C);
    await cast.admin.expect('PATCH', userPath(user), { capabilities: { remove: ['share_links'] } });
    expect(await SM(user, 'getLink', target(C, 'calendar'))).toMatchObject({ code: 'SVL-0016' });
    expect(await statusOf(url)).toBe(302);
  });

  it('SH-17 a second administrator has the same link and may delete it', async () => {
    const F = await filesFolder(U1, [U2.userId, ALL]);
    const { url } = await linkOf(U1, F, 'infostore');
    const own = await linkOf(U2, F, 'infostore');
    expect([own.url, own.is_new]).toEqual([url, false]);
    expect((await SM(U2, 'deleteLink', target(F), { timestamp: own.timestamp })).error).toBeUndefined();
    expect(await statusOf(url)).toBe(404);
  });

  it('SH-18 a folder that moves to the public ones is open to no more by its link', async () => {
    const F = await filesFolder();
    const common = await createFolder(U1, '15');
    const neighbour = await createFolder(U1, common);
    const { url } = await linkOf(U1, F, 'infostore');
    const moved = await update(U1, F, { folder_id: common }, { timestamp: FAR });
    expect(moved.error).toBeUndefined();
    const guest = await visitor().open(url);
    expect(guest.status).toBe(302);
    for (const folder of [common, neighbour]) expect(await documentsOf(guest, folder)).toMatchObject(isRefused);
    expect((await documentsOf(guest, F)).data).toEqual([]);
  });

  it('SH-19 a task is not shared by itself', async () => {
    const T = await made(U1, { module: 'tasks' });
    expect(await SM(U1, 'getLink', { ...target(T, 'tasks'), item: '5' })).toMatchObject({ code: 'SHR-0012' });
  });
});

describe('links to documents', () => {
  const target = (folder: string, item: string) => ({ module: 'infostore', folder, item });
  /** A document of U1 in a folder of its own. */
  async function documentOf(bytes: string | Uint8Array = 'shared', name = 'D.txt', file_mimetype = 'text/plain') {
    const F = await filesFolder();
    return { F, D: await upload(U1, F, name, bytes, { file_mimetype }) };
  }
  /** The link of a document, which there must be. */
  async function documentLink(F: string, item: string) {
    const { data, timestamp, ...rest } = await SM(U1, 'getLink', target(F, item));
    if (!data) throw new Error(JSON.stringify(rest));
    keepOutOfLogs(String(data.url).split('/').at(-2));
    return { ...data, timestamp: timestamp! } as { url: string; entity: number; is_new: boolean; timestamp: number };
  }

  it('SH-03 are the same by number and by id', async () => {
    const { F, D } = await documentOf();
    const number = D.split('/')[1]!;
    const { url, is_new } = await documentLink(F, number);
    expect(is_new).toBe(true);
    expect(await documentLink(F, D)).toMatchObject({ url, is_new: false });
    const links = await Promise.all([1, 2, 3].map(() => documentLink(F, D)));
    expect(new Set(links.map((link) => link.url))).toEqual(new Set([url]));
    expect(await SM(U1, 'getLink', target(cast.A, number))).toMatchObject({ code: 'IFO-0300' });
    expect(await SM(U1, 'getLink', target(U1.folder, number))).toMatchObject({ code: 'IFO-0302' });
    expect(await SM(U2, 'getLink', target(F, D))).toMatchObject({ code: 'IFO-0400' });
    expect((await dataOf(U1, D)).object_permissions).toEqual([expect.objectContaining({ bits: 1, group: false })]);
  });

  it('open the document and nothing beside it', async () => {
    const { F, D } = await documentOf('first');
    expect((await addVersion(U1, D, 'second')).error).toBeUndefined();
    const other = await upload(U1, F, 'other.txt');
    const { url, entity } = await documentLink(F, D);
    const guest = await visitor().open(url);
    const shown = `10/${D.split('/')[1]}`;
    expect(Object.fromEntries(guest.facts)).toMatchObject({
      m: 'infostore',
      f: '10',
      i: shown,
      user_id: String(entity),
    });
    expect((await documentsOf(guest, '10')).data).toEqual([[shown]]);
    expect(await (await download(guest, shown)).text()).toBe('second');
    expect(await (await download(guest, shown, { version: 1 })).text()).toContain('IFO-0400');
    expect((await guest.get('infostore', 'versions', { id: shown, columns: '705,710' })).data).toEqual([['2', true]]);
    expect((await dataOf(guest, shown)).number_of_versions).toBe(1);
    expect(await documentsOf(guest, F)).toMatchObject(isRefused);
    expect(await (await download(guest, `10/${other.split('/')[1]}`)).text()).toContain('IFO-0400');
    expect(await addVersion(guest, shown, 'by a guest')).toMatchObject(isRefused);
    const entered = await visitor().enter('anonymous', { share: url.split('/').at(-2)! });
    expect(entered).toMatchObject({ module: 'infostore', folder: '10', item: shown });
  });

  it('follow a move, and end with deleteLink, rights and the trash together with their sessions', async () => {
    const { F, D } = await documentOf();
    const first = await documentLink(F, D);
    await move(U1, [D], cast.B);
    const moved = `${cast.B}/${D.split('/')[1]}`;
    const { url, timestamp } = await documentLink(cast.B, moved);
    expect(url).toBe(first.url);
    const guest = await visitor().open(url);
    expect(await SM(U1, 'deleteLink', target(cast.B, moved), { timestamp: timestamp - 1 })).toMatchObject({
      code: 'SHR-0006',
    });
    expect((await SM(U1, 'deleteLink', target(cast.B, moved), { timestamp })).error).toBeUndefined();
    expect(await guest.get('infostore', 'all', { folder: '10', columns: '1' })).toMatchObject({ code: 'SES-0203' });
    expect(await statusOf(url)).toBe(404);
    expect(await SM(U1, 'deleteLink', target(cast.B, moved), { timestamp: FAR })).toMatchObject({ code: 'SHR-0003' });
    const ends = [
      () => change(U1, moved, { object_permissions: [] }),
      () => removeDocuments(U1, [moved], { hardDelete: false }),
    ];
    for (const end of ends) {
      const link = await documentLink(cast.B, moved);
      const visiting = await visitor().open(link.url);
      expect(visiting.session).not.toBe('');
      expect((await end()).error).toBeUndefined();
      expect(await isOut(visiting)).toBe(true);
      expect(await statusOf(link.url)).toBe(404);
    }
    const trashed = `${cast.T1}/${D.split('/')[1]}`;
    expect(await SM(U1, 'getLink', target(cast.T1, trashed))).toMatchObject({ code: 'FLD-0072' });
  });

  it.each<[string, (F: string, D: string) => Promise<Envelope>]>([
    ['a list of rights without them', (_F, D) => change(U1, D, { object_permissions: [] })],
    ['the end of their document in the trash', (_F, D) => removeDocuments(U1, [D], { hardDelete: false })],
    ['the end of their document', (_F, D) => removeDocuments(U1, [D], { hardDelete: true })],
    ['a move into a public folder', async (_F, D) => move(U1, [D], await createFolder(U1, '15'))],
    [
      'the move of their document alone',
      async (F, id) => U1.get('infostore', 'move', { id, folder: await createFolder(U1, '15'), timestamp: FAR }),
    ],
    ['an update that moves', async (_F, D) => change(U1, D, { folder_id: await createFolder(U1, '15') })],
    ['the end of their folder', (F) => U1.put('folders', 'delete', { timestamp: FAR, hardDelete: true }, [F])],
    ['their folder in the trash', (F) => U1.put('folders', 'delete', { timestamp: FAR, hardDelete: false }, [F])],
    ['a move of their folder into the trash', (F) => update(U1, F, { folder_id: cast.T1 }, { timestamp: FAR })],
    ['an empty folder', (F) => U1.put('folders', 'clear', { hardDelete: true }, [F])],
    ['a folder emptied into the trash', (F) => U1.put('folders', 'clear', { hardDelete: false }, [F])],
  ])('end with %s before it is answered, with the sessions of guests who saw nothing else', async (_how, end) => {
    const { F, D } = await documentOf();
    const { url } = await documentLink(F, D);
    const email = address();
    const { object_permissions: known } = await dataOf(U1, D);
    const entry = { type: 'guest', email_address: email, bits: 1 };
    expect((await change(U1, D, { object_permissions: [...known, entry] })).error).toBeUndefined();
    const extended = (await dataOf(U1, D))['com.openexchange.share.extendedObjectPermissions'] as Record<string, any>[];
    const share = String(extended.find(({ type }) => type === 'guest')!.share_url)
      .split('/')
      .at(-2)!;
    keepOutOfLogs(share);
    const named = visitor();
    await named.enter('guest', { share });
    const guest = await visitor().open(url);
    expect([await isOut(guest), await isOut(named)]).toEqual([false, false]);
    expect((await end(F, D)).error).toBeUndefined();
    expect([await isOut(guest), await isOut(named)]).toEqual([true, true]);
    expect(await statusOf(url)).toBe(404);
  });

  it('end with the folder around them in the trash, as its own do, and stay ended', async () => {
    const { F, D } = await documentOf();
    const below = await createFolder(U1, F);
    const deep = await upload(U1, below, 'deep.txt');
    const links = [await documentLink(F, D), await documentLink(below, deep), await linkOf(U1, F, 'infostore')];
    await change(U1, deep, { object_permissions: [{ entity: U2.userId, bits: 1 }] });
    const guest = await visitor().open(links[0]!.url);
    const named = await guestIn(below);
    expect((await update(U1, below, { permissions: shared(U1, [U2, VIEWER]) })).error).toBeUndefined();
    const trashed = await U1.put('folders', 'delete', { timestamp: FAR, hardDelete: false }, [F]);
    expect(trashed.data).toEqual([]);
    for (const each of [guest, named]) expect(await isOut(each)).toBe(true);
    for (const { url } of links) expect(await statusOf(url)).toBe(404);
    expect(await dataOf(U2, `10/${deep.split('/')[1]}`).catch(String)).toMatch(/IFO-0400/);
    expect(await get(U2, below)).toMatchObject({ code: 'FLD-0003' });
    expect((await U1.put('folders', 'restore', {}, [F])).error).toBeUndefined();
    for (const { url } of links) expect(await statusOf(url)).toBe(404);
    expect(await typesOf(U1, below)).toEqual(['user']);
    expect((await dataOf(U1, D)).object_permissions ?? []).toEqual([]);
  });

  it('come with copies, as with new ones', async () => {
    const { F, D } = await documentOf();
    await documentLink(F, D);
    const email = address();
    const entries = [
      { type: 'anonymous', bits: 1, password: 'pin of the copy' },
      { type: 'guest', email_address: email, bits: 2 },
      { entity: U2.userId, bits: 1 },
    ];
    const copies = [
      await U1.put('infostore', 'copy', { id: D }, { object_permissions: entries }),
      await U1.put('infostore', 'copy', { id: D }, { object_permissions: entries, folder_id: cast.B }),
      await post(
        U1,
        'copy',
        { id: D },
        toForm({ object_permissions: entries, folder_id: F }, { name: 'copy.txt', bytes: 'other bytes' }),
      ),
    ];
    const links = new Set<string>([(await documentLink(F, D)).url]);
    for (const { data: copy, error } of copies) {
      expect(error).toBeUndefined();
      const extended = (await dataOf(U1, copy))['com.openexchange.share.extendedObjectPermissions'] as any[];
      expect(extended.map(({ type, bits }) => [type, bits]).sort()).toEqual([
        ['anonymous', 1],
        ['guest', 2],
        ['user', 1],
      ]);
      const [folder] = String(copy).split('/');
      const { url, is_new } = await documentLink(folder!, copy);
      expect(is_new).toBe(false);
      expect((await visitor().open(url)).facts.get('login_type')).toBe('anonymous_password');
      links.add(url);
    }
    expect(links.size).toBe(1 + copies.length);
    const before = (await documentsOf(U1, F)).data;
    for (const [object_permissions, code] of [
      [[{ type: 'anonymous', bits: 2 }], 'IFO-2104'],
      [[{ type: 'guest', bits: 1, email_address: 'no address' }], 'SHR-0005'],
      [
        [
          { type: 'anonymous', bits: 1 },
          { entity: 99_999_999, bits: 1 },
        ],
        'IFO-2100',
      ],
    ] as const)
      expect(await U1.put('infostore', 'copy', { id: D }, { object_permissions })).toMatchObject({ code });
    const elsewhere = { object_permissions: entries, folder_id: cast.T1 };
    expect(await U1.put('infostore', 'copy', { id: D }, elsewhere)).toMatchObject({ code: 'FLD-0072' });
    expect(await U2.put('infostore', 'copy', { id: D }, { object_permissions: entries })).toMatchObject(isRefused);
    expect((await documentsOf(U1, F)).data).toEqual(before);
  });

  it('are one of each document: a second entry in the same permissions is refused', async () => {
    const { F, D } = await documentOf();
    const object_permissions = [
      { type: 'anonymous', bits: 1 },
      { type: 'anonymous', bits: 1, password: 'another' },
    ];
    const code = 'IFO-2100';
    expect(await change(U1, D, { object_permissions })).toMatchObject({ code });
    expect(await tryUpload(U1, F, 'two.txt', 'two', { object_permissions })).toMatchObject({ code });
    expect(await U1.put('infostore', 'copy', { id: D }, { object_permissions })).toMatchObject({ code });
    expect((await documentsOf(U1, F)).data).toEqual([[D]]);
    expect((await documentLink(F, D)).is_new).toBe(true);
  });

  it('SH-49 are told with their address to who shares, in the column of extended permissions', async () => {
    const { F, D } = await documentOf();
    await change(U1, D, { object_permissions: [{ entity: U2.userId, bits: 1 }] });
    const { url, entity } = await documentLink(F, D);
    const name = 'com.openexchange.share.extendedObjectPermissions';
    const rowsOf = async (user: TestUser, action: string, query: Record<string, string>) =>
      (await user.get<any[][]>('infostore', action, { columns: '1,7010', ...query })).data!.filter(([id]) =>
        id.endsWith(`/${D.split('/')[1]}`),
      );
    const own = [
      expect.objectContaining({ entity: U2.userId, type: 'user', bits: 1, display_name: expect.any(String) }),
      expect.objectContaining({ entity, type: 'anonymous', bits: 1 }),
    ];
    const told = await rowsOf(U1, 'shares', {});
    expect(told).toEqual([[D, expect.arrayContaining(own)]]);
    expect(told[0]![1]).toContainEqual(expect.objectContaining({ entity, share_url: url }));
    expect((await dataOf(U1, D))[name]).toContainEqual(expect.objectContaining({ entity, share_url: url }));
    for (const action of ['all', 'updates']) {
      const rows = await rowsOf(U1, action, { folder: F, timestamp: '0' });
      expect(rows).toEqual([[D, expect.arrayContaining(own)]]);
      expect(JSON.stringify(rows)).not.toContain('share_url');
    }
    const shown = `10/${D.split('/')[1]}`;
    expect(await rowsOf(U2, 'all', { folder: '10' })).toEqual([[shown, null]]);
    expect(await dataOf(U2, shown)).not.toHaveProperty([name]);
  });

  it('are made by their permissions, with a pin, beside guests who are invited', async () => {
    const { F, D } = await documentOf();
    const email = address();
    const user = await someone();
    const expiry_date = Date.now() + DAY;
    const object_permissions = [
      { type: 'anonymous', bits: 1, password: 'pin of an entry', expiry_date },
      { type: 'guest', email_address: email, display_name: 'G', bits: 2, contact_id: '7', contact_folder: '31' },
      { type: 'guest', email_address: user.email.toUpperCase(), bits: 1 },
    ];
    expect((await change(U1, D, { object_permissions })).error).toBeUndefined();
    const extended = (await dataOf(U1, D))['com.openexchange.share.extendedObjectPermissions'] as any[];
    expect(extended.map(({ type, bits }) => [type, bits]).sort()).toEqual([
      ['anonymous', 1],
      ['guest', 2],
      ['user', 1],
    ]);
    const { url, entity, is_new } = await documentLink(F, D);
    expect((await SM(U1, 'getLink', target(F, D))).data.expiry_date).toBe(expiry_date);
    expect([is_new, extended.find(({ type }) => type === 'anonymous').entity]).toEqual([false, entity]);
    expect((await visitor().open(url)).facts.get('login_type')).toBe('anonymous_password');
    expect(extended.find(({ type }) => type === 'anonymous').password).toBe('pin of an entry');
    const invited = extended.find(({ type }) => type === 'guest');
    expect(invited).toMatchObject({ contact_id: '7', contact_folder: '31', contact: { email1: email } });
    expect(extended.find(({ type }) => type === 'user').contact).toMatchObject({ email1: user.email });
    const token = String(invited.share_url).split('/').at(-2)!;
    keepOutOfLogs(token);
    const guest = visitor();
    await guest.enter('guest', { share: token });
    expect((await documentsOf(guest, '10')).data).toEqual([[`10/${D.split('/')[1]}`]]);
    // Whom else it is shared with is not told.
    expect((await dataOf(guest, `10/${D.split('/')[1]}`)).object_permissions).toEqual([
      { entity: invited.entity, group: false, bits: 2 },
    ]);
    const known = extended.map(({ entity: id, bits }) => ({ entity: id, bits }));
    expect((await change(U1, D, { object_permissions: known })).error).toBeUndefined();
    expect((await change(U1, D, { object_permissions: [] })).error).toBeUndefined();
    expect(await statusOf(url)).toBe(404);
    for (const [entry, code] of [
      [{ type: 'anonymous', bits: 2 }, 'IFO-2104'],
      [{ type: 'guest', bits: 1 }, 'IFO-2100'],
      [{ type: 'guest', bits: 1, email_address: email, contact_folder: '31' }, 'IFO-2100'],
      [{ type: 'guest', bits: 1, email_address: 'no address' }, 'SHR-0005'],
    ] as const)
      expect((await change(U1, D, { object_permissions: [entry] })).code).toBe(code);
    expect((await change(U2, D, { object_permissions })).code).toMatch(/^IFO-040/);
  });

  it('are made with new documents, with their pin and end', async () => {
    const F = await filesFolder();
    const end = Date.now() + DAY;
    const anonymous = { type: 'anonymous', bits: 1 };
    const make = (...object_permissions: object[]) =>
      tryUpload(U1, F, `new ${Math.random()}.txt`, 'new', { object_permissions });
    const first = await make({ ...anonymous, password: 'pin of the new', expiry_date: end });
    expect(first.error).toBeUndefined();
    const { data, timestamp } = await SM(U1, 'getLink', target(F, first.data));
    expect(data).toMatchObject({ is_new: false, password: 'pin of the new', expiry_date: end });
    expect(timestamp).toBe(first.timestamp ?? timestamp);
    const guest = visitor();
    const token = String(data.url).split('/').at(-2)!;
    keepOutOfLogs(token);
    await guest.enter('anonymous', { share: token, password: 'pin of the new' });
    expect((await documentsOf(guest, '10')).data).toEqual([[`10/${first.data.split('/')[1]}`]]);
    const bare = { folder_id: F, filename: 'bare.txt', object_permissions: [anonymous] };
    const second = await U1.put('infostore', 'new', {}, bare);
    expect((await documentLink(F, second.data)).entity).not.toBe(data.entity);
    for (const [entries, code] of [
      [[{ ...anonymous, bits: 2 }], 'IFO-2104'],
      [[anonymous, { entity: 999_999, bits: 1 }], 'IFO-2100'],
      [[{ entity: data.entity, bits: 1 }], 'IFO-2100'],
    ] as const)
      expect((await make(...entries)).code).toBe(code);
    // A version of a document has no link of its own.
    const again = { object_permissions: [anonymous] };
    const versioned = await tryUpload(U1, F, 'bare.txt', 'v', again, { try_add_version: true });
    expect(versioned.code).toBe('IFO-2100');
  });

  it('get the pin and end that a list of rights tells, in the zone of the request', async () => {
    const { F, D } = await documentOf();
    const { url, entity } = await documentLink(F, D);
    const end = Date.UTC(2035, 0, 15, 12);
    const kept = { entity };
    const write = async (entry: object, query: Record<string, string> = {}) => {
      const written = await change(U1, D, { object_permissions: [{ bits: 1, ...entry }] }, query);
      expect(written.error).toBeUndefined();
      const { data, timestamp } = await SM(U1, 'getLink', target(F, D), { timezone: 'UTC' });
      expect(data).toMatchObject({ url, entity, is_new: false });
      if (entry !== kept) expect(timestamp).toBe(written.timestamp);
      return [data.password, data.expiry_date];
    };
    const guest = await visitor().open(url);
    const asNew = { type: 'anonymous', password: 'secret 1', expiry_date: end + 5.5 * 3_600_000 };
    expect(await write(asNew, { timezone: 'Asia/Kolkata' })).toEqual(['secret 1', end]);
    expect(await isOut(guest)).toBe(true);
    const next = visitor();
    await next.enter('anonymous', { share: url.split('/').at(-2)!, password: 'secret 1' });
    expect(await write(asNew, { timezone: 'Asia/Kolkata' })).toEqual(['secret 1', end]);
    expect(await write(kept)).toEqual(['secret 1', end]);
    expect(await write({ type: 'anonymous' })).toEqual(['secret 1', end]);
    // As it is already: the guest stays.
    expect((await documentsOf(next, '10')).data).toHaveLength(1);
    const endIn = async (timezone: string) =>
      (await dataOf(U1, D, { timezone }))['com.openexchange.share.extendedObjectPermissions'][0].expiry_date;
    expect([await endIn('UTC'), await endIn('Asia/Kolkata')]).toEqual([end, end + 5.5 * 3_600_000]);
    expect(await write({ entity, type: 'anonymous', expiry_date: end + DAY })).toEqual(['secret 1', end + DAY]);
    expect(await write({ entity, group: false, password: 'secret 2' })).toEqual(['secret 2', end + DAY]);
    const none = { entity, type: 'anonymous', password: null, expiry_date: null };
    expect(await write(none)).toEqual([undefined, undefined]);
    expect((await visitor().open(url)).session).not.toBe('');
    const unknown = await change(U1, D, { object_permissions: [none] }, { timezone: 'Nowhere/At_All' });
    expect(unknown.code).toBe('SVL-0010');
  });

  it('keep their pin where a list of rights is refused, or comes from who may not make links', async () => {
    const player = await someone();
    const F = await createFolder(player, await homeOf(player));
    const D = await upload(player, F, 'D.txt');
    const { data } = await SM(player, 'getLink', target(F, D));
    keepOutOfLogs(String(data.url).split('/').at(-2));
    const known = { entity: data.entity, bits: 1, password: 'secret' };
    const list = async (...object_permissions: object[]) => (await change(player, D, { object_permissions })).code;
    const stranger = { entity: 99_999_999, bits: 1 };
    expect(await list({ type: 'anonymous', bits: 1, password: 'secret' }, stranger)).toBe('IFO-2100');
    expect(await list(known, stranger)).toBe('IFO-2100');
    expect((await SM(player, 'getLink', target(F, D))).data).not.toHaveProperty('password');
    await cast.admin.expect('PATCH', userPath(player), { capabilities: { remove: ['share_links'] } });
    expect(await list(known)).toBe('FLD-0072');
    expect(await list({ ...known, password: undefined })).toBeUndefined();
  });

  it('give their guests no rights elsewhere, and none to write', async () => {
    const { F, D } = await documentOf();
    const other = await upload(U1, F, 'other.txt');
    const { entity, url } = await documentLink(F, D);
    const code = async (id: string, bits: number) =>
      (await change(U1, id, { object_permissions: [{ entity, bits }] })).code;
    expect([await code(other, 1), await code(D, 2), await code(D, 1)]).toEqual(['IFO-2100', 'IFO-2104', undefined]);
    expect(await statusOf(url)).toBe(302);
  });

  it('SH-65 answer a picture inline at once, without a session', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const { F, D } = await documentOf(png, 'D.png', 'image/png');
    const { url, timestamp } = await documentLink(F, D);
    const bytesOf = async (query: Record<string, string>, headers: Record<string, string> = {}) => {
      const response = await visitor().fetch('GET', new URL(url).pathname, query, { headers });
      expect(response.headers.getSetCookie()).toEqual([]);
      const { status } = response;
      return { status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const shown = await bytesOf({ delivery: 'view' });
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(shown.headers.get('content-disposition')).toMatch(/^inline/);
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
    expect(shown.bytes.equals(png)).toBe(true);
    const saved = await bytesOf({ dl: 'true' });
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment/);
    await SM(U1, 'updateLink', { ...target(F, D), password: 'pin of a picture' }, { timestamp });
    const basic = (password: string) => ({ authorization: `Basic ${btoa(`anybody:${password}`)}` });
    const asked = await bytesOf({ dl: '1' });
    expect([asked.status, asked.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic /)]);
    expect((await bytesOf({ dl: '1' }, basic('another pin'))).status).toBe(401);
    expect((await bytesOf({ dl: '1' }, basic('pin of a picture'))).bytes.equals(png)).toBe(true);
  });

  it('have a pin and an end', async () => {
    const { F, D } = await documentOf();
    const { url, timestamp } = await documentLink(F, D);
    const guest = await visitor().open(url);
    const change = { ...target(F, D), password: 'pin of a document' };
    const pinned = await SM(U1, 'updateLink', change, { timestamp });
    expect(pinned.error).toBeUndefined();
    expect(await guest.get('infostore', 'all', { folder: '10', columns: '1' })).toMatchObject({ code: 'SES-0203' });
    expect((await visitor().open(url)).facts.get('login_type')).toBe('anonymous_password');
    const expiry_date = Date.now() - DAY;
    await SM(U1, 'updateLink', { ...target(F, D), expiry_date }, { timestamp: pinned.timestamp! });
    expect(await statusOf(url)).toBe(404);
  });
});

describe('named guests', () => {
  const guestEntry = (email_address: string, fields: object = {}) => ({
    ...{ type: 'guest', email_address, bits: VIEWER, ...fields },
  });

  it('SH-23 have an entity, a name and no password', async () => {
    const F = await filesFolder();
    const email = address();
    await invite(U1, F, email, { display_name: 'G' });
    const entry = (await extendedOf(U1, F)).find(({ type }) => type === 'guest')!;
    expect(entry).toMatchObject({ bits: VIEWER, display_name: 'G' });
    expect(entry.entity).toBeGreaterThan(0);
    expect(entry).not.toHaveProperty('password');
  });

  it('SH-25 the alias of a user is that user', async () => {
    const F = await filesFolder();
    const user = await someone();
    const alias = address();
    await cast.admin.expect('PATCH', userPath(user), { aliases: [user.email, alias] });
    expect((await invite(U1, F, alias)).error).toBeUndefined();
    expect(await entriesOf(U1, F)).toContainEqual(
      expect.objectContaining({ entity: user.userId, type: 'user', bits: VIEWER }),
    );
  });

  it('SH-26 who invites the own address stays administrator', async () => {
    const F = await filesFolder();
    await invite(U1, F, U1.email);
    expect(await entriesOf(U1, F)).toEqual([expect.objectContaining({ entity: U1.userId, bits: ALL })]);
  });

  it('SH-27 write documents of their own, which the files of the user who shares pay for', async () => {
    const F = await filesFolder();
    const guest = await guestIn(F, AUTHOR);
    const usedBytes = async (): Promise<number> => (await U1.get('quota', 'filestore')).data.use;
    const before = await usedBytes();
    const D = await upload(guest, F, 'by a guest.txt', 'x'.repeat(1_000));
    expect(await dataOf(U1, D)).toMatchObject({ created_by: String(guest.userId) });
    await until(async () => (await usedBytes()) === before + 1_000);
    expect((await removeDocuments(guest, [D], { hardDelete: false })).error).toBeUndefined();
    expect((await documentsOf(guest, F)).data).toEqual([]);
    expect((await documentsOf(U1, cast.T1)).data).toContainEqual([`${cast.T1}/${D.split('/')[1]}`]);
  });

  it('SH-28 are no groups, and no members of groups', async () => {
    const F = await filesFolder();
    const email = address();
    await invite(U1, F, email);
    const { entity } = await shareOf(U1, F, email);
    const permissions = shared(U1, { entity, bits: VIEWER, group: true });
    expect(await update(U1, F, { permissions })).toMatchObject({ code: 'FLD-0044' });
    const editor = await someone();
    await cast.admin.expect('PATCH', userPath(editor), { capabilities: { add: ['edit_group'] } });
    const { data, timestamp } = await editor.get('group', 'get', { id: cast.team });
    const members = [...(data as { members: number[] }).members, entity];
    expect(await editor.put('group', 'update', { id: cast.team, timestamp: timestamp! }, { members })).toMatchObject({
      code: 'GRP-0016',
    });
  });

  it('SH-29 stand once in a list, however often they are named', async () => {
    const F = await filesFolder();
    const email = address();
    await update(U1, F, { permissions: [...shared(U1), guestEntry(email), guestEntry(email.toUpperCase())] });
    expect((await typesOf(U1, F)).filter((type) => type === 'guest').length).toBeLessThanOrEqual(1);
  });

  it('SH-29 stand once in the list of a folder, whichever administrator invites them again', async () => {
    const F = await filesFolder(U1, [U2.userId, ALL]);
    const email = address();
    const both = shared(U1, [U2, ALL]);
    await update(U1, F, { permissions: [...both, guestEntry(email, { display_name: 'First' })] });
    const { entity, url } = await shareOf(U1, F, email);
    const entry = { entity, bits: VIEWER, group: false };
    const again = guestEntry(email.toUpperCase(), { display_name: 'Second', bits: AUTHOR });
    for (const permissions of [
      [...both, entry, again],
      [...both, again],
    ]) {
      expect((await update(U2, F, { permissions })).error).toBeUndefined();
      const listed = (await entriesOf(U1, F)).filter(({ type }) => type === 'guest');
      expect(listed).toEqual([expect.objectContaining({ entity, bits: AUTHOR, display_name: 'First' })]);
    }
    expect(await statusOf(url)).toBe(302);
    // With the entry the other administrator gave it away, too.
    expect((await update(U2, F, { permissions: both })).error).toBeUndefined();
    await until(async () => (await statusOf(url)) === 404);
  });

  it('SH-29 stand once among those who see a document', async () => {
    const F = await filesFolder(U1, [U2.userId, ALL]);
    const D = await upload(U1, F, 'd.txt');
    const email = address();
    expect((await change(U1, D, { object_permissions: [guestEntry(email, { bits: 1 })] })).error).toBeUndefined();
    const [{ entity }] = (await dataOf(U1, D)).object_permissions;
    const again = { object_permissions: [{ entity, bits: 1, group: false }, guestEntry(email, { bits: 2 })] };
    expect((await change(U2, D, again)).error).toBeUndefined();
    expect((await dataOf(U1, D)).object_permissions).toEqual([expect.objectContaining({ entity, bits: 2 })]);
  });

  it('SH-30 beyond their quota the folder stays as it is', async () => {
    const user = await someone();
    await cast.admin.expect('PUT', `${userPath(user)}/config/com.example.quota.invite_guests`, { value: 1 });
    const C = await calendarOf(user);
    const before = await read(user, C);
    const permissions = [...shared(user, [U2, VIEWER]), guestEntry(address()), guestEntry(address())];
    expect(await update(user, C, { permissions })).toMatchObject({ code: 'QUOTA-0003' });
    expect(await read(user, C)).toEqual(before);
  });

  it('SH-34 are found by nobody who looks for users', async () => {
    const F = await filesFolder();
    const email = address();
    await invite(U1, F, email, { display_name: 'Hidden Guest' });
    const { entity } = await shareOf(U1, F, email);
    expect(await U2.put('user', 'list', { columns: '1' }, [entity])).toMatchObject(isRefused);
    for (const pattern of ['Hidden Guest', email]) {
      const { data } = await U2.put('user', 'search', { columns: '1,500' }, { pattern });
      expect(data).toEqual([]);
    }
  });

  it('SH-34 are named among users to who invited them', async () => {
    const F = await filesFolder();
    const guest = await guestIn(F, AUTHOR);
    const D = await upload(guest, F, 'by a guest.txt');
    const { created_by } = await dataOf(U1, D);
    const email = (await guest.get('user', 'get')).data.email1 as string;
    const told = { display_name: 'Gina Guest', last_name: 'Guest', note: 'private' };
    const { last_modified_utc: timestamp } = (await guest.get('user', 'get')).data;
    expect((await guest.put('user', 'update', { id: guest.userId, timestamp }, told)).error).toBeUndefined();
    const ids = [U1.userId, created_by, U2.userId];
    const rows = await U1.put('user', 'list', { columns: '1,500,502,555,518' }, ids);
    expect(rows.data.map(([id]: [string]) => id)).toEqual(ids.map(String));
    expect(rows.data[1]).toEqual([created_by, 'Gina Guest', 'Guest', email, null]);
    expect(await U1.get('user', 'get', { id: created_by })).toMatchObject({
      data: { id: created_by, display_name: 'Gina Guest', email1: email, guest_created_by: U1.userId },
    });
    expect((await U1.get('user', 'get', { id: created_by })).data).not.toHaveProperty('note');
    expect((await U1.get('user', 'all', { columns: '1' })).data).not.toContainEqual([created_by]);
    for (const answer of [
      await U2.put('user', 'list', { columns: '1' }, ids),
      await U2.get('user', 'get', { id: created_by }),
    ])
      expect(answer).toMatchObject({ code: 'USR-0010' });
    const link = await linkOf(U1, F, 'infostore');
    expect(await U1.get('user', 'get', { id: String(link.entity) })).toMatchObject({ code: 'USR-0010' });
  });

  it('SH-35 stay when a user gets their address later', async () => {
    const F = await filesFolder();
    const email = address();
    await invite(U1, F, email);
    const { entity, url } = await shareOf(U1, F, email);
    const user = await someone();
    await cast.admin.expect('PATCH', userPath(user), { aliases: [user.email, email] });
    expect((await update(U1, F, { title: `kept ${(count += 1)}` }, { timestamp: FAR })).error).toBeUndefined();
    expect(await entriesOf(U1, F)).toContainEqual(expect.objectContaining({ entity, type: 'guest' }));
    expect(await statusOf(url)).toBe(302);
  });
});

describe('permission lists', () => {
  it('SH-36 another title leaves links and guests', async () => {
    const F = await filesFolder();
    const email = address();
    await invite(U1, F, email);
    const { url } = await linkOf(U1, F, 'infostore');
    const before = await entriesOf(U1, F);
    await update(U1, F, { title: `title ${(count += 1)}` }, { timestamp: FAR });
    expect(await entriesOf(U1, F)).toEqual(before);
    expect(before.map(({ type }) => type).sort()).toEqual(['anonymous', 'guest', 'user']);
    expect(await statusOf(url)).toBe(302);
  });

  it('SH-37 a list without the link ends it, whoever made it', async () => {
    const F = await filesFolder(U1, [U2.userId, ALL]);
    const { url } = await linkOf(U1, F, 'infostore');
    const written = await update(U2, F, { permissions: shared(U1, [U2, ALL]) }, { timestamp: FAR });
    expect(written.error).toBeUndefined();
    const guest = await visitor().open(url);
    expect([guest.status, guest.facts.get('code')]).toEqual([404, 'SHR-0002']);
  });

  it('SH-38 the end of a link is in the extended column, not among the bits', async () => {
    const F = await filesFolder();
    const expiry_date = Date.now() + DAY;
    const link = { type: 'anonymous', bits: VIEWER, expiry_date };
    expect((await update(U1, F, { permissions: [...shared(U1), link] })).error).toBeUndefined();
    const { data } = await U1.get('folders', 'list', { parent: cast.P1, columns: '1,306,3060', all: 1 });
    const [, simple, extended] = data.find(([id]: [string]) => id === F);
    expect(extended).toContainEqual(expect.objectContaining({ type: 'anonymous', expiry_date }));
    expect(simple).toHaveLength(2);
    expect(JSON.stringify(simple)).not.toContain('expiry_date');
  });

  it('SH-39 a guest who is gone is unknown', async () => {
    const F = await filesFolder();
    const { entity, timestamp } = await linkOf(U1, F, 'infostore');
    await SM(U1, 'deleteLink', target(F), { timestamp });
    const permissions = shared(U1, { entity, bits: VIEWER, group: false });
    expect(await update(U1, F, { permissions })).toMatchObject({ code: 'FLD-0044' });
  });

  it('SH-40 folders below that another user administrates are skipped, with a warning', async () => {
    // Personal folders have their owner among the administrators.
    const F = await createFolder(U1, '15', [[U2.userId, ALL]]);
    const below = await made(U2, { module: 'infostore', permissions: shared(U2, [U1, VIEWER]) }, F);
    const own = await made(U1, { module: 'infostore' }, F);
    const before = await entriesOf(U2, below);
    const permissions = shared(U1, [U2, ALL], [cast.UB, VIEWER]);
    const written = await update(U1, F, { permissions }, { cascadePermissions: true, timestamp: FAR });
    expect(written).toMatchObject({ data: F, warnings: { code: 'FLD-0010', error_params: [below] } });
    for (const folder of [F, own])
      expect(await entriesOf(U1, folder)).toContainEqual(expect.objectContaining({ entity: cast.UB.userId }));
    expect(await entriesOf(U2, below)).toEqual(before);
  });

  it('SH-41 who is taken from a branch is gone from all of it', async () => {
    const F = await filesFolder(U1, [U2.userId, VIEWER]);
    const below = await made(U1, { module: 'infostore' }, F);
    const deep = await made(U1, { module: 'infostore' }, below);
    expect(await entriesOf(U1, deep)).toHaveLength(2);
    await update(U1, F, { permissions: shared(U1) }, { cascadePermissions: true, timestamp: FAR });
    for (const folder of [F, below, deep])
      expect(await entriesOf(U1, folder)).toEqual([expect.objectContaining({ entity: U1.userId })]);
  });

  it('SH-42 a new folder below has the users of its parent, not the link', async () => {
    const F = await filesFolder(U1, [U2.userId, VIEWER]);
    await linkOf(U1, F, 'infostore');
    const below = await made(U1, { module: 'infostore' }, F);
    const rights = new Map((await entriesOf(U1, below)).map(({ entity, bits }) => [entity, bits]));
    expect(rights).toEqual(
      new Map([
        [U1.userId, ALL],
        [U2.userId, VIEWER],
      ]),
    );
  });

  it('SH-01, SH-42 a link to a branch opens it, with folders to come, as long as it says so', async () => {
    const F = await filesFolder();
    const [below, beside] = [await createFolder(U1, F), await filesFolder()];
    const deep = await createFolder(U1, below);
    const D = await upload(U1, deep, 'deep.txt', 'deep');
    const { url, entity } = await linkOf(U1, F, 'infostore');
    const branch = async (includeSubfolders: boolean) => {
      const changed = await SM(U1, 'updateLink', { ...target(F), includeSubfolders }, { timestamp: FAR });
      expect(changed.error).toBeUndefined();
      const { data, timestamp } = await SM(U1, 'getLink', target(F));
      expect([data.includeSubfolders, timestamp]).toEqual([includeSubfolders, changed.timestamp]);
    };
    const guest = await visitor().open(url);
    /** Which of the folders the guest reads. */
    const open = async (...folders: string[]) => {
      const codes = await Promise.all(folders.map(async (folder) => (await documentsOf(guest, folder)).code));
      return folders.filter((_folder, index) => codes[index] === undefined);
    };
    expect(await open(F, below, deep, beside)).toEqual([F]);

    await branch(true);
    const later = await made(U1, { module: 'infostore' }, deep);
    expect(await open(F, below, deep, later, beside)).toEqual([F, below, deep, later]);
    expect(await (await download(guest, D)).text()).toBe('deep');
    expect((await extendedOf(U1, deep)).find((entry) => entry.entity === entity)).toMatchObject({ isInherited: true });
    expect((await extendedOf(U1, F)).find((entry) => entry.entity === entity)).not.toHaveProperty('isInherited');
    const own = await linkOf(U1, below, 'infostore');
    expect([own.is_new, own.entity === entity]).toEqual([true, false]);
    await update(U1, F, { permissions: await entriesOf(U1, F) }, { cascadePermissions: true, timestamp: FAR });
    expect((await visitor().open(own.url)).status).toBe(302);
    expect(await open(F, below, deep, later)).toHaveLength(4);

    await update(U1, later, { folder_id: beside }, { timestamp: FAR });
    expect(await open(F, below, deep, later)).toEqual([F, below, deep]);
    await update(U1, deep, { folder_id: F }, { timestamp: FAR });
    expect(await open(F, below, deep)).toHaveLength(3);

    await branch(false);
    expect(await open(F, below, deep, await made(U1, { module: 'infostore' }, F))).toEqual([F]);
    await branch(true);
    const { timestamp } = await linkOf(U1, F, 'infostore');
    expect((await SM(U1, 'deleteLink', target(F), { timestamp })).error).toBeUndefined();
    expect(await statusOf(url)).toBe(404);
    for (const folder of [F, below, deep])
      expect((await entriesOf(U1, folder)).filter((entry) => entry.entity === entity)).toEqual([]);
  });

  it('SH-37 a list without a link to a branch ends it in all of it; documents have no branch', async () => {
    const F = await filesFolder();
    const below = await createFolder(U1, F);
    const D = await upload(U1, F, 'leaf.txt');
    const { url, entity } = await linkOf(U1, F, 'infostore');
    await SM(U1, 'updateLink', { ...target(F), includeSubfolders: true }, { timestamp: FAR });
    const guest = await visitor().open(url);
    expect((await documentsOf(guest, below)).data).toEqual([]);
    await update(U1, F, { permissions: shared(U1) }, { timestamp: FAR });
    expect((await entriesOf(U1, below)).filter((entry) => entry.entity === entity)).toEqual([]);
    expect(await statusOf(url)).toBe(404);
    expect(await isOut(guest)).toBe(true);
    const item = { ...target(F), item: D };
    await SM(U1, 'getLink', item);
    expect(await SM(U1, 'updateLink', { ...item, includeSubfolders: true }, { timestamp: FAR })).toMatchObject({
      code: 'SVL-0031',
    });
  });

  it('SH-43, SH-71 a guest of a document sees it in folder 10 alone', async () => {
    const guest = await guestIn(await filesFolder());
    const F = await filesFolder();
    const [D, other] = [await upload(U1, F, 'd.txt'), await upload(U1, F, 'other.txt')];
    const object_permissions = [{ entity: guest.userId, bits: 1 }];
    expect((await change(U1, D, { object_permissions })).error).toBeUndefined();
    const shown = `10/${D.split('/')[1]}`;
    expect((await documentsOf(guest, '10', '1')).data).toEqual([[shown]]);
    expect(await documentsOf(guest, F)).toMatchObject(isRefused);
    const bytesOf = async (id: string) => {
      const response = await download(guest, id);
      return [response.status, await response.text()];
    };
    expect(await bytesOf(shown)).toEqual([200, 'd.txt']);
    const [status, text] = await bytesOf(`10/${other.split('/')[1]}`);
    expect(status === 200 && text === 'other.txt').toBe(false);
    expect(await addVersion(guest, shown, 'mine')).toMatchObject(isRefused);
  });

  it('one who may write elsewhere has no former version by copy, archive or switch', async () => {
    const own = await filesFolder();
    const guest = await guestIn(own, AUTHOR);
    const D = await upload(U1, await filesFolder(), 'v.txt', 'withdrawn draft');
    await addVersion(U1, D, 'final');
    await change(U1, D, { object_permissions: [{ entity: guest.userId, bits: 2 }] });
    const shown = `10/${D.split('/')[1]}`;
    const copied = (version: string) =>
      guest.put('infostore', 'copy', { id: shown, version, timestamp: FAR }, { folder_id: own });
    expect(await copied('1')).toMatchObject({ code: 'IFO-0400' });
    expect((await copied('2')).error).toBeUndefined();
    expect(await change(guest, shown, { version: '1' })).toMatchObject({ code: 'IFO-0400' });
    const packed = (version?: string) =>
      guest.fetch(
        'PUT',
        '/infostore',
        { action: 'zipdocuments', session: guest.session },
        { body: JSON.stringify([{ id: shown, folder: '10', version }]) },
      );
    expect(await (await packed('1')).text()).toContain('IFO-0400');
    expect(Object.values(unzipped(Buffer.from(await (await packed('2')).arrayBuffer())))).toEqual(['final']);
    expect(await (await download(U1, D)).text()).toBe('final');
  });

  it('SH-44 one who may write it uploads a version, and neither deletes nor moves it', async () => {
    const [own, F] = [await filesFolder(), await filesFolder()];
    const guest = await guestIn(own);
    const D = await upload(U1, F, 'w.txt');
    await change(U1, D, { object_permissions: [{ entity: guest.userId, bits: 2 }] });
    const shown = `10/${D.split('/')[1]}`;
    expect((await addVersion(guest, shown, 'second')).error).toBeUndefined();
    expect(await (await download(U1, D)).text()).toBe('second');
    const removed = await removeDocuments(guest, [shown]);
    expect(removed.error ?? removed.data).not.toEqual([]);
    await move(guest, [shown], own);
    expect((await dataOf(U1, D)).folder_id).toBe(F);
  });
});

describe('lists', () => {
  const sharesOf = (user: TestUser, content_type: string | undefined) =>
    user.get('folders', 'shares', { content_type, columns: '1' });

  it('SH-45, SH-46 are empty for who shares nothing, and have what a group sees', async () => {
    const user = await someone();
    expect((await sharesOf(user, 'calendar')).data).toEqual([]);
    const C = await calendarOf(user);
    const permissions = shared(user, { entity: cast.team, bits: VIEWER, group: true });
    await update(user, C, { permissions });
    expect((await sharesOf(user, 'calendar')).data).toEqual([[C]]);
  });

  it('SH-47 need a module, and have nothing of mail', async () => {
    expect(await sharesOf(U1, undefined)).toMatchObject({ code: 'SVL-0002' });
    const mail = await sharesOf(U1, 'mail');
    expect(mail.error ?? mail.data).toEqual(mail.error ? expect.any(String) : []);
  });

  it('SH-48 have no document of the trash', async () => {
    const user = await someone();
    const home = String((await user.get('folders', 'list', { parent: '10', columns: '1', tree: '0' })).data[0][0]);
    const F = await createFolder(user, home);
    const D = await upload(user, F, 's.txt', 's', { object_permissions: [{ entity: U2.userId, bits: 1 }] });
    const listed = async () => (await user.get('infostore', 'shares', { columns: '1' })).data;
    expect(await listed()).toEqual([[D]]);
    expect((await removeDocuments(user, [D], { hardDelete: false })).error).toBeUndefined();
    expect(await listed()).toEqual([]);
  });
});

describe('opening', () => {
  it('SH-52, SH-53 shows the shared folder and the own data, and stores nothing on the way', async () => {
    const F = await filesFolder();
    const { url, entity } = await linkOf(U1, F, 'infostore');
    const response = await visitor().fetch('GET', new URL(url).pathname);
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toMatch(/#!&session=[0-9a-f]{32}&/);
    expect(response.headers.get('cache-control')).toContain('no-store');
    // No page, so nothing of elsewhere that would learn the address.
    expect(await response.text()).toBe('');
    for (const cookie of response.headers.getSetCookie()) expect(cookie).toMatch(/httponly/i);
    const guest = await visitor().open(url);
    expect(Object.fromEntries(guest.facts)).toMatchObject({
      ...{ session: expect.any(String), user_id: String(entity), context_id: String(cast.contextId) },
      ...{ store: 'true', m: 'infostore', f: F },
    });
    expect((await guest.get('folders', 'root', { columns: '1' })).error).toBeUndefined();
    expect((await guest.get('user', 'get', {})).data).toMatchObject({ id: String(entity), user_id: entity });
    expect(await guest.get('contacts', 'all', { folder: '6', columns: '1' })).toMatchObject(isRefused);
    expect(await guest.get('mail', 'all', { folder: 'default0/INBOX', columns: '600' })).toMatchObject(isRefused);
  });

  it('SH-55 a user and a guest work side by side in one browser', async () => {
    const C = await calendarOf(U1);
    const { url } = await linkOf(U1, C);
    const browser = visitor();
    const own = await browser.login(U2.loginName, PASSWORD);
    const names = new Set(browser.jar.keys());
    await browser.open(url);
    expect(await browser.calendars()).toEqual([C]);
    for (const name of names) expect(browser.jar.has(name)).toBe(true);
    expect([...browser.jar.keys()].filter((name) => /-secret-/.test(name))).toHaveLength(2);
    browser.session = String(own.session);
    expect(await browser.calendars()).toContain(U2.folder);
  });

  /** Ends the time within which attempts count. */
  async function endAttemptWindow(): Promise<void> {
    const { REDIS_URL, GROUPWARE_BUS_PREFIX } = world.environment;
    const redis = new Redis(REDIS_URL!);
    try {
      const keys = await redis.keys(`${GROUPWARE_BUS_PREFIX}:attempts:login:*`);
      expect(keys).not.toEqual([]);
      await redis.del(keys);
    } finally {
      redis.disconnect();
    }
  }

  it('SH-56 of twenty wrong pins the last are refused unchecked, and the right one is good after the window', async () => {
    await world.setProperties({ [LOGIN_ATTEMPTS_PER_NAME.key]: '10' });
    const C = await calendarOf(U1);
    const { timestamp, token } = await linkOf(U1, C);
    const password = 'the right pin';
    await SM(U1, 'updateLink', { ...target(C, 'calendar'), password }, { timestamp });
    const codes: string[] = [];
    for (let tries = 0; tries < 20; tries++)
      codes.push((await visitor().enter('anonymous', { share: token, password: `wrong ${tries}` })).code as string);
    expect(codes).toEqual(codes.map((_code, tries) => (tries < 10 ? 'LGI-0025' : 'LGI-0028')));
    expect(await visitor().enter('anonymous', { share: token, password })).toMatchObject({ code: 'LGI-0028' });
    await endAttemptWindow();
    await world.setProperties();
    expect(await visitor().enter('anonymous', { share: token, password })).toHaveProperty('session');
  });

  it('SH-56 wrong pins of downloads meet the same limit, which HTTP tells without a word about the guest', async () => {
    await world.setProperties({ [LOGIN_ATTEMPTS_PER_NAME.key]: '10' });
    const F = await filesFolder();
    const document = { ...target(F), item: await upload(U1, F, 'D.txt') };
    const { data: link, timestamp } = await SM(U1, 'getLink', document);
    const { url, entity } = link;
    keepOutOfLogs(String(url).split('/').at(-2));
    await SM(U1, 'updateLink', { ...document, password: 'the right pin' }, { timestamp: timestamp! });
    const load = (pin: string) => {
      const headers = { authorization: `Basic ${Buffer.from(`any:${pin}`).toString('base64')}` };
      return visitor().fetch('GET', new URL(url).pathname, { dl: '1' }, { headers });
    };
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries++) statuses.push((await load(`wrong ${tries}`)).status);
    expect(statuses).toEqual(statuses.map((_status, tries) => (tries < 10 ? 401 : 429)));
    const refused = await load('the right pin');
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    const login = await visitor().enter('anonymous', { share: url.split('/').at(-2)!, password: 'wrong' });
    expect(login).toMatchObject({ code: 'LGI-0028', error_params: ['guest'] });
    for (const text of [await refused.text(), JSON.stringify(login)]) {
      expect(text).not.toContain(String(cast.contextId));
      expect(text).not.toContain(`guest ${entity}`);
    }
    await endAttemptWindow();
    await world.setProperties();
    expect((await load('the right pin')).status).toBe(200);
  });

  it('SH-69 the login page of a link asks once what to show', async () => {
    const C = await calendarOf(U1);
    const { timestamp, token, url } = await linkOf(U1, C);
    await SM(U1, 'updateLink', { ...target(C, 'calendar'), password: 'a pin' }, { timestamp });
    const guest = await visitor().open(url);
    const redeem = async (issued: string, language = 'en_US') => {
      const response = await visitor().fetch('GET', '/share/redeem/token', { token: issued, language });
      return [response.status, await response.json()] as const;
    };
    const issued = guest.facts.get('token')!;
    const [status, facts] = await redeem(issued);
    expect(status).toBe(200);
    expect(facts).toEqual({
      ...{ share: token, target: new URL(url).pathname.split('/').at(-1), login_type: 'anonymous_password' },
      ...{ message_type: 'INFO', message: expect.stringContaining('password'), status: 'ask_password' },
    });
    expect(await redeem(issued)).toEqual([200, { error: expect.any(String) }]);
    expect(await redeem('nonsense', 'de_DE')).toEqual([200, { error: expect.stringContaining('Adresse') }]);
  });

  it('SH-57 another pin ends the session of who came by the old one', async () => {
    const C = await calendarOf(U1);
    const { timestamp, token } = await linkOf(U1, C);
    const first = await SM(U1, 'updateLink', { ...target(C, 'calendar'), password: 'the old pin' }, { timestamp });
    const guest = visitor();
    await guest.enter('anonymous', { share: token, password: 'the old pin' });
    expect(await guest.calendars()).toEqual([C]);
    const body = { ...target(C, 'calendar'), password: 'the new pin' };
    await SM(U1, 'updateLink', body, { timestamp: first.timestamp! });
    expect(await guest.get('folders', 'root', { columns: '1' })).toMatchObject({ code: 'SES-0203' });
    expect(await visitor().enter('anonymous', { share: token, password: 'the old pin' })).toMatchObject({
      code: 'LGI-0025',
    });
  });

  it('SH-59, SH-60 a named guest logs in by password; a wrong address is refused like a wrong password', async () => {
    const C = await calendarOf(U1);
    const email = address();
    await invite(U1, C, email);
    const { url, token } = await shareOf(U1, C, email);
    const password = 'Opens 1 calendar';
    await visitor().enter('guest', { share: token, password });
    const guest = await visitor().open(url);
    expect(guest.status).toBe(302);
    expect(Object.fromEntries(guest.facts)).toMatchObject({ login_type: 'guest', login_name: email, share: token });
    expect(await guest.enter('guest', { share: token, name: email, password })).toMatchObject({
      ...{ session: expect.any(String), module: 'calendar', folder: C },
    });
    const refusal = async (form: Record<string, string>) => {
      const { code, error, category } = await visitor().enter('guest', { share: token, ...form });
      return { code, error, category };
    };
    const wrong = await refusal({ name: email, password: 'wrong' });
    expect(wrong.code).toBe('LGI-0025');
    for (const name of ['else@out.example', '', ' '])
      expect([name, await refusal({ name, password })]).toEqual([name, wrong]);
  });

  it('SH-61 what is no token looks the same, whatever is wrong with it', async () => {
    const { url, token } = await linkOf(U1, await calendarOf(U1));
    const texts = new Set<string>();
    for (const other of [
      token.slice(0, -1) + (token.endsWith('0') ? '1' : '0'),
      token.toUpperCase(),
      token.slice(0, 24),
    ]) {
      const response = await fetch(url.replace(token, other), { redirect: 'manual' });
      const { code, error } = (await response.json().catch(() => ({}))) as Envelope;
      texts.add(JSON.stringify([response.status, code, error]));
    }
    expect([...texts]).toEqual([expect.stringContaining('[404,"SHR-0002"')]);
  });

  it('SH-62 ends with the context, not when the user who shares is disabled', async () => {
    const context = await createFixtures(world);
    const { url } = await linkOf(context.U1, await calendarOf(context.U1));
    await context.admin.expect('PATCH', userPath(context.U1), { enabled: false });
    expect(await statusOf(url)).toBe(302);
    const state = `/admin/v1/contexts/${context.contextId}/state`;
    await context.admin.expect('PUT', state, { enabled: false, reason: 'test' });
    const guest = await visitor().open(url);
    expect([guest.status, guest.facts.get('code')]).toEqual([404, 'SHR-0002']);
  });

  it('SH-63 ends with the user who shares, also where another one gets the folder', async () => {
    const user = await someone();
    const C = await calendarOf(user);
    const { url, entity } = await linkOf(user, C);
    const email = address();
    await update(user, C, {
      permissions: [
        ...shared(user, [U2, VIEWER]),
        { entity, bits: VIEWER, group: false },
        { type: 'guest', bits: VIEWER, email_address: email },
      ],
    });
    const guest = await visitor().open(url);
    expect(await guest.calendars()).toEqual([C]);
    const invitation = (await shareOf(user, C, email)).url;
    await cast.admin.expect('DELETE', `${userPath(user)}?reassignTo=${U1.userId}`);
    expect([await statusOf(url), await statusOf(invitation)]).toEqual([404, 404]);
    expect(await guest.get('folders', 'root', { columns: '1' })).toMatchObject({ code: 'SES-0203' });
    // The heir of the folder finds no rights of guests who are gone, and has a link of the own.
    await until(async () => (await get(U1, C)).data?.permissions?.length === 2);
    expect(await typesOf(U1, C)).toEqual(['user', 'user']);
    const own = await linkOf(U1, C);
    expect([own.is_new, own.url === url]).toEqual([true, false]);
  });

  it('is nothing for programs that collect pages', async () => {
    const folder = await filesFolder();
    const { url } = await linkOf(U1, folder, 'infostore');
    const { pathname } = new URL(url);
    for (const agent of [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
      'Mozilla/5.0 (compatible; YandexImages bot/3.0)',
    ]) {
      const { status, headers } = await new Visitor(world.publicUrl, agent).fetch('GET', pathname);
      expect([agent, status, headers.getSetCookie()]).toEqual([agent, 404, []]);
    }
    expect((await visitor().open(url)).status).toBe(302);
  });

  it('SH-64 dl=1 on a folder is an ordinary opening', async () => {
    const { url } = await linkOf(U1, await filesFolder(), 'infostore');
    const response = await visitor().fetch('GET', new URL(url).pathname, { dl: 1 });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toContain('session=');
  });

  it('SH-66 calendars and tasks are answered as files to programs that want one, private ones left out', async () => {
    const C = await calendarOf(U1);
    const T = await made(U1, { module: 'tasks' });
    const today = Date.now() - (Date.now() % DAY);
    const appoint = async (title: string, days: number, other: object = {}) => {
      const [start_date, end_date] = [today + days * DAY, today + days * DAY + 3_600_000];
      const body = { folder_id: C, title, start_date, end_date, ignore_conflicts: true, ...other };
      expect((await U1.put('calendar', 'new', {}, body)).error).toBeUndefined();
    };
    await appoint('soon', 3);
    await appoint('kept to myself', 3, { private_flag: true });
    for (const [title, days] of [
      ['long ago', -20],
      ['lately', -10],
      ['next year', 360],
      ['too far', 380],
    ] as const)
      await appoint(title, days);
    await appoint('weekly', -100, { recurrence_type: 2, interval: 1, days: 127 });
    expect((await U1.put('tasks', 'new', {}, { folder_id: T, title: 'a task' })).error).toBeUndefined();
    const { timestamp, url } = await linkOf(U1, C);
    const password = 'pin of a calendar';
    await SM(U1, 'updateLink', { ...target(C, 'calendar'), password }, { timestamp });
    const fetched = async (address: string, headers: Record<string, string>, program = 'Scenario/1.0') =>
      new Visitor(world.publicUrl, program).fetch('GET', new URL(address).pathname, {}, { headers });
    const accept = 'text/calendar, */*;q=0.1';
    const basic = (pin: string) => ({ authorization: `Basic ${btoa(`anybody:${pin}`)}` });
    for (const headers of [{ accept }, { accept, ...basic('another pin') }]) {
      const refused = await fetched(url, headers);
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic/)]);
    }
    const file = await fetched(url, { accept, ...basic(password) });
    expect(file.headers.get('content-type')).toMatch(/^text\/calendar/);
    expect(file.headers.getSetCookie()).toEqual([]);
    const text = await file.text();
    const titles = [...text.matchAll(/SUMMARY:(.*)\r/g)].map(([, title]) => title).sort();
    expect(titles).toEqual(['lately', 'next year', 'soon', 'weekly']);

    const tasks = await linkOf(U1, T, 'tasks');
    const program = await fetched(tasks.url, {}, 'macOS/14.0 (23A344) CalendarAgent/1.0');
    expect(await program.text()).toMatch(/BEGIN:VTODO[^]*SUMMARY:a task/);
    const browser = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/120.0 Safari/537.36';
    const opened = await fetched(tasks.url, { accept: 'text/html,*/*;q=0.8' }, browser);
    expect([opened.status, opened.headers.get('location')]).toEqual([302, expect.stringContaining('session=')]);
    await SM(U1, 'deleteLink', target(T, 'tasks'), { timestamp: FAR });
    expect((await fetched(tasks.url, { accept })).status).toBe(404);
  });

  it('SH-67 HEAD makes no session', async () => {
    const { url, entity } = await linkOf(U1, await calendarOf(U1));
    const response = await visitor().fetch('HEAD', new URL(url).pathname);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(response.headers.get('location') ?? '').not.toContain('session=');
    expect(entity).toBeGreaterThan(0);
  });

  it('a link that opens nothing shows a page to browsers, and the error to programs', async () => {
    const { url, timestamp } = await linkOf(U1, cast.A, 'infostore');
    await SM(U1, 'deleteLink', target(cast.A), { timestamp });
    const unknown = `/share/${'a'.repeat(48)}/00000001`;
    for (const path of [new URL(url).pathname, unknown, '/share/%3Cscript%3E'])
      for (const [language, text] of [
        ['de-DE', 'Freigabe'],
        ['en', 'share'],
      ] as const) {
        const headers = { accept: 'text/html,application/xhtml+xml', 'accept-language': language };
        const response = await visitor().fetch('GET', path, {}, { headers });
        expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8']);
        expect(response.headers.get('content-security-policy')).toBe("default-src 'none'");
        const page = await response.text();
        expect(page).toMatch(/^<!DOCTYPE html>/);
        expect(page).toContain(text);
        expect(page).not.toContain('script');
      }
    expect((await visitor().open(url)).facts.get('code')).toBe('SHR-0002');
  });

  it('SH-68 addresses do not follow what a client says of the host', async () => {
    const { url } = await linkOf(U1, await calendarOf(U1));
    const headers = { 'x-forwarded-host': 'evil.example' };
    const response = await visitor().fetch('GET', new URL(url).pathname, {}, { headers });
    expect(response.headers.get('location')).not.toContain('evil');
    const init = { headers, body: JSON.stringify(target(U1.folder, 'calendar')) };
    const query = { action: 'getLink', session: U1.session };
    const made = (await (await U1.fetch('PUT', '/share/management', query, init)).json()) as Envelope;
    keepOutOfLogs(String(made.data.url).split('/').at(-2));
    expect(new URL(made.data.url).host).toBe(new URL(world.publicUrl).host);
  });

  it('SH-70 invited guests make folders where they may, without other rights than there', async () => {
    const subfolders = 4227332;
    const F = await filesFolder(U1, [U2.userId, VIEWER]);
    const email = address();
    const permissions = [
      { entity: U1.userId, group: false, bits: ALL },
      { entity: U2.userId, group: false, bits: VIEWER },
      { type: 'guest', email_address: email, bits: subfolders },
    ];
    expect((await update(U1, F, { permissions })).error).toBeUndefined();
    const { token, entity } = await shareOf(U1, F, email);
    const guest = visitor();
    await guest.enter('guest', { share: token });
    expect((await guest.get('folders', 'get', { id: F })).data.own_rights).toBe(subfolders);
    const make = (folder: string, body: object = {}) =>
      guest.put('folders', 'new', { folder_id: folder }, { title: `T ${(count += 1)}`, module: 'infostore', ...body });
    const { data: id, error } = await make(F);
    expect(error).toBeUndefined();
    const granted = (await read(U1, id)).permissions.map((each: { entity: number; bits: number }) => [
      ...[each.entity, each.bits],
    ]);
    expect(granted.sort()).toEqual(
      [
        [U1.userId, ALL],
        [U2.userId, VIEWER],
        [entity, subfolders],
      ].sort(),
    );
    expect(await read(U1, id)).toMatchObject({ created_by: String(U1.userId), modified_by: String(entity) });
    expect((await tryUpload(guest, id, 'own.txt')).error).toBeUndefined();
    expect((await make(F, { permissions: [{ entity: U1.userId, group: false, bits: ALL }] })).code).toBe('FLD-0072');
    const elsewhere = [...['1', '2', '9', '10', '15'], cast.P1, cast.P2];
    for (const folder of elsewhere)
      expect([folder, await make(folder)]).toEqual([folder, expect.objectContaining(isRefused)]);
    for (const module of ['calendar', 'tasks', 'contacts'])
      expect(await make('1', { module })).toMatchObject(isRefused);
    const G = await filesFolder();
    const byAuthor = await guestIn(G, 4227330);
    const refused = await byAuthor.put('folders', 'new', { folder_id: G }, { title: 'T', module: 'infostore' });
    expect(refused.code).toBe('FLD-0006');
  });

  it('SH-70 guests share nothing and make nothing outside', async () => {
    const F = await filesFolder();
    const D = await upload(U1, F, 'x.txt');
    const guest = await visitor().open((await linkOf(U1, F, 'infostore')).url);
    expect(await SM(guest, 'getLink', target(F))).toMatchObject(isRefused);
    expect(await guest.put('folders', 'new', { folder_id: F }, { title: 'T', module: 'infostore' })).toMatchObject(
      isRefused,
    );
    expect(await change(guest, D, { object_permissions: [{ entity: U2.userId, bits: 1 }] })).toMatchObject(isRefused);
    expect(await tryUpload(guest, F, 'y.txt')).toMatchObject(isRefused);
    expect(await dataOf(U1, D)).not.toHaveProperty('object_permissions.0');
  });
});
