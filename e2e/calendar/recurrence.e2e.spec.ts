import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, ALL_TIME, create, created, FAR_FUTURE, HOUR, read, remove, starts, update } from './calendar';
import type { Fields } from './calendar';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
/** A user without appointments: each scenario has a calendar of its own. */
const someone = (timezone = 'UTC'): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `r${(count += 1)}`, timezone);

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

/** id, zone, recurrence fields, start, expected starts */
const SERIES: [string, string, Fields, number, number[]][] = [
  [
    'RE-01',
    'UTC',
    { recurrence_type: 1, interval: 1, occurrences: 5 },
    1590998400000,
    [1590998400000, 1591084800000, 1591171200000, 1591257600000, 1591344000000],
  ],
  [
    'RE-02',
    'UTC',
    { recurrence_type: 1, interval: 3, until: 1591747200000 },
    1590998400000,
    [1590998400000, 1591257600000, 1591516800000, 1591776000000],
  ],
  [
    'RE-03',
    'UTC',
    { recurrence_type: 2, interval: 1, days: 6, occurrences: 6 },
    1590998400000,
    [1590998400000, 1591084800000, 1591603200000, 1591689600000, 1592208000000, 1592294400000],
  ],
  [
    'RE-05',
    'UTC',
    { recurrence_type: 2, interval: 2, days: 32, occurrences: 4 },
    1591344000000,
    [1591344000000, 1592553600000, 1593763200000, 1594972800000],
  ],
  [
    'RE-06',
    'UTC',
    { recurrence_type: 3, interval: 1, day_in_month: 10, occurrences: 4 },
    1591776000000,
    [1591776000000, 1594368000000, 1597046400000, 1599724800000],
  ],
  [
    'RE-07',
    'UTC',
    { recurrence_type: 3, interval: 1, day_in_month: 30, occurrences: 3 },
    1611993600000,
    [1611993600000, 1614499200000, 1617091200000],
  ],
  [
    'RE-08',
    'UTC',
    { recurrence_type: 3, interval: 1, day_in_month: 2, days: 2, occurrences: 3 },
    1591603200000,
    [1591603200000, 1594627200000, 1597046400000],
  ],
  [
    'RE-09',
    'UTC',
    { recurrence_type: 3, interval: 1, day_in_month: 5, days: 1, occurrences: 3 },
    1593331200000,
    [1593331200000, 1595750400000, 1598774400000],
  ],
  [
    'RE-10',
    'UTC',
    { recurrence_type: 4, interval: 1, day_in_month: 7, month: 11, full_time: true, occurrences: 3 },
    1196985600000,
    [1196985600000, 1228608000000, 1260144000000],
  ],
  [
    'RE-11',
    'UTC',
    { recurrence_type: 4, interval: 1, day_in_month: 1, days: 2, month: 4, occurrences: 3 },
    1588579200000,
    [1588579200000, 1620028800000, 1651478400000],
  ],
  [
    'RE-12',
    'UTC',
    { recurrence_type: 2, days: 96, interval: 1, full_time: true, occurrences: 2 },
    1298592000000,
    [1298592000000, 1298678400000],
  ],
  [
    'RE-13',
    'Europe/Berlin',
    { recurrence_type: 1, interval: 1, occurrences: 4 },
    1603432800000,
    [1603432800000, 1603519200000, 1603609200000, 1603695600000],
  ],
  [
    'RE-14',
    'America/New_York',
    { recurrence_type: 2, days: 2, interval: 1, occurrences: 3 },
    1583157600000,
    [1583157600000, 1583758800000, 1584363600000],
  ],
  [
    'RE-15',
    'Europe/Berlin',
    { recurrence_type: 1, interval: 1, until: 1585526400000 },
    1585346400000,
    [1585346400000, 1585432800000, 1585515600000, 1585602000000],
  ],
];

