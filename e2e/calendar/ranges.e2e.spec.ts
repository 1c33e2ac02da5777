import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, ALL_TIME, create, created, DAY, HOUR, read, remove, update } from './calendar';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (timezone = 'UTC'): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `g${(count += 1)}`, timezone);

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const monday = 1583712000000; // 9 March 2020
const overlap = { range: 'overlap' };

describe('calendar: ranges of all', () => {
  it('CR-01, CR-02: rows of a range in ascending order', async () => {
    const player = await someone();
    const b = Date.UTC(1999, 4, 3, 10);
    const a = Date.UTC(1998, 1, 24, 12);
    const second = await created(player, { title: 'B', start_date: b, end_date: b + HOUR / 2 });
    const first = await created(player, { title: 'A', start_date: a, end_date: a + 2 * HOUR });
    const columns = '1,20,200,201,202';
    expect(await all(player, columns, { start: 631152000000, end: 946684800000 })).toEqual([
      [first, player.folder, 'A', a, a + 2 * HOUR],
      [second, player.folder, 'B', b, b + HOUR / 2],
    ]);
    expect(await all(player, '1', { start: 915148800000, end: 946684800000 })).toEqual([[second]]);
  });

  it('CR-03, CR-04: only appointments of the range', async () => {
    const player = await someone();
    await created(player, { start_date: monday + 10 * HOUR, end_date: monday + 11 * HOUR });
    expect(await all(player, '201,202', { start: monday, end: monday + DAY })).toEqual([
      [1583748000000, 1583751600000],
    ]);
    expect(await all(player, '1', { start: monday + DAY, end: monday + 2 * DAY })).toEqual([]);
    expect(await all(player, '1', { start: monday - DAY, end: monday })).toEqual([]);
  });

  it('CR-05: an appointment that ends at midnight belongs to its own day, in both readings of the range', async () => {
    const player = await someone();
    await created(player, { start_date: monday + 23 * HOUR, end_date: monday + DAY });
    for (const range of ['contained', 'overlap']) {
      expect(await all(player, '1', { start: monday, end: monday + DAY }, { range })).toHaveLength(1);
      expect(await all(player, '1', { start: monday + DAY, end: monday + 2 * DAY }, { range })).toHaveLength(0);
    }
  });

  it('CR-06: an appointment over midnight is in both days by overlap, in none by containment', async () => {
    const player = await someone();
    await created(player, { start_date: monday + 23 * HOUR, end_date: monday + DAY + HOUR });
    for (const start of [monday, monday + DAY]) {
      expect(await all(player, '1', { start, end: start + DAY }, overlap)).toHaveLength(1);
      expect(await all(player, '1', { start, end: start + DAY })).toHaveLength(0);
    }
  });

  it('CR-07: an appointment that starts at midnight is not in the day before', async () => {
    const player = await someone();
    await created(player, { start_date: monday, end_date: monday + HOUR });
    expect(await all(player, '1', { start: monday - DAY, end: monday }, overlap)).toHaveLength(0);
    expect(await all(player, '1', { start: monday, end: monday + DAY }, overlap)).toHaveLength(1);
  });

  it.each(['Pacific/Honolulu', 'America/New_York', 'Asia/Macao', 'Pacific/Apia'])(
    'CR-08: a whole-day appointment of two days is in exactly these days for a user in %s',
    async (timezone) => {
      const player = await someone(timezone);
      await created(player, { full_time: true, start_date: monday, end_date: monday + 2 * DAY });
      const days = [];
      for (let start = monday - 2 * DAY; start < monday + 4 * DAY; start += DAY)
        if ((await all(player, '1', { start, end: start + DAY }, overlap)).length > 0)
          days.push((start - monday) / DAY);
      expect(days).toEqual([0, 1]);
    },
  );

  it('CR-09: without a folder all calendars of the user are in the answer, nobody else’s', async () => {
    const player = await someone();
    const folder = await player.put('folders', 'new', { folder_id: '1' }, { title: 'Second', module: 'calendar' });
    await created(player, { title: 'one', start_date: monday, end_date: monday + HOUR });
    await created(player, { title: 'two', folder_id: folder.data, start_date: monday, end_date: monday + HOUR });
    await created(cast.U3, { title: 'other', start_date: monday, end_date: monday + HOUR });
    const rows = await all(player, '200', { start: monday, end: monday + DAY }, { folder: undefined });
    expect(rows.map(([title]) => title).sort()).toEqual(['one', 'two']);
  });

  it('CR-10: rows hold the columns in the order asked for', async () => {
    const player = await someone();
    const id = await created(player, { start_date: monday, end_date: monday + HOUR });
    expect(await all(player, '202,1', { start: monday, end: monday + DAY })).toEqual([[monday + HOUR, id]]);
  });

  it('CR-11, CR-12: a missing and a malformed start', async () => {
    const query = { columns: '1', end: 5, folder: cast.U1.folder };
    expect((await cast.U1.get('calendar', 'all', query)).code).toBe('SVL-0002');
    const malformed = await cast.U1.get('calendar', 'all', { ...query, start: 'abc' });
    expect(malformed).toMatchObject({ code: 'SVL-0010', error_params: ['start', 'abc'] });
  });

  it('CR-13: recurrence_master asks for series instead of occurrences', async () => {
    const player = await someone();
    const id = await created(player, {
      start_date: monday + HOUR,
      end_date: monday + 2 * HOUR,
      recurrence_type: 2,
      interval: 1,
      days: 2,
      occurrences: 4,
    });
    expect(await all(player, '1', ALL_TIME)).toHaveLength(4);
    expect(await all(player, '1,201', ALL_TIME, { recurrence_master: true })).toEqual([[id, monday + HOUR]]);
  });

  it('CR-14: equal starts come in a stable order', async () => {
    const player = await someone();
    for (let index = 0; index < 5; index += 1) await created(player, { start_date: monday, end_date: monday + HOUR });
    const rows = await all(player, '1', ALL_TIME);
    expect(await all(player, '1', ALL_TIME)).toEqual(rows);
    expect(rows.map(([id]) => Number(id))).toEqual(rows.map(([id]) => Number(id)).sort((a, b) => a - b));
  });

  it('CR-15: too many rows are an error, not a cut list', async () => {
    const player = await someone();
    await created(player, {
      start_date: monday,
      end_date: monday + HOUR,
      recurrence_type: 1,
      interval: 1,
      occurrences: 1001,
    });
    const answer = await player.get('calendar', 'all', { columns: '1', folder: player.folder, ...ALL_TIME });
    expect(answer.code).toBe('CAL-5072');
    expect(answer.data).toBeUndefined();
  });
});

