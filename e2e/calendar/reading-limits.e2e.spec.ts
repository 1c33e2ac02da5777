import { Client as Database } from 'pg';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { ALL_TIME, created, DAY, HOUR, update } from './calendar';
import { toEventTime } from '../times';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `l${(count += 1)}`);

beforeAll(async () => {
  world = await startTestEnvironment({ properties: { 'com.example.calendar.maxBusyPeriods': '2' } });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const start = Date.UTC(2020, 2, 9, 9);
const times = { start_date: start, end_date: start + HOUR };
const configure = (player: TestUser, name: string, value: number) =>
  cast.admin.expect('PUT', `/admin/v1/contexts/${player.contextId}/users/${player.userId}/config/com.example.${name}`, {
    value,
  });

describe('calendar: limits of reading', () => {
  it('more results than allowed are an error everywhere', async () => {
    const player = await someone();
    await configure(player, 'calendar.maxEventResults', 2);
    for (let index = 0; index < 2; index += 1) await created(player, times);
    const range = { start, end: start + DAY };
    const ask = async () => [
      (await player.get('calendar', 'all', { columns: '1', ...range })).code,
      (await player.put('calendar', 'search', { columns: '1' }, { pattern: '*' })).code,
      (await player.get('calendar', 'freebusy', { id: player.userId, type: 1, ...range })).code,
    ];
    expect(await ask()).toEqual([undefined, undefined, undefined]);
    await created(player, { ...times, recurrence_type: 1, interval: 1 });
    expect(await ask()).toEqual(['CAL-5072', 'CAL-5072', 'CAL-5072']);
    const next = { columns: '1', ...range, limit: 100 };
    expect((await player.get('calendar', 'newappointments', next)).data).toHaveLength(2);
  });

  it('more busy times than one question may find are an error', async () => {
    const player = await someone();
    const range = { from: toEventTime(start), until: toEventTime(start + DAY) };
    const ask = () => player.put('chronos', 'freeBusy', range, { attendees: [{ entity: player.userId }] });
    for (let index = 0; index < 2; index += 1) await created(player, times);
    expect(await ask()).not.toHaveProperty('error');
    await created(player, times);
    expect((await ask()).code).toBe('CAL-5072');
  });

  it('more changes than allowed are an error', async () => {
    await cast.admin.expect('PUT', `/admin/v1/contexts/${cast.otherContextId}/config/com.example.calendar.maxUpdates`, {
      value: 1,
    });
    const query = { columns: '1', folder: cast.X1.folder, timestamp: 0 };
    await created(cast.X1, times);
    expect((await cast.X1.get('calendar', 'updates', query)).data).toHaveLength(1);
    await created(cast.X1, times);
    expect((await cast.X1.get('calendar', 'updates', query)).code).toBe('CAL-5072');
  });

  it('deletions that are no longer known ask for a fresh start', async () => {
    const player = await someone();
    await created(player, times);
    const query = { columns: '1', folder: player.folder };
    const { timestamp } = await player.get('calendar', 'updates', { ...query, timestamp: 0 });
    const database = new Database({ connectionString: world.environment.DATABASE_URL });
    await database.connect();
    await database.query('update calendar.appointment_counter set forgotten = $1 where context_id = $2', [
      timestamp! + 1,
      cast.contextId,
    ]);
    await database.end();
    const late = await player.get('calendar', 'updates', { ...query, timestamp });
    expect(late).toMatchObject({ code: 'CAL-4121', categories: 'CONFLICT' });
    const fresh = await player.get('calendar', 'updates', { ...query, timestamp: 0 });
    expect(fresh.data).toHaveLength(1);
  });

  it('searches need as many characters as configured', async () => {
    const player = await someone();
    await configure(player, 'minimumSearchCharacters', 3);
    const search = (pattern: string) => player.put('calendar', 'search', { columns: '1' }, { pattern });
    expect((await search('a*b')).code).toBe('APP-0094');
    expect((await search('abc')).data).toEqual([]);
  });

  it('has is asked for a bounded number of days', async () => {
    const query = { start: ALL_TIME.start, end: ALL_TIME.end };
    expect(await cast.U1.get('calendar', 'has', query)).toMatchObject({ code: 'SVL-0010' });
  });
});

describe('calendar: folders that may be seen but not read', () => {
  it('are refused by every reading action', async () => {
    const [owner, guest] = [await someone(), await someone()];
    const permissions = [
      { entity: owner.userId, bits: 403710016, group: false },
      // Creates objects and reads none.
      { entity: guest.userId, bits: 2, group: false },
    ];
    const folder = (
      await owner.put('folders', 'new', { folder_id: '1' }, { title: 'Shared', module: 'calendar', permissions })
    ).data;
    const series = { recurrence_type: 1, interval: 1, occurrences: 3 };
    const id = await created(owner, { ...times, ...series, folder_id: folder, uid: 'unseen' });
    await update(owner, id, { recurrence_position: 2, title: 'secret' }, { folder });
    const columns = '1,200';
    const refused = [
      await guest.get('calendar', 'all', { columns, folder, ...ALL_TIME }),
      await guest.put('calendar', 'search', { columns }, { pattern: '*', folder }),
      await guest.get('calendar', 'updates', { columns, folder, timestamp: 0 }),
      await guest.get('calendar', 'getChangeExceptions', { columns, folder, id }),
      await guest.get('calendar', 'get', { folder, id }),
    ];
    for (const answer of refused) expect(answer).toMatchObject({ code: 'APP-0062', categories: 'PERMISSION_DENIED' });
    expect((await guest.put('calendar', 'list', { columns }, [{ id, folder }])).data).toEqual([]);
    expect((await owner.get('calendar', 'resolveuid', { uid: 'unseen' })).data).toEqual({ id });
    expect((await guest.get('calendar', 'resolveuid', { uid: 'unseen' })).code).toBe('OX-0001');
  });

  it('and an id in another folder is refused as well', async () => {
    const player = await someone();
    const second = await player.put('folders', 'new', { folder_id: '1' }, { title: 'Second', module: 'calendar' });
    const id = await created(player, times);
    const query = { id, folder: second.data, columns: '1' };
    expect((await player.get('calendar', 'getChangeExceptions', query)).code).toBe('APP-0059');
    expect((await player.get('calendar', 'get', { id, folder: second.data })).code).toBe('APP-0059');
  });
});
