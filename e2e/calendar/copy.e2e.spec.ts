import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, ALL_TIME, created, type Fields, read, remove, update } from './calendar';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (timezone = 'UTC'): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `cp${(count += 1)}`, timezone);

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const times = { start_date: Date.UTC(2035, 4, 7, 9), end_date: Date.UTC(2035, 4, 7, 10) };
const copy = (player: TestUser, id: string, body: Fields, parameters: Record<string, string | boolean> = {}) =>
  player.put(
    'calendar',
    'copy',
    { id, folder: player.folder, ignore_conflicts: true, timezone: 'UTC', ...parameters },
    body,
  );
const secondFolder = async (player: TestUser): Promise<string> =>
  (await player.put('folders', 'new', { folder_id: '1' }, { title: 'Second', module: 'calendar' })).data;

describe('calendar: copy', () => {
  it('CP-01: a copy in another folder; the original stays as it is', async () => {
    const player = await someone();
    const folder = await secondFolder(player);
    const id = await created(player, { ...times, title: 'Jour fixe', location: 'Room 5', categories: 'a,b' });
    const original = await read(player, id);
    const answer = await copy(player, id, { folder_id: folder });
    expect(answer).toMatchObject({ data: { id: expect.anything() }, timestamp: expect.any(Number) });
    expect(String(answer.data.id)).not.toBe(id);
    expect(await read(player, answer.data.id, { folder })).toMatchObject({
      folder_id: folder,
      title: 'Jour fixe',
      location: 'Room 5',
      categories: 'a,b',
      ...times,
    });
    expect(await read(player, id)).toEqual(original);
  });

  it('CP-02, CP-03: conflicts instead of a copy, unless the other one is free', async () => {
    const player = await someone();
    const folder = await secondFolder(player);
    const id = await created(player, times);
    const answer = await copy(player, id, { folder_id: folder }, { ignore_conflicts: false });
    expect(answer.error).toBeUndefined();
    expect(answer.data.conflicts.map((conflict: any) => String(conflict.id))).toEqual([id]);
    expect(answer.data).not.toHaveProperty('id');
    expect(await all(player, '1', ALL_TIME, { folder })).toEqual([]);
    const busy = await someone();
    const other = await created(busy, { ...times, shown_as: 4 });
    const own = await created(busy, times);
    await remove(busy, [{ id: own }]);
    expect((await copy(busy, other, {}, { ignore_conflicts: false })).data.id).toBeDefined();
  });

  it('CP-04: nothing is created without the right to create', async () => {
    const id = await created(cast.U1, times);
    const before = (await all(cast.U1, '1')).length;
    expect((await copy(cast.U1, id, { folder_id: cast.U2.folder })).code).toMatch(/^(FLD-0003|CAL-4031)$/);
    expect((await copy(cast.U3, id, {}, { folder: cast.U1.folder })).code).toBe('FLD-0003');
    expect((await copy(cast.U3, id, {})).code).toBe('APP-0059');
    expect((await copy(cast.U1, '999999', {})).code).toBe('OX-0001');
    expect((await copy(cast.U1, id, { folder_id: '2' })).error).toBeDefined();
    expect((await all(cast.U1, '1')).length).toBe(before);
    for (const name of ['id', 'folder', 'ignore_conflicts', 'timezone']) {
      const query: Record<string, string> = { id, folder: cast.U1.folder, ignore_conflicts: 'true', timezone: 'UTC' };
      delete query[name];
      expect(await cast.U1.put('calendar', 'copy', query, {})).toMatchObject({
        code: 'SVL-0002',
        error_params: [name],
      });
    }
  });

  it('CP-05: a copy has a unique id and a creation date of its own, no exceptions, and everybody is asked again', async () => {
    const participants = [cast.U1, cast.U2].map((player) => ({ type: 1, id: player.userId }));
    const series = { ...times, recurrence_type: 1, interval: 1, occurrences: 5, participants };
    const id = await created(cast.U1, { ...series, uid: `original-${Date.now()}` });
    await update(cast.U2, id, { users: [{ id: cast.U2.userId, confirm: 1 }] });
    await update(cast.U1, id, { recurrence_position: 2, title: 'changed' });
    await remove(cast.U1, [{ id, pos: 3 }]);
    const original = await read(cast.U1, id);
    const answer = await copy(cast.U2, id, {});
    const copied = await read(cast.U2, String(answer.data.id));
    expect(copied.uid).not.toBe(original.uid);
    expect(copied.creation_date).toBeGreaterThan(original.creation_date);
    expect(copied).toMatchObject({
      occurrences: 5,
      number_of_attachments: 0,
      organizerId: cast.U2.userId,
      sequence: 0,
    });
    expect(copied).not.toHaveProperty('change_exceptions');
    expect(copied).not.toHaveProperty('delete_exceptions');
    expect(copied.users).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: cast.U2.userId, confirm: 1 }),
        expect.objectContaining({ id: cast.U1.userId, confirm: 0 }),
      ]),
    );
  });
});