describe('calendar: time zones', () => {
  const instant = 1593604800000;
  const day = { start: Date.UTC(2020, 6, 1) - 2 * DAY, end: Date.UTC(2020, 6, 1) + 2 * DAY };

  it('TZ-01, TZ-02: times are shifted by the zone of the request', async () => {
    const player = await someone();
    await created(player, { start_date: instant, end_date: instant + HOUR });
    expect(await all(player, '201', day, { timezone: 'GMT+08:00' })).toEqual([[1593633600000]]);
    expect(await all(player, '201', day, { timezone: 'Europe/Berlin' })).toEqual([[1593612000000]]);
    const winter = Date.UTC(2021, 0, 10, 12);
    await created(player, { start_date: winter, end_date: winter + HOUR });
    const january = { start: Date.UTC(2021, 0, 1), end: Date.UTC(2021, 1, 1) };
    expect(await all(player, '201', january, { timezone: 'Europe/Berlin' })).toEqual([[winter + HOUR]]);
  });

  it('TZ-03: whole-day appointments are never shifted', async () => {
    const player = await someone();
    const start = Date.UTC(2020, 6, 1);
    await created(player, { full_time: true, start_date: start, end_date: start + DAY });
    for (const timezone of ['GMT+08:00', 'Europe/Berlin'])
      expect(await all(player, '201,202', day, { timezone })).toEqual([[start, start + DAY]]);
  });

  it('TZ-04: an unknown zone is refused', async () => {
    const query = { columns: '201', folder: cast.U1.folder, ...day, timezone: 'Middle/Earth' };
    expect((await cast.U1.get('calendar', 'all', query)).code).toBe('CAL-4001');
    const player = await someone();
    const times = { start_date: instant, end_date: instant + HOUR };
    expect((await create(player, times, { timezone: 'Middle/Earth' })).code).toBe('CAL-4001');
    expect((await create(player, { ...times, timezone: 'Middle/Earth' })).code).toBe('CAL-4001');
    expect(await all(player, '1')).toEqual([]);
  });

  it('TZ-05: last_modified is never shifted', async () => {
    const player = await someone('Asia/Tokyo');
    const id = await created(player, { start_date: instant, end_date: instant + HOUR });
    const rows = await all(player, '5,6', day, { timezone: 'UTC' });
    expect(rows[0]![0]).toBe(rows[0]![1]);
    for (const timezone of ['GMT+08:00', 'Europe/Berlin', undefined]) {
      expect(await all(player, '5,6', day, { timezone })).toEqual(rows);
      const { last_modified, last_modified_utc } = await read(player, id, timezone ? { timezone } : {});
      expect([last_modified, last_modified_utc]).toEqual(rows[0]);
    }
  });
});