describe('calendar: recurrence', () => {
  // Without a range the rules are the same; starts are given and read in UTC.
  it.each(SERIES)('%s: the occurrences of a series in %s', async (_id, timezone, fields, start, expected) => {
    const player = await someone();
    const length = fields.full_time ? 24 * HOUR : HOUR;
    const id = await created(
      player,
      { ...fields, timezone, start_date: start, end_date: start + length },
      { timezone: 'UTC' },
    );
    const rows = await all(player, '1,201,202,206,207', ALL_TIME, { timezone: 'UTC', range: 'overlap' });
    expect(rows.map((row) => row[1])).toEqual(expected);
    expect(rows.map((row) => row[2] - row[1])).toEqual(expected.map(() => length));
    expect(rows.map((row) => String(row[3]))).toEqual(expected.map(() => id));
    expect(rows.map((row) => row[4])).toEqual(expected.map((_start, index) => index + 1));
  });

  it('RE-04: a weekly series without days repeats on every day', async () => {
    const player = await someone();
    const id = await created(player, {
      recurrence_type: 2,
      interval: 1,
      start_date: 1590998400000,
      end_date: 1590998400000 + HOUR,
    });
    expect((await read(player, id)).days).toBe(127);
  });

  it('RE-16: a series has either occurrences, or until, or neither', async () => {
    const player = await someone();
    const base = { recurrence_type: 1, interval: 1, start_date: 1590998400000, end_date: 1590998400000 + HOUR };
    const counted = await read(player, await created(player, { ...base, occurrences: 7 }));
    expect(counted.occurrences).toBe(7);
    expect(counted).not.toHaveProperty('until');
    const until = await read(player, await created(player, { ...base, until: 1591747200000 }));
    expect(until.until).toBe(1591747200000);
    expect(until).not.toHaveProperty('occurrences');
    const endless = await read(player, await created(player, base));
    expect(endless).not.toHaveProperty('until');
    expect(endless).not.toHaveProperty('occurrences');
  });

  it.each([
    ['RE-17', { recurrence_type: 1 }, 'APP-0087'],
    ['RE-18', { recurrence_type: 3, interval: 1 }, 'APP-0090'],
    ['RE-18', { recurrence_type: 3, interval: 1, days: 2 }, 'APP-0090'],
    ['RE-18', { recurrence_type: 4, interval: 1, month: 3 }, 'APP-0090'],
    ['RE-19', { recurrence_type: 4, interval: 1, day_in_month: 3 }, 'APP-0064'],
    ['RE-21', { recurrence_type: 1, interval: 1, until: 1590000000000 - (1590000000000 % 86400000) }, 'APP-0086'],
  ])('%s: incomplete recurrence data are refused by new and update', async (_id, fields, code) => {
    const player = await someone();
    const times = { start_date: 1590998400000, end_date: 1590998400000 + HOUR };
    expect((await create(player, { ...times, ...fields })).code).toBe(code);
    expect(await starts(player)).toEqual([]);
    const id = await created(player, times);
    expect((await update(player, id, { ...times, ...fields })).code).toBe(code);
    expect((await read(player, id)).recurrence_type ?? 0).toBe(0);
  });

  it('RE-20: a yearly series has the interval 1', async () => {
    const answer = await create(await someone(), {
      recurrence_type: 4,
      interval: 2,
      day_in_month: 3,
      month: 3,
      start_date: 1590998400000,
      end_date: 1591002000000,
    });
    expect(answer.code).toMatch(/^APP-/);
  });

  it('RE-22: days alone do not change a monthly series', async () => {
    const player = await someone();
    const id = await created(player, {
      recurrence_type: 3,
      interval: 1,
      day_in_month: 2,
      start_date: 1591056000000,
      end_date: 1591059600000,
    });
    expect((await update(player, id, { recurrence_type: 3, days: 2, day_in_month: 2 })).code).toBe('APP-0087');
  });

  it('RE-23: a series begins at its first match', async () => {
    const player = await someone();
    const start = Date.UTC(2015, 7, 10, 8);
    const id = await created(player, {
      recurrence_type: 2,
      interval: 2,
      days: 28,
      start_date: start,
      end_date: start + HOUR,
    });
    expect((await read(player, id)).start_date).toBe(1439280000000);
  });

  const daily = (player: TestUser, occurrences: number) =>
    created(player, {
      recurrence_type: 1,
      interval: 1,
      occurrences,
      start_date: 1199149200000,
      end_date: 1199149200000 + HOUR,
    });

  it('RE-24: a deleted occurrence leaves the others with their numbers', async () => {
    const player = await someone();
    const id = await daily(player, 3);
    const before = (await read(player, id)).last_modified;
    const answer = await remove(player, [{ id, recurrence_position: 2 }]);
    expect(answer).toMatchObject({ data: [], timestamp: expect.any(Number) });
    expect(answer.timestamp).toBeGreaterThan(before);
    const rows = await all(player, '201,207', ALL_TIME, { timezone: 'UTC' });
    expect(rows).toEqual([
      [1199149200000, 1],
      [1199322000000, 3],
    ]);
    expect(await read(player, id)).toMatchObject({ delete_exceptions: [1199232000000], occurrences: 3 });
  });

  it('RE-25: deleting the last position keeps the number of occurrences', async () => {
    const player = await someone();
    const id = await daily(player, 5);
    await remove(player, [{ id, pos: 5 }]);
    expect((await read(player, id)).occurrences).toBe(5);
    expect(await starts(player)).toHaveLength(4);
  });

  it('RE-26, RE-27: a changed occurrence becomes an exception with its own id and can move again', async () => {
    const player = await someone();
    const id = await daily(player, 3);
    const answer = await update(player, id, {
      recurrence_position: 2,
      start_date: 1199242800000,
      end_date: 1199246400000,
    });
    const exception = String(answer.data.id);
    expect(exception).not.toBe(id);
    expect((await read(player, id)).change_exceptions).toEqual([1199232000000]);
    expect(await starts(player)).toEqual([1199149200000, 1199242800000, 1199322000000]);
    const stored = await read(player, exception);
    expect(stored).toMatchObject({ recurrence_position: 2 });
    expect(String(stored.recurrence_id)).toBe(id);
    expect(stored.recurrence_type ?? 0).toBe(0);
    await update(player, exception, { start_date: 1199242800000 + HOUR, end_date: 1199246400000 + HOUR });
    expect(await starts(player)).toEqual([1199149200000, 1199242800000 + HOUR, 1199322000000]);
  });

  it('an occurrence that is changed to what it is leaves no exception and no stamp', async () => {
    const player = await someone();
    const id = await daily(player, 3);
    const series = await read(player, id);
    const { title } = series;
    const answer = await update(player, id, { title, recurrence_position: 2 });
    expect(answer).toMatchObject({ data: { id }, timestamp: series.last_modified });
    const confirm = { id, folder: player.folder, timestamp: FAR_FUTURE };
    const reply = { confirmation: 1, confirmmessage: '' };
    for (const occurrence of [undefined, 2])
      expect(await player.put('calendar', 'confirm', { ...confirm, occurrence }, reply)).toMatchObject({
        timestamp: series.last_modified,
      });
    expect(await update(player, id, { title })).toMatchObject({ data: { id }, timestamp: series.last_modified });
    expect(await read(player, id)).toEqual(series);
  });

  it('RE-28: an exception may move before the first, behind the last and onto the next occurrence', async () => {
    const player = await someone();
    const id = await daily(player, 3);
    const targets = [1199149200000 - 48 * HOUR, 1199322000000 + 48 * HOUR, 1199322000000];
    const first = await update(player, id, {
      recurrence_position: 2,
      start_date: targets[0],
      end_date: targets[0]! + HOUR,
    });
    expect(first.error).toBeUndefined();
    for (const start of targets.slice(1)) {
      const answer = await update(player, String(first.data.id), { start_date: start, end_date: start + HOUR });
      expect(answer.error).toBeUndefined();
    }
    expect(await starts(player)).toEqual([1199149200000, 1199322000000, 1199322000000]);
  });

  it('RE-29: a timed exception of a whole-day series', async () => {
    const player = await someone();
    const day = Date.UTC(2020, 5, 1);
    const id = await created(player, {
      recurrence_type: 1,
      interval: 1,
      occurrences: 3,
      full_time: true,
      start_date: day,
      end_date: day + 24 * HOUR,
    });
    const answer = await update(player, id, {
      recurrence_position: 2,
      full_time: false,
      start_date: day + 34 * HOUR,
      end_date: day + 35 * HOUR,
    });
    expect((await read(player, String(answer.data.id))).full_time).toBe(false);
    expect((await read(player, id)).full_time).toBe(true);
  });

  it('RE-30: participants of an exception do not reach the series', async () => {
    const player = await someone();
    const id = await daily(player, 3);
    const answer = await update(player, id, {
      recurrence_position: 2,
      participants: [
        { type: 1, id: player.userId },
        { type: 1, id: cast.U2.userId },
        { type: 3, id: cast.room },
      ],
    });
    const users = (object: any) => object.users.map((user: any) => Number(user.id)).sort();
    expect(users(await read(player, String(answer.data.id)))).toEqual([player.userId, cast.U2.userId].sort());
    expect(users(await read(player, id))).toEqual([player.userId]);
  });

  it('RE-32: a deleted position can not be changed', async () => {
    const player = await someone();
    const id = await daily(player, 3);
    await remove(player, [{ id, recurrence_position: 2 }]);
    expect((await update(player, id, { recurrence_position: 2, title: 'X' })).code).toBe('APP-0098');
  });

  it('RE-33: a position with an exception is deleted by the exception, not by the series', async () => {
    const player = await someone();
    const id = await daily(player, 3);
    const exception = String((await update(player, id, { recurrence_position: 2, title: 'X' })).data.id);
    expect((await remove(player, [{ id, pos: 2 }])).code).toMatch(/^APP-00(11|74)$/);
    expect((await remove(player, [{ id: exception }])).data).toEqual([]);
    expect(await starts(player)).toEqual([1199149200000, 1199322000000]);
  });

  it('RE-34: an exception does not become a series', async () => {
    const player = await someone();
    const id = await daily(player, 3);
    const exception = String((await update(player, id, { recurrence_position: 2, title: 'X' })).data.id);
    expect((await update(player, exception, { recurrence_type: 1, interval: 1 })).code).toBe('APP-0099');
  });

  it('RE-35: an exception does not end before it starts', async () => {
    const player = await someone();
    const id = await daily(player, 3);
    const exception = String((await update(player, id, { recurrence_position: 2, title: 'X' })).data.id);
    const stored = await read(player, exception);
    const bad = await update(player, exception, { start_date: stored.end_date + HOUR });
    expect(bad.code).toBe('APP-0020');
    expect((await update(player, exception, { end_date: stored.start_date - HOUR })).code).toBe('APP-0020');
  });

  it('RE-36: an occurrence is read by its position', async () => {
    const player = await someone();
    const id = await daily(player, 3);
    expect(await read(player, id, { recurrence_position: 2 })).toMatchObject({
      start_date: 1199235600000,
      end_date: 1199239200000,
      recurrence_position: 2,
    });
    const beyond = await player.get('calendar', 'get', { id, folder: player.folder, recurrence_position: 4 });
    expect(beyond.error).toBeDefined();
  });

  it('an occurrence from which somebody was taken out is deleted for him, and tells him nothing', async () => {
    const [owner, guest] = [await someone(), await someone()];
    const participants = [owner, guest].map(({ userId }) => ({ type: 1, id: userId }));
    const times = { start_date: 1199149200000, end_date: 1199152800000 };
    const id = await created(owner, { ...times, participants, recurrence_type: 1, interval: 1, occurrences: 3 });
    const alone = { participants: participants.slice(0, 1), title: 'Without him' };
    const exception = (await update(owner, id, { recurrence_position: 2, ...alone })).data.id;
    const get = (player: TestUser, recurrence_position: number) =>
      player.get('calendar', 'get', { id, folder: player.folder, recurrence_position });
    expect((await get(owner, 2)).data).toMatchObject({ id: exception, title: 'Without him' });
    expect(await get(guest, 2)).toMatchObject({ code: 'APP-0098', error_params: ['2'] });
    const list = async (player: TestUser) => {
      const items = [1, 2, 3].map((recurrence_position) => ({ id, folder: player.folder, recurrence_position }));
      return (await player.put('calendar', 'list', { columns: '207' }, items)).data;
    };
    expect([await list(owner), await list(guest)]).toEqual([
      [[1], [2], [3]],
      [[1], [3]],
    ]);
  });

  it('a new rule keeps the exceptions it has a place for and reports each one it has none for', async () => {
    const player = await someone();
    const id = await daily(player, 6);
    const kept = String((await update(player, id, { recurrence_position: 3, title: 'kept' })).data.id);
    const gone = [];
    for (const position of [2, 4])
      gone.push(String((await update(player, id, { recurrence_position: position, title: 'gone' })).data.id));
    const answer = await update(player, id, { recurrence_type: 1, interval: 2, occurrences: 3 });
    expect(answer.data.id).toBe(id);
    expect([answer.warnings].flat()).toEqual([
      expect.objectContaining({ code: 'CAL-1990', category: 13, error_params: expect.arrayContaining([gone[0]]) }),
      expect.objectContaining({ code: 'CAL-1990', category: 13, error_params: expect.arrayContaining([gone[1]]) }),
    ]);
    expect(await read(player, kept)).toMatchObject({ title: 'kept', recurrence_position: 2 });
    for (const each of gone)
      expect((await player.get('calendar', 'get', { id: each, folder: player.folder })).code).toBe('OX-0001');
    expect((await read(player, id)).change_exceptions).toEqual([1199318400000]);
  });

  it('values of a series reach the exceptions that had the same ones, and those only', async () => {
    const player = await someone();
    const id = await daily(player, 4);
    const exception = String(
      (await update(player, id, { recurrence_position: 2, title: 'own title', alarm: 5 })).data.id,
    );
    const moved = String(
      (await update(player, id, { recurrence_position: 3, start_date: 1199329200000, end_date: 1199332800000 })).data
        .id,
    );
    const participants = [
      { type: 1, id: player.userId },
      { type: 1, id: cast.U2.userId },
    ];
    const changes = { title: 'new', location: 'there', alarm: 15, participants, start_date: 1199152800000 };
    expect((await update(player, id, { ...changes, end_date: 1199156400000 })).warnings).toBeUndefined();
    const { users, ...stored } = await read(player, exception);
    expect(stored).toMatchObject({ title: 'own title', location: 'there', alarm: 5, start_date: 1199239200000 });
    expect(users.map((each: any) => each.id).sort()).toEqual([player.userId, cast.U2.userId].sort());
    expect(await read(player, moved)).toMatchObject({ title: 'new', alarm: 15, start_date: 1199329200000 });
  });

  it('RE-37: a series without occurrences is gone', async () => {
    const player = await someone();
    const id = await daily(player, 3);
    for (const position of [1, 2, 3]) expect((await remove(player, [{ id, pos: position }])).error).toBeUndefined();
    expect((await player.get('calendar', 'get', { id, folder: player.folder })).code).toBe('OX-0001');
  });

  it('a series is not shortened to occurrences that are deleted', async () => {
    const player = await someone();
    const id = await daily(player, 3);
    await remove(player, [{ id, pos: 1 }]);
    const shorter = { recurrence_type: 1, interval: 1, occurrences: 1 };
    const query = { id, folder: player.folder, timestamp: FAR_FUTURE };
    expect((await player.put('calendar', 'update', query, shorter)).code).toBe('CAL-4002');
    expect(await starts(player)).toHaveLength(2);
  });

  it('RE-38: a series is prolonged', async () => {
    const player = await someone();
    const start = Date.UTC(2010, 7, 2, 9);
    const rule = { recurrence_type: 2, interval: 1, days: 2 };
    const id = await created(player, {
      ...rule,
      until: Date.UTC(2010, 7, 23),
      start_date: start,
      end_date: start + HOUR,
    });
    await update(player, id, { ...rule, until: Date.UTC(2010, 8, 20) });
    const september = { start: Date.UTC(2010, 8, 1), end: Date.UTC(2010, 9, 1) };
    const days = (await all(player, '201', september)).map((row) => new Date(row[0]).getUTCDate());
    expect(days).toEqual([6, 13, 20]);
  });

  it('RE-39: an occurrence in an hour that does not exist is kept', async () => {
    const player = await someone('Europe/Berlin');
    const start = Date.UTC(2008, 2, 30, 1);
    const id = await created(
      player,
      { recurrence_type: 1, interval: 1, occurrences: 3, start_date: start, end_date: start + HOUR },
      { timezone: 'UTC' },
    );
    for (const position of [1, 2])
      expect(
        (await update(player, id, { recurrence_position: position, title: `T${position}` })).error,
      ).toBeUndefined();
    expect(await starts(player)).toHaveLength(3);
  });

  it('RE-40: a series becomes a single appointment', async () => {
    const player = await someone();
    const id = await daily(player, 3);
    await update(player, id, { recurrence_type: 0, start_date: 1199250000000, end_date: 1199253600000 });
    expect(await all(player, '201,202', ALL_TIME)).toEqual([[1199250000000, 1199253600000]]);
  });

  it('RE-41: another time zone of the appointment keeps its instants', async () => {
    const player = await someone();
    const id = await created(player, { start_date: 1593604800000, end_date: 1593608400000 });
    await update(player, id, { timezone: 'America/New_York' });
    expect(await read(player, id)).toMatchObject({
      timezone: 'America/New_York',
      start_date: 1593604800000,
      end_date: 1593608400000,
    });
  });

  it('RE-42: a yearly series begins at its first match', async () => {
    const player = await someone();
    const start = Date.UTC(2015, 4, 5, 8);
    const id = await created(player, {
      recurrence_type: 4,
      interval: 1,
      day_in_month: 16,
      month: 1,
      start_date: start,
      end_date: start + HOUR,
    });
    expect((await read(player, id)).start_date).toBe(1455609600000);
  });

  it('RE-43: a reminder of somebody in another zone changes no times', async () => {
    const far = await someone('America/Los_Angeles');
    const participants = [cast.UB, far].map(({ userId }) => ({ type: 1, id: userId }));
    const start = Date.UTC(2020, 9, 20, 7);
    const fields = { recurrence_type: 1, interval: 1, occurrences: 20, timezone: 'Europe/Berlin', participants };
    const id = await created(cast.UB, { ...fields, start_date: start, end_date: start + HOUR }, { timezone: 'UTC' });
    const before = [await starts(cast.UB), await starts(far)];
    expect(before[0]).toEqual(before[1]);
    expect((await update(far, id, { alarm: 15 })).data.id).toBeDefined();
    expect((await read(far, id)).alarm).toBe(15);
    expect(await read(cast.UB, id)).not.toHaveProperty('alarm');
    expect([await starts(cast.UB), await starts(far)]).toEqual(before);
    const own = await read(far, id);
    await update(far, id, { alarm: 30, start_date: own.start_date, end_date: own.end_date }, { timezone: 'UTC' });
    expect([await starts(cast.UB), await starts(far)]).toEqual(before);
  });
});
