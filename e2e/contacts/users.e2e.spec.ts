import sharp from 'sharp';
import { contactIdOfUser } from '@groupware/contracts';
import { until } from '@groupware/test-kit';
import { attachFiles } from '../attachments/attachments';
import { createTestUser, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  all,
  change,
  create,
  createContactFixtures,
  dataOf,
  FAR,
  read,
  remove,
  type ContactFixtures,
} from './contacts';

let world: TestEnvironment;
let cast: ContactFixtures;
/** Sees no address book of all users. */
let alone: TestUser;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createContactFixtures(world);
  const { admin, contextId } = cast;
  alone = await createTestUser(world, admin, contextId, 'alone');
  await admin.expect('PATCH', `/admin/v1/contexts/${contextId}/users/${alone.userId}`, {
    capabilities: { remove: ['gab'] },
  });
  await until(async () => (await all(alone, '6', '524')).data?.length === 1);
}, 60_000);
afterAll(() => world?.close());

const K6 = '6';
const PIXELS = { create: { width: 4, height: 4, background: 'teal', channels: 3 } } as const;
const contactOf = (user: TestUser) => String(contactIdOfUser(user.userId));
const getUser = (reader: TestUser, user: TestUser) => reader.get('contacts', 'getuser', { id: user.userId });

describe('the address book of all users', () => {
  it('holds one contact of each user', async () => {
    const { U1, U2, U3, UB } = cast;
    const users = [U1, U2, U3, UB, alone].map(({ userId }) => userId);
    await until(async () => ((await all(U1, K6, '524')).data ?? []).length >= 6);
    const rows = (await all(U1, K6, '1,20,524,500,555')).data!;
    expect(rows).toContainEqual([contactOf(U2), K6, U2.userId, `u2 of ${cast.contextId}`, U2.email]);
    expect(rows.map(([, , userId]) => userId as number)).toEqual(expect.arrayContaining(users));
    for (const parameters of [{ admin: false }, { admin: true, exclude_admin: true }])
      expect((await all(U1, K6, '524', parameters)).data).toHaveLength(rows.length - 1);
    const { data } = await U1.get('user', 'get', { id: U2.userId });
    expect(data).toMatchObject({ contact_id: contactOf(U2), folder_id: K6 });
    expect(await dataOf(U1, K6, contactOf(U2))).toMatchObject({ user_id: U2.userId, uid: data.uid });
    const folder = await U1.get('folders', 'get', { id: K6 });
    expect(folder.data).toMatchObject({ id: K6, module: 'contacts' });
  });

  it('tells with the users what hangs on their contacts', async () => {
    const { U1, U3 } = cast;
    const columns = { columns: '1,104,105,608' };
    const rowOf = async () =>
      (await U1.get('user', 'all', columns)).data!.find(([id]: string[]) => id === String(U3.userId));
    expect(await rowOf()).toEqual([String(U3.userId), 0, null, 0]);
    const card = { module: 7, attached: Number(contactOf(U3)), folder: 6 };
    // Newer clients name the folder with its account.
    const named = { ...card, folder: 'con://0/6' };
    await attachFiles(U3, named, [{ name: 'a.txt', content: 'a' }]);
    for (const target of [card, named])
      expect((await U3.get('attachment', 'all', { ...target, columns: '803' })).data).toEqual([['a.txt']]);
    await until(async () => (await rowOf())[1] === 1);
    const { data } = await U1.get('user', 'get', { id: U3.userId });
    expect(data).toMatchObject({ number_of_attachments: 1, useCount: 0 });
    expect(data.lastModifiedOfNewestAttachmentUTC).toBeGreaterThan(1e12);
    expect((await dataOf(U1, K6, contactOf(U3))).number_of_attachments).toBe(1);
  });

  it('CO-82 is changed by users for themselves, by either way', async () => {
    const { U1, U2 } = cast;
    const before = (await getUser(U1, U1)).data;
    const answer = await U1.put('user', 'update', { id: U1.userId, timestamp: FAR }, { nickname: 'Nick' });
    expect(answer.error).toBeUndefined();
    const after = (await getUser(U1, U1)).data;
    expect(after.nickname).toBe('Nick');
    expect(after.last_modified).toBeGreaterThan(before.last_modified);
    // Both ways have one record: the timestamp of one is good for the other.
    expect((await change(U1, K6, contactOf(U1), { nickname: 'Nell' }, answer.timestamp)).error).toBeUndefined();
    expect((await change(U1, K6, contactOf(U1), { nickname: 'Late' }, answer.timestamp)).code).toBe('CON-0119');
    const { last_modified } = (await getUser(U1, U1)).data;
    const own = await change(
      U1,
      K6,
      contactOf(U1),
      { nickname: 'Nora', birthday: 0, street_home: 'A 1' },
      last_modified,
    );
    expect(own).toMatchObject({ data: { id: contactOf(U1) } });
    expect((await getUser(U2, U1)).data).toMatchObject({ nickname: 'Nora', birthday: 0, last_modified: own.timestamp });
    expect((await U1.get('user', 'get', { id: U1.userId })).data).toMatchObject({
      nickname: 'Nora',
      street_home: 'A 1',
    });
    expect((await change(U1, K6, contactOf(U1), {}, after.last_modified)).code).toBe('CON-0119');
    for (const body of [{}, { nickname: 'Nora' }]) {
      const known = (await getUser(U2, U1)).data.last_modified;
      const { timestamp } = await change(U1, K6, contactOf(U1), body, known);
      expect(timestamp).toBeGreaterThan(known);
      expect((await getUser(U2, U1)).data).toMatchObject({ nickname: 'Nora', last_modified: timestamp });
    }
    expect(
      (await U1.get('contacts', 'updates', { folder: K6, columns: '1', timestamp: after.last_modified })).data,
    ).toEqual([[contactOf(U1)]]);
  });

  it('keeps what belongs to the account', async () => {
    const { U1, U2, K1 } = cast;
    const own = (body: object) => change(U1, K6, contactOf(U1), body);
    const { email1 } = (await getUser(U1, U1)).data;
    expect((await own({ email1 })).error).toBeUndefined();
    const refusals: [object, string][] = [
      [{ email1: 'other@x.example' }, 'CON-0173'],
      [{ display_name: '' }, 'CON-0166'],
      [{ display_name: `u2 of ${cast.contextId}` }, 'CON-0167'],
      [{ last_name: null }, 'CON-0175'],
      [{ first_name: '' }, 'CON-0164'],
      [{ folder_id: K1 }, 'CON-0176'],
      [{ private_flag: true }, 'CON-0176'],
    ];
    for (const [body, code] of refusals) expect([body, (await own(body)).code]).toEqual([body, code]);
    expect((await change(U1, K6, contactOf(U2), { note: 'x' })).code).toBe('CON-0176');
    expect((await U1.put('contacts', 'new', {}, { folder_id: K6, last_name: 'X' })).code).toBe('CON-0112');
    expect((await remove(U1, K6, [contactOf(U1)])).code).toBe('CON-0169');
    expect((await change(U1, K6, '99999', {})).code).toBe('CON-0125');
    const stored = await create(U1, K1, {});
    expect((await change(U1, K6, stored.id, {})).code).toBe('CON-0174');
    expect((await change(U1, K1, stored.id, { folder_id: K6 })).code).toBe('CON-0112');
  });

  it('takes back what clients read of it', async () => {
    const { admin, contextId } = cast;
    const echo = await createTestUser(world, admin, contextId, 'echo');
    const form = new FormData();
    form.append('file', new Blob([await sharp(PIXELS).png().toBuffer()]), 'a.png');
    await echo.fetch(
      'POST',
      '/user',
      { action: 'update', id: String(echo.userId), timestamp: FAR, session: echo.session },
      { body: form },
    );
    const id = contactOf(echo);
    const own = async (body: object) => {
      expect((await change(echo, K6, id, body)).error).toBeUndefined();
      return dataOf(echo, K6, id);
    };
    await until(async () => (await read(echo, K6, id)).data?.image1_url !== undefined);
    const before = await dataOf(echo, K6, id);
    expect(before.image1).toBe(before.image1_url);
    const { image1_url } = before;
    expect(await own({ ...before, nickname: 'Echo' })).toMatchObject({ nickname: 'Echo', image1_url });
    expect(await own({ folder_id: 'con://0/6', note: 'n' })).toMatchObject({ folder_id: K6, note: 'n' });
    const display_name = 'Echo, again';
    expect(await own({ display_name })).toMatchObject({ display_name, file_as: display_name });
    expect(await own({ display_name: 'Echo', file_as: 'E' })).toMatchObject({ display_name: 'Echo', file_as: 'E' });
    expect(await own({ image1: '' })).not.toHaveProperty('image1_url');
  });

  it('may be closed to changes', async () => {
    const { U3, admin, contextId } = cast;
    const path = `/admin/v1/contexts/${contextId}/users/${U3.userId}/config/com.example.user.enableInternalUserEdit`;
    await admin.expect('PUT', path, { value: 'false' });
    expect((await change(U3, K6, contactOf(U3), { note: 'x' })).code).toBe('CON-0176');
    const own = { id: U3.userId, timestamp: FAR };
    expect((await U3.put('user', 'update', own, { note: 'x' })).code).toBe('CON-0176');
    expect((await U3.put('user', 'update', own, { image1: '' })).code).toBe('CON-0176');
    expect((await U3.put('user', 'update', own, { timezone: 'Europe/Berlin' })).error).toBeUndefined();
  });

  it('is hidden from those without it, but for names and addresses', async () => {
    const { U1, U2 } = cast;
    await U1.put('user', 'update', { id: U1.userId, timestamp: FAR }, { note: 'secret', department: 'Sales' });
    expect((await all(alone, K6, '524')).data).toEqual([[alone.userId]]);
    expect((await read(alone, K6, contactOf(U1))).code).toBe('CON-0104');
    const { data } = await getUser(alone, U1);
    expect(data).toMatchObject({ user_id: U1.userId, email1: U1.email, department: 'Sales' });
    expect(data).not.toHaveProperty('note');
    expect((await getUser(U2, U1)).data.note).toBe('secret');
    const rows = await alone.put('contacts', 'listuser', { columns: '524,518,519' }, [
      U1.userId,
      999_999,
      alone.userId,
    ]);
    expect(rows.data).toEqual([
      [U1.userId, null, 'Sales'],
      [alone.userId, null, null],
    ]);
    expect((await U2.put('contacts', 'listuser', { columns: '524,518' }, [U2.userId, U1.userId])).data).toEqual([
      [U2.userId, null],
      [U1.userId, 'secret'],
    ]);
    expect((await U2.put('contacts', 'listuser', { columns: 'x' }, [U2.userId])).code).toBe('SVL-0010');
    expect((await alone.get('folders', 'get', { id: K6 })).error).toBeDefined();
  });

  it('knows no users of other contexts, and none that are gone', async () => {
    const { X1, U1, admin, contextId } = cast;
    for (const id of [0, 999_999, 2_000_000_000])
      expect((await X1.get('contacts', 'getuser', { id })).code).toBe('CON-0125');
    const leaver = await createTestUser(world, admin, contextId, 'leaver');
    expect((await getUser(U1, leaver)).data.user_id).toBe(leaver.userId);
    await admin.expect('DELETE', `/admin/v1/contexts/${contextId}/users/${leaver.userId}`);
    await until(async () => (await getUser(U1, leaver)).code === 'CON-0125');
  });
});
