import { createCast, createPlayer, type Cast, type Player } from '../cast';
import { startWorld, type World } from '../world';
import { all, ALL_TIME, created, DAY, HOUR } from './calendar';

let world: World;
let cast: Cast;
let count = 0;
const someone = (timezone = 'UTC'): Promise<Player> =>
  createPlayer(world, cast.admin, cast.contextId, `g${(count += 1)}`, timezone);

beforeAll(async () => {
  world = await startWorld();
  cast = await createCast(world);
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
  });

  it('TZ-05: last_modified_utc is never shifted', async () => {
    const player = await someone();
    await created(player, { start_date: instant, end_date: instant + HOUR });
    const utc = await all(player, '6', day, { timezone: 'UTC' });
    expect(await all(player, '6', day, { timezone: 'GMT+08:00' })).toEqual(utc);
  });
});