describe('calendar: all and list beyond the scenarios', () => {
  it('knows the column aliases all and list', async () => {
    const player = await someone();
    const id = await created(player, { start_date: monday, end_date: monday + HOUR, location: 'L', categories: 'a,b' });
    const range = { start: monday, end: monday + DAY };
    const self = String(player.userId);
    expect(await all(player, 'all', range)).toEqual([[id, player.folder, null, null, self]]);
    const [row] = await all(player, 'list', range);
    expect(row).toHaveLength(19);
    expect([row![5], row![6], row![14], row![18]]).toEqual(['T', monday, 'L', 'a,b']);
    const listed = await player.put('calendar', 'list', { columns: 'list' }, [{ id, folder: player.folder }]);
    expect(listed.data).toEqual([row]);
  });

  it('sorts by any column, and refuses a column that there is not', async () => {
    const player = await someone();
    for (const title of ['b', 'c', 'a']) await created(player, { title, start_date: monday, end_date: monday + HOUR });
    const range = { start: monday, end: monday + DAY };
    const titles = async (sort: object) => (await all(player, '200', range, { ...sort })).flat();
    expect(await titles({ sort: '200', order: 'asc' })).toEqual(['a', 'b', 'c']);
    expect(await titles({ sort: 'title', order: 'desc' })).toEqual(['c', 'b', 'a']);
    expect(await all(player, '200', range, { sort: '1', order: 'desc' })).toEqual([['a'], ['c'], ['b']]);
    const query = { columns: '1', folder: player.folder, ...range };
    const bad = await player.get('calendar', 'all', { ...query, sort: '9999', order: 'asc' });
    expect(bad).toMatchObject({ code: 'SVL-0010', error_params: ['sort', '9999'] });
    expect((await player.get('calendar', 'all', { ...query, columns: '1,9999' })).code).toBe('SVL-0010');
    expect(await titles({ sort: '200' })).toEqual(['a', 'b', 'c']);
    const next = await player.get('calendar', 'newappointments', { ...range, columns: '200', limit: '5', sort: '200' });
    expect(next.data).toEqual([['a'], ['b'], ['c']]);
    expect((await player.get('calendar', 'all', { ...query, order: 'asc' })).error_params).toEqual(['sort']);
  });

  it('list answers occurrences, exceptions, and series by their first occurrence or as a whole', async () => {
    const player = await someone();
    const series = { recurrence_type: 1, interval: 1, occurrences: 5 };
    const id = await created(player, { ...series, start_date: monday, end_date: monday + HOUR });
    await remove(player, [{ id, pos: 1 }]);
    const changed = (await update(player, id, { recurrence_position: 3, title: 'E' })).data.id;
    const list = async (items: object[], parameters: Record<string, string> = {}) =>
      (
        await player.put(
          'calendar',
          'list',
          { columns: '1,200,201,207', ...parameters },
          items.map((item) => ({ id, folder: player.folder, ...item })),
        )
      ).data;
    expect(await list([{ recurrence_position: 4 }, { recurrence_date_position: monday + DAY }])).toEqual([
      [id, 'T', monday + 3 * DAY, 4],
      [id, 'T', monday + DAY, 2],
    ]);
    expect(await list([{ recurrence_position: 3 }, { id: changed }])).toEqual([
      [String(changed), 'E', monday + 2 * DAY, 3],
      [String(changed), 'E', monday + 2 * DAY, 3],
    ]);
    expect(await list([{ recurrence_position: 1 }, { recurrence_position: 9 }])).toEqual([]);
    expect(await list([{}])).toEqual([[id, 'T', monday + DAY, 2]]);
    expect(await list([{}], { recurrence_master: 'true' })).toEqual([[id, 'T', monday, null]]);
  });

  it('shows others the times of private appointments only, in the series, its exceptions and by id', async () => {
    const [owner, guest] = [await someone(), await someone()];
    const permissions = [
      { entity: owner.userId, bits: 403710016, group: false },
      { entity: guest.userId, bits: 257, group: false },
    ];
    const folder = (
      await owner.put('folders', 'new', { folder_id: '1' }, { title: 'Shared', module: 'calendar', permissions })
    ).data;
    const secret = { private_flag: true, title: 'secret', location: 'secret', note: 'secret', categories: 'secret' };
    const times = { start_date: monday, end_date: monday + HOUR };
    const series = { recurrence_type: 1, interval: 1, occurrences: 3 };
    const id = await created(owner, { ...times, ...series, ...secret, folder_id: folder });
    const changed = await update(owner, id, { recurrence_position: 2, title: 'secret too' }, { folder });
    expect(changed.data.id).toBeDefined();
    const columns = '1,20,101,200,201,202,203,220,221,223,400,402';
    const range = { start: monday, end: monday + 7 * DAY };
    expect(await all(guest, columns, range, { folder })).toEqual([]);
    const blocks = await all(guest, columns, range, { folder, showPrivate: true });
    expect(blocks).toHaveLength(3);
    for (const row of blocks)
      expect(row.slice(2)).toEqual([true, 'Private', row[4], row[4] + HOUR, ...[null, null, null, null, null, 1]]);
    const whole = await all(guest, columns, range, { folder, showPrivate: true, recurrence_master: true });
    expect(whole).toHaveLength(2);
    const items = [{ id, recurrence_position: 1 }, { id: changed.data.id }, { id }].map((item) => ({
      ...item,
      folder,
    }));
    const listed = (await guest.put('calendar', 'list', { columns }, items)).data;
    const object = (await guest.get('calendar', 'get', { id, folder })).data;
    const exceptions = (await guest.get('calendar', 'getChangeExceptions', { id, folder, columns })).data;
    expect([listed.length, exceptions.length, object.title]).toEqual([3, 1, 'Private']);
    expect(JSON.stringify([blocks, whole, listed, object, exceptions])).not.toContain('secret');
    expect((await owner.get('calendar', 'get', { id, folder })).data).toMatchObject(secret);
    expect(await all(owner, '200', range, { folder })).toEqual([['secret'], ['secret too'], ['secret']]);
  });
});
