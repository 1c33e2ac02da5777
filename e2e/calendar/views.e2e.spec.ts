import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { created, DAY, FAR_FUTURE, HOUR, read, remove, update } from './calendar';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (timezone = 'UTC'): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `v${(count += 1)}`, timezone);

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const monday = 1583712000000; // 9 March 2020
const at = (day: number, hour = 9) => ({
  start_date: monday + day * DAY + hour * HOUR,
  end_date: monday + day * DAY + (hour + 1) * HOUR,
});

describe('calendar: further views', () => {
  it('has: one value per day', async () => {
    const player = await someone();
    await created(player, { ...at(1), recurrence_type: 1, interval: 2, occurrences: 2 });
    const answer = await player.get('calendar', 'has', { start: monday, end: monday + 5 * DAY });
    expect(answer.data).toEqual([false, true, false, true, false]);
    const query = { start: monday, end: monday + 5 * DAY, timezone: 'Middle/Earth' };
    expect((await player.get('calendar', 'has', query)).code).toBe('CAL-4001');
  });

  it('search: by pattern and by first letter, in a folder or everywhere', async () => {
    const player = await someone();
    const id = await created(player, { ...at(0), title: 'Quarterly review' });
    const search = (body: object, query: Record<string, string> = {}) =>
      player.put('calendar', 'search', { columns: '1,200', ...query }, body);
    expect((await search({ pattern: 'review' })).data).toEqual([[id, 'Quarterly review']]);
    expect((await search({ pattern: '*review', folder: player.folder })).data).toHaveLength(1);
    expect((await search({ startletter: 'Q' })).data).toHaveLength(1);
    expect((await search({ pattern: 'review?' })).data).toEqual([]);
    expect((await search({})).code).toBe('SVL-0002');
    expect((await search({ pattern: 'x' }, { timezone: 'Middle/Earth' })).code).toBe('CAL-4001');
    expect((await search({ pattern: 'x', folder: cast.U1.folder })).code).toBe('FLD-0003');
  });

  it('freebusy: times of a user and of a room, details only for readers', async () => {
    const [player, other] = [await someone(), await someone()];
    const room = { type: 3, id: cast.room };
    const participants = [{ type: 1, id: player.userId }, room];
    await created(player, { ...at(3), title: 'Planning', participants });
    const range = { start: monday, end: monday + 7 * DAY };
    const times = { ...at(3), shown_as: 1, full_time: false };
    const ask = (asker: TestUser, id: number, type: number, query: object = {}) =>
      asker.get('calendar', 'freebusy', { id, type, ...range, ...query });
    expect((await ask(other, player.userId, 1)).data).toEqual([times]);
    expect((await ask(other, cast.room, 3)).data).toEqual([times]);
    expect((await ask(player, cast.room, 3)).data).toEqual([expect.objectContaining({ title: 'Planning', ...times })]);
    expect((await ask(other, player.userId, 2)).code).toBe('APP-0019');
    expect((await ask(other, player.userId, 1, { timezone: 'Middle/Earth' })).code).toBe('CAL-4001');
  });

  it('newappointments: the next ones, at most so many', async () => {
    const player = await someone();
    await created(player, { ...at(2), title: 'second' });
    await created(player, { ...at(1), title: 'first' });
    await created(player, { ...at(3), title: 'third' });
    const query = { columns: '200', start: monday, end: monday + 7 * DAY, limit: 2 };
    expect((await player.get('calendar', 'newappointments', query)).data).toEqual([['first'], ['second']]);
    const elsewhere = { ...query, timezone: 'Middle/Earth' };
    expect((await player.get('calendar', 'newappointments', elsewhere)).code).toBe('CAL-4001');
  });

  it('resolveuid: the id of a unique id', async () => {
    const player = await someone();
    const id = await created(player, { ...at(0), uid: 'views@example.com' });
    expect((await player.get('calendar', 'resolveuid', { uid: 'views@example.com' })).data).toEqual({ id });
    expect((await player.get('calendar', 'resolveuid', { uid: 'nobody@example.com' })).code).toBe('OX-0001');
    const elsewhere = { uid: 'views@example.com', timezone: 'Middle/Earth' };
    expect((await player.get('calendar', 'resolveuid', elsewhere)).code).toBe('CAL-4001');
    const removal = { timestamp: monday * 2, timezone: 'Middle/Earth' };
    expect((await player.put('calendar', 'delete', removal, [{ id, folder: player.folder }])).code).toBe('CAL-4001');
    expect((await cast.X1.get('calendar', 'resolveuid', { uid: 'views@example.com' })).code).toBe('OX-0001');
  });

  it('getChangeExceptions: the changed occurrences', async () => {
    const player = await someone();
    const id = await created(player, { ...at(0), recurrence_type: 1, interval: 1, occurrences: 4 });
    const changed = (await update(player, id, { recurrence_position: 3, title: 'Other' })).data.id;
    const ask = (query: object) =>
      player.get('calendar', 'getChangeExceptions', { id, folder: player.folder, columns: '1,200,206,207', ...query });
    expect((await ask({})).data).toEqual([[String(changed), 'Other', Number(id), 3]]);
    expect((await ask({ id: '999999' })).code).toBe('OX-0001');
    expect((await ask({ timezone: 'Middle/Earth' })).code).toBe('CAL-4001');
  });

  it('DU-15: getChangeExceptions in a folder without access is refused', async () => {
    const id = await created(cast.U1, { ...at(0), recurrence_type: 1, interval: 1, occurrences: 4 });
    await update(cast.U1, id, { recurrence_position: 2, title: 'Other' });
    const query = { id, folder: cast.U1.folder, columns: '1' };
    expect(await cast.U2.get('calendar', 'getChangeExceptions', query)).toMatchObject({
      categories: 'PERMISSION_DENIED',
      category: 3,
    });
  });
});

