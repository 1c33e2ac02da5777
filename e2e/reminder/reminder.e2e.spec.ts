import { Client as Database } from 'pg';
import { reminderEvents, toReminderId, type DueAlarm, type EventMessage } from '@groupware/contracts';
import { Bus, EventBus } from '@groupware/messaging';
import { created, DAY, HOUR, remove, update } from '../calendar/calendar';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const MINUTE = 60_000;
let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (timezone = 'UTC'): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `r${(count += 1)}`, timezone);

beforeAll(async () => {
  world = await startTestEnvironment({ variables: { SETTINGS_OWNER_TIMEOUT_MS: '1500' } });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

/** Noon of tomorrow, UTC. */
const NOON = Math.floor(Date.now() / DAY) * DAY + 36 * HOUR;
const at = (start: number) => ({ start_date: start, end_date: start + HOUR });
const range = async (player: TestUser, end: number, modules?: string, timezone = 'UTC'): Promise<any[]> => {
  const answer = await player.get('reminder', 'range', { end, modules, timezone });
  expect(answer).toEqual({ data: expect.any(Array), timestamp: expect.any(Number) });
  return answer.data;
};
const forget = (player: TestUser, ...ids: unknown[]) =>
  player.put(
    'reminder',
    'delete',
    {},
    ids.map((id) => ({ id })),
  );

describe('reminder: range', () => {
  it('answers alarms so many minutes before the start, in order', async () => {
    const player = await someone('Europe/Berlin');
    const utc = { timezone: 'UTC' };
    const late = await created(player, { ...at(NOON + HOUR), alarm: 15 }, utc);
    const early = await created(player, { ...at(NOON), alarm: 15 }, utc);
    await created(player, at(NOON), utc);
    expect(await range(player, NOON - 15 * MINUTE - 1)).toEqual([]);
    const found = await range(player, NOON + DAY, '1,4');
    expect(found).toEqual([
      {
        id: expect.any(Number),
        target_id: Number(early),
        folder: Number(player.folder),
        alarm: NOON - 15 * MINUTE,
        module: 1,
        server_time: expect.any(Number),
        user_id: player.userId,
        last_modified: expect.any(Number),
        recurrence_position: 0,
      },
      expect.objectContaining({ target_id: Number(late), alarm: NOON + 45 * MINUTE }),
    ]);
    expect(await range(player, NOON + DAY, '4')).toEqual([]);
  });

  it('shows times on the clock of the request or of the user, stamps never', async () => {
    const player = await someone('Asia/Tokyo');
    await created(player, { ...at(NOON), alarm: 15 }, { timezone: 'UTC' });
    const [utc] = await range(player, NOON + DAY);
    const [own] = (await player.get('reminder', 'range', { end: NOON + DAY })).data;
    const [fixed] = await range(player, NOON + DAY, '1', 'GMT+08:00');
    expect(utc.alarm).toBe(NOON - 15 * MINUTE);
    expect(own).toEqual({ ...utc, alarm: utc.alarm + 9 * HOUR, server_time: expect.any(Number) });
    expect(own.server_time - utc.server_time).toBeGreaterThanOrEqual(9 * HOUR);
    expect(fixed.alarm).toBe(utc.alarm + 8 * HOUR);
    const again = { alarm: NOON + 9 * HOUR + 5 * MINUTE };
    const answer = await player.put('reminder', 'remindAgain', { id: own.id }, again);
    expect(answer.data).toMatchObject(again);
    expect((await range(player, NOON + 5 * MINUTE)).map(({ alarm }) => alarm)).toEqual([NOON + 5 * MINUTE]);
    expect(await range(player, NOON + 5 * MINUTE - 1)).toEqual([]);
    const nowhere = { timezone: 'Nowhere/Land' };
    expect((await player.get('reminder', 'range', nowhere)).code).toBe('CAL-4001');
    expect((await player.put('reminder', 'remindAgain', { id: own.id, ...nowhere }, again)).code).toBe('CAL-4001');
  });

  it('shows the next occurrence of a series, and whole days in the zone of the user', async () => {
    const player = await someone('America/New_York');
    const day = NOON - 12 * HOUR + 10 * DAY;
    await created(player, { full_time: true, start_date: day, end_date: day + DAY, alarm: 0 });
    const series = await created(
      player,
      { ...at(NOON), alarm: 5, recurrence_type: 1, interval: 1, occurrences: 3 },
      { timezone: 'UTC' },
    );
    const found = await range(player, NOON + 20 * DAY);
    expect(found).toEqual([
      expect.objectContaining({ target_id: Number(series), alarm: NOON - 5 * MINUTE, recurrence_position: 1 }),
      expect.objectContaining({ recurrence_position: 0 }),
    ]);
    const hour = new Intl.DateTimeFormat('en', { timeZone: 'America/New_York', hour: 'numeric', hourCycle: 'h23' });
    expect(hour.format(found[1].alarm)).toBe('00');
  });

  it('is of the user alone, and follows his appointments', async () => {
    const [owner, guest] = [await someone(), await someone()];
    const participants = [owner, guest].map((player) => ({ type: 1, id: player.userId }));
    const id = await created(owner, { ...at(NOON), alarm: 15, participants });
    expect(await range(guest, NOON)).toEqual([]);
    await update(guest, id, { alarm: 30 });
    expect(await range(guest, NOON)).toEqual([
      expect.objectContaining({ folder: Number(guest.folder), alarm: NOON - 30 * MINUTE }),
    ]);
    await update(owner, id, at(NOON + 2 * HOUR));
    expect((await range(guest, NOON + DAY)).map(({ alarm }) => alarm)).toEqual([NOON + 90 * MINUTE]);
    await remove(owner, [{ id }]);
    expect([await range(owner, NOON + DAY), await range(guest, NOON + DAY)]).toEqual([[], []]);
  });

  it('PR-05: ends with the folder, and with the right to see the appointment', async () => {
    const [owner, guest] = [await someone(), await someone()];
    const folderOf = async (who: TestUser) =>
      String((await who.put('folders', 'new', { folder_id: 1 }, { title: 'Short-lived', module: 'calendar' })).data);
    const folder = await folderOf(owner);
    await created(owner, { ...at(NOON), alarm: 15, folder_id: folder });
    expect(await range(owner, NOON)).toMatchObject([{ folder: Number(folder) }]);
    expect((await owner.put('folders', 'delete', {}, [folder])).data).toEqual([]);
    expect(await range(owner, NOON)).toEqual([]);
    const participants = [owner, guest].map(({ userId }) => ({ type: 1, id: userId }));
    const id = await created(owner, { ...at(NOON), participants });
    await update(guest, id, { alarm: 15 });
    expect(await range(guest, NOON)).toHaveLength(1);
    await update(owner, id, { participants: participants.slice(0, 1) });
    expect(await range(guest, NOON)).toEqual([]);
  });

  it.each([
    ['the folder', []],
    ['what is in it', [1]],
  ])('PR-05: ends with the right to read %s, for tasks, too', async (_what, left) => {
    const [owner, guest] = [await someone(), await someone()];
    const permissions = (...bits: number[]) => [
      { entity: owner.userId, group: false, bits: 403710016 },
      ...bits.map((each) => ({ entity: guest.userId, group: false, bits: each })),
    ];
    const shared = { title: `Tasks ${left.length}`, module: 'tasks', permissions: permissions(4227330) };
    const folder = String((await owner.put('folders', 'new', { folder_id: 1 }, shared)).data);
    const task = { folder_id: folder, title: 'To do', alarm: NOON };
    expect((await guest.put('tasks', 'new', { timezone: 'UTC' }, task)).error).toBeUndefined();
    const [shown] = await range(guest, NOON);
    expect(shown).toMatchObject({ module: 4, folder: Number(folder) });
    const share = (...bits: number[]) =>
      owner.put('folders', 'update', { id: folder }, { permissions: permissions(...bits) });
    expect((await share(...left)).error).toBeUndefined();
    const later = { alarm: NOON + HOUR };
    expect((await guest.put('reminder', 'remindAgain', { id: shown.id }, later)).code).toBe('REM-0009');
    expect(await range(guest, NOON + DAY)).toEqual([]);
    await share(4227330);
    expect(await range(guest, NOON + DAY)).toEqual([]);
  });

  it('refuses bad parameters', async () => {
    const player = await someone();
    expect((await player.get('reminder', 'range', { end: 'soon' })).code).toBe('SVL-0010');
    expect((await player.get('reminder', 'range', { end: NOON, modules: '1,x' })).code).toBe('SVL-0010');
    expect((await player.get('reminder', 'range')).data).toEqual([]);
  });
});

describe('reminder: delete', () => {
  it('PR-03, PR-04, PR-06: answers the ids that were not deleted', async () => {
    const [player, other] = [await someone(), await someone()];
    await created(player, { ...at(NOON), alarm: 15 });
    const [{ id }] = await range(player, NOON);
    expect((await forget(other, id)).data).toEqual([id]);
    expect(await range(player, NOON, '1')).toMatchObject([{ id, module: 1 }]);
    expect((await forget(player, id, 4_711_000)).data).toEqual([4_711_000]);
    expect(await range(player, NOON)).toEqual([]);
    // Of a module without reminders, of none, and none at all.
    for (const unknown of [id, 14, -11, -1, Number.MAX_SAFE_INTEGER])
      expect((await forget(player, unknown)).data).toEqual([unknown]);
    expect((await player.put('reminder', 'delete', {}, [])).data).toEqual([]);
  });

  it('leaves the other occurrences of a series', async () => {
    const player = await someone();
    await created(player, { ...at(NOON), alarm: 15, recurrence_type: 1, interval: 1, occurrences: 2 });
    const [first] = await range(player, NOON + 9 * DAY);
    await forget(player, first.id);
    const [second] = await range(player, NOON + 9 * DAY);
    expect(second).toMatchObject({ recurrence_position: 2, alarm: NOON + DAY - 15 * MINUTE });
    await forget(player, second.id);
    expect(await range(player, NOON + 9 * DAY)).toEqual([]);
  });

  it('refuses entries without an id and bodies of another form', async () => {
    const player = await someone();
    expect((await player.put('reminder', 'delete', {}, [{}])).code).toBe('REM-0016');
    expect((await player.put('reminder', 'delete', {}, [{ id: 'x' }])).code).toMatch(/^SVL-/);
    expect((await player.put('reminder', 'delete', {}, [7])).code).toMatch(/^SVL-/);
  });
});

describe('reminder: remindAgain', () => {
  it('answers the reminder with its new time', async () => {
    const player = await someone();
    const id = await created(player, { ...at(NOON), alarm: 15 });
    const [before] = await range(player, NOON);
    const answer = await player.put('reminder', 'remindAgain', { id: before.id }, { alarm: NOON + 5 * MINUTE });
    expect(answer.data).toEqual({
      ...before,
      alarm: NOON + 5 * MINUTE,
      server_time: expect.any(Number),
      last_modified: expect.any(Number),
    });
    expect(await range(player, NOON)).toEqual([]);
    expect((await range(player, NOON + HOUR)).map(({ target_id }) => target_id)).toEqual([Number(id)]);
  });

  it('PR-04: refuses what it cannot do', async () => {
    const [player, other] = [await someone(), await someone()];
    await created(player, { ...at(NOON), alarm: 15 });
    const [{ id }] = await range(player, NOON);
    const call = (who: TestUser, parameters: Record<string, any>, body: unknown) =>
      who.put('reminder', 'remindAgain', parameters, body);
    expect((await call(player, {}, { alarm: NOON })).code).toBe('SVL-0002');
    expect((await call(player, { id }, {})).code).toBe('REM-0003');
    for (const unknown of [4_711_000, 47_111, -11, Number.MAX_SAFE_INTEGER])
      expect((await call(player, { id: unknown }, { alarm: NOON })).code).toBe('REM-0009');
    expect((await call(other, { id }, { alarm: NOON })).code).toBe('REM-0009');
    expect((await call(player, { id }, { alarm: 'later' })).code).toMatch(/^SVL-/);
    expect((await call(player, { id }, { alarm: 1e300 })).code).toMatch(/^SVL-/);
  });
});

describe('a module that does not answer', () => {
  it('costs its reminders only, which is told, and has them again afterwards', async () => {
    const player = await someone();
    await created(player, { ...at(NOON), alarm: 15 });
    const [own] = await range(player, NOON);
    const database = new Database({ connectionString: world.environment.DATABASE_URL });
    await database.connect();
    try {
      await database.query('begin');
      await database.query('lock table calendar.reminder in access exclusive mode');
      const asked = await player.get('reminder', 'range', { end: NOON });
      expect([asked.data, asked.code, asked.category]).toEqual([[], 'SVL-0033', 13]);
      // Nothing that was not asked for is missed.
      expect(await range(player, NOON, '4')).toEqual([]);
    } finally {
      await database.query('rollback');
      await database.end();
    }
    expect(await range(player, NOON)).toMatchObject([{ id: own.id }]);
  }, 30_000);
});

describe('alarms', () => {
  it('are told as an event when their time has come, once', async () => {
    const bus = await Bus.connect({
      url: world.environment.NATS_URL!,
      prefix: world.environment.GROUPWARE_BUS_PREFIX!,
    });
    const events = new EventBus(bus);
    await events.open();
    const heard: DueAlarm[] = [];
    let wake = () => {};
    await events.subscribe('test', reminderEvents['alarm.due'], async ({ payload }: EventMessage) => {
      heard.push(payload as DueAlarm);
      wake();
    });
    try {
      const player = await someone();
      const start = Date.now() + 1500;
      const told = new Promise<void>((resolve) => (wake = resolve));
      const id = await created(player, { ...at(start), alarm: 0, title: 'Now' }, { timezone: 'UTC' });
      await told;
      expect(Date.now()).toBeGreaterThanOrEqual(start);
      expect(heard).toEqual([
        expect.objectContaining({ userId: player.userId, targetId: Number(id), alarm: start, title: 'Now' }),
      ]);
      expect((await range(player, Date.now())).map((entry) => entry.id)).toEqual([
        toReminderId(1, heard[0]!.reminderId),
      ]);
    } finally {
      await events.close();
      await bus.close();
    }
  }, 30_000);
});
