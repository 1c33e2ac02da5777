import { until } from '@groupware/test-kit';
import { Client as Database } from 'pg';
import { createFixtures, createTestUser, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { at, dataOf, type Json } from './events';

let environment: TestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  environment = await startTestEnvironment({ properties: { 'com.example.calendar.availabilityInFreeBusy': 'true' } });
  cast = await createFixtures(environment);
}, 120_000);
afterAll(() => environment?.close());

const set = (availableTimes: Json[] | undefined) =>
  cast.U1.put('chronos/availability', 'set', {}, availableTimes ? { availableTimes } : {});
const list = async (user = cast.U1): Promise<Json[]> => dataOf(await user.get('chronos/availability', 'get', {}));

const OFFICE = {
  start: at('20310602T080000', 'Europe/Berlin'),
  end: at('20310602T160000', 'Europe/Berlin'),
  rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR',
};
const SATURDAY = { start: at('20310607T100000Z'), end: at('20310607T110000Z') };

describe('availability', () => {
  it('CV-01 is answered in the order in which it was set, and replaced as a whole', async () => {
    expect(dataOf(await set([SATURDAY, OFFICE]))).toEqual({});
    const times = await list();
    expect(times).toMatchObject([SATURDAY, OFFICE]);
    expect(new Set(times.map(({ uid }) => uid)).size).toBe(2);
    expect(times[0]).toMatchObject({ id: 1, user: cast.U1.userId, created: expect.any(Number) });
    expect(await list(cast.U2)).toEqual([]);
    dataOf(await set([OFFICE]));
    expect(await list()).toMatchObject([OFFICE]);
    dataOf(await set(undefined));
    expect(await list()).toEqual([]);
  });

  it('CV-01 is counted in free/busy where that is switched on', async () => {
    dataOf(await set([OFFICE]));
    const body = { attendees: [{ entity: cast.U1.userId }, { entity: cast.U2.userId }] };
    const query = { from: '20310606T000000Z', until: '20310607T000000Z' };
    const answer: Json[] = dataOf(await cast.U3.put('chronos', 'freeBusy', query, body));
    const day = Date.UTC(2031, 5, 6);
    const periods = answer[0]!.freeBusyTime.map(({ startTime, endTime, fbType }: Json) => [
      startTime - day,
      endTime - day,
      fbType,
    ]);
    const HOUR = 3_600_000;
    expect(periods).toEqual([
      [0, 6 * HOUR, 'BUSY-UNAVAILABLE'],
      [14 * HOUR, 24 * HOUR, 'BUSY-UNAVAILABLE'],
    ]);
    expect(answer[1]!.freeBusyTime).toEqual([]);
    dataOf(await set([]));
  });

  it('goes with its user', async () => {
    const user = await createTestUser(environment, cast.admin, cast.contextId, 'leaver');
    dataOf(await user.put('chronos/availability', 'set', {}, { availableTimes: [OFFICE] }));
    const database = new Database({ connectionString: environment.environment.DATABASE_URL });
    await database.connect();
    try {
      const text = 'select count(*)::int as count from calendar.available_time where user_id = $1';
      const count = async (): Promise<number> => (await database.query(text, [user.userId])).rows[0].count;
      expect(await count()).toBe(1);
      await cast.admin.expect('DELETE', `/admin/v1/contexts/${cast.contextId}/users/${user.userId}`);
      await until(async () => (await count()) === 0);
    } finally {
      await database.end();
    }
  });

  it.each<[string, Json, string]>([
    ['no start', { end: OFFICE.end }, 'CAL-4220'],
    ['no end', { start: OFFICE.start }, 'CAL-4220'],
    ['an end before the start', { start: OFFICE.end, end: OFFICE.start }, 'CAL-4221'],
    ['a day and a time', { start: at('20310602'), end: OFFICE.end }, 'CAL-4229'],
    ['a rule that is none', { ...OFFICE, rrule: 'FREQ=NEVER' }, 'CAL-4002'],
    ['a time that is none', { ...OFFICE, start: at('tomorrow') }, 'CAL-4006'],
  ])('%s is refused, and the old ones stay', async (_what, time, code) => {
    dataOf(await set([SATURDAY]));
    expect(await set([OFFICE, time])).toMatchObject({ code });
    expect(await list()).toMatchObject([SATURDAY]);
  });
});

describe('the catalogue of calendars', () => {
  it.each([
    ['browse', {}],
    ['search', { query: 'x' }],
    ['countries', {}],
    ['languages', {}],
  ])('%s says that nobody configured it', async (action, query) => {
    expect(await cast.U1.get('chronos/schedjoules', action, query)).toMatchObject({ code: 'CAL-5030' });
  });
});