describe('calendar: updates', () => {
  const updates = (player: TestUser, timestamp: number, query: Record<string, unknown> = {}) =>
    player.get('calendar', 'updates', {
      columns: '1,200',
      folder: player.folder,
      timestamp,
      ...(query as Record<string, string>),
    });

  it('DU-10: rows for what changed, objects for what was deleted, nothing for the rest', async () => {
    const player = await someone();
    const ids = [];
    for (let index = 0; index < 8; index += 1) ids.push(await created(player, { ...at(index), title: `A${index}` }));
    const { timestamp } = await updates(player, 0);
    await update(player, ids[1]!, { title: 'one' });
    await update(player, ids[4]!, { title: 'four' });
    await remove(player, [{ id: ids[2] }, { id: ids[6] }]);
    const answer = await updates(player, timestamp!);
    expect(answer.data.slice(0, 2)).toEqual([
      [ids[1], 'one'],
      [ids[4], 'four'],
    ]);
    const gone = (id: string) => expect.objectContaining({ id, folder: player.folder });
    expect(answer.data.slice(2)).toEqual([gone(ids[2]!), gone(ids[6]!)]);
    expect(answer.timestamp).toBeGreaterThan(timestamp!);
    expect(await updates(player, answer.timestamp!)).toMatchObject({ data: [], timestamp: answer.timestamp });
  });

  it('DU-11: without a folder, a range of all calendars and no deletions', async () => {
    const player = await someone();
    const second = await player.put('folders', 'new', { folder_id: '1' }, { title: 'Second', module: 'calendar' });
    const gone = await created(player, at(0));
    const { timestamp } = await updates(player, 0);
    await created(player, { ...at(1), title: 'one' });
    await created(player, { ...at(2), title: 'two', folder_id: second.data });
    await created(player, { ...at(40), title: 'out of range' });
    await remove(player, [{ id: gone }]);
    const query = { folder: undefined, ignore: 'deleted', start: monday, end: monday + 7 * DAY };
    expect((await updates(player, timestamp!, query)).data.map((row: string[]) => row[1])).toEqual(['one', 'two']);
  });

  it('DU-12: without a folder deletions must be ignored and a range be given', async () => {
    const player = await someone();
    const missing = (name: string) => ({ code: 'SVL-0002', error_params: [name] });
    expect(await updates(player, 0, { folder: undefined })).toMatchObject(missing('folder'));
    expect(await updates(player, 0, { folder: undefined, ignore: 'deleted' })).toMatchObject(missing('start'));
    expect(await updates(player, 0, { folder: undefined, ignore: 'deleted', start: 1 })).toMatchObject(missing('end'));
  });

  it('DU-13: a series with a deleted occurrence has changed', async () => {
    const player = await someone();
    const id = await created(player, { ...at(0), recurrence_type: 1, interval: 1, occurrences: 4 });
    const { timestamp } = await updates(player, 0);
    await remove(player, [{ id, pos: 1 }]);
    const rows = (await updates(player, timestamp!, { columns: '1,207,201,211' })).data;
    // Without a range a series contributes its first occurrence.
    expect(rows).toEqual([[id, 2, at(1).start_date, [monday]]]);
    const masters = await updates(player, timestamp!, { columns: '1,207,209', recurrence_master: true });
    expect(masters.data).toEqual([[id, null, 1]]);
    const range = { start: monday, end: monday + 7 * DAY, columns: '1,207' };
    expect((await updates(player, timestamp!, range)).data).toEqual([
      [id, 2],
      [id, 3],
      [id, 4],
    ]);
  });

  it('DU-14: a moved appointment is gone from the old folder and new in the other', async () => {
    const player = await someone();
    const second = await player.put('folders', 'new', { folder_id: '1' }, { title: 'Second', module: 'calendar' });
    const id = await created(player, at(0));
    const { timestamp } = await updates(player, 0);
    await update(player, id, { folder_id: second.data });
    expect((await updates(player, timestamp!)).data).toEqual([expect.objectContaining({ id })]);
    expect((await updates(player, timestamp!, { folder: second.data })).data).toEqual([[id, 'T']]);
    await update(player, id, { folder_id: player.folder }, { folder: second.data });
    expect((await updates(player, timestamp!)).data).toEqual([[id, 'T']]);
    expect((await updates(player, timestamp!, { folder: second.data })).data).toEqual([
      expect.objectContaining({ id, folder: second.data }),
    ]);
  });

  it('tells a guest of the calendar when an appointment becomes private, and shows it as a block if asked', async () => {
    const [owner, guest] = [await someone(), await someone()];
    const permissions = [
      { entity: owner.userId, bits: 403710016, group: false },
      { entity: guest.userId, bits: 257, group: false },
    ];
    const folder = (
      await owner.put('folders', 'new', { folder_id: '1' }, { title: 'Shared', module: 'calendar', permissions })
    ).data;
    const id = await created(owner, { ...at(0), folder_id: folder, location: 'here' });
    const { timestamp } = await updates(guest, 0, { folder });
    await update(owner, id, { private_flag: true }, { folder });
    await created(owner, { ...at(1), folder_id: folder, private_flag: true });
    const hidden = await updates(guest, timestamp!, { folder });
    expect(hidden.data).toEqual([expect.objectContaining({ id })]);
    const shown = await updates(guest, timestamp!, { folder, showPrivate: true, columns: '200,201,400,402' });
    expect(shown.data).toEqual([
      ['Private', at(0).start_date, null, 1],
      ['Private', at(1).start_date, null, 1],
    ]);
    const columns = '200,201,400,402';
    const range = { start: monday, end: monday + 7 * DAY, folder };
    const blocks = await guest.get('calendar', 'all', { columns, ...range, showPrivate: true });
    expect(blocks.data).toEqual(shown.data);
    expect((await guest.get('calendar', 'all', { columns, ...range })).data).toEqual([]);
  });

  it('refuses bad zones, folders of others and a huge timestamp never fails', async () => {
    const player = await someone();
    expect((await updates(player, 0, { timezone: 'Middle/Earth' })).code).toBe('CAL-4001');
    expect((await updates(player, 0, { folder: cast.U1.folder })).code).toBe('FLD-0003');
    expect(await updates(player, FAR_FUTURE)).toMatchObject({ data: [], timestamp: FAR_FUTURE });
    const id = await created(player, at(0));
    expect((await read(player, id)).last_modified_utc).toBeLessThan(FAR_FUTURE);
  });
});
