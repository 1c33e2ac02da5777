import fc from 'fast-check';
import { Client as Database } from 'pg';
import { RequestErrors } from '@groupware/contracts';
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { created, update } from './calendar';

/** How often each action is tried; `E2E_FUZZ_RUNS=10000` for a long run. */
const FUZZ_RUNS = Number(process.env.E2E_FUZZ_RUNS ?? 80);
/** No answer may take longer, ms. */
const PATIENCE_MS = 10_000;
let world: TestEnvironment;
let cast: Fixtures;
let database: Database;
let single: string;
let series: string;
let exception: string;

beforeAll(async () => {
  world = await startTestEnvironment();
  cast = await createFixtures(world);
  database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  const times = { start_date: Date.UTC(2035, 4, 7, 9), end_date: Date.UTC(2035, 4, 7, 10) };
  const participants = [
    { type: 1, id: cast.U1.userId },
    { type: 1, id: cast.U2.userId },
    { type: 5, mail: 'e@example.com' },
  ];
  single = await created(cast.U1, { ...times, participants });
  series = await created(cast.U1, { ...times, recurrence_type: 1, interval: 1, participants });
  exception = String((await update(cast.U1, series, { recurrence_position: 3, title: 'third' })).data.id);
}, 120_000);
afterAll(async () => {
  await database?.end();
  await world?.close();
});

const odd = fc.oneof(
  fc.constantFrom(null, '', ' ', '0', 0, -1, 1, 2, 1e9, 2 ** 31, 2 ** 53, -(2 ** 53), 1e300, 0.5, true, false, [], {}, [
    [],
  ]),
  fc.constantFrom('\u0000', '\ud800', 'NaN', '1e999', "'; drop table appointment; --", '😀'.repeat(200), '-0', '../..'),
  fc.string({ maxLength: 40, unit: 'binary' }),
  fc.integer(),
  fc.double(),
  fc.jsonValue({ maxDepth: 2 }),
);
const instant = fc.oneof(
  fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2200, 0, 1) }),
  fc.constantFrom(
    Date.UTC(2035, 4, 7),
    Date.UTC(2035, 2, 25, 2, 30),
    0,
    -8.64e15,
    8.64e15,
    8.64e15 + 1,
    Number.MAX_SAFE_INTEGER,
  ),
);
/** A value as a client would send it, mostly. */
const usually = (good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: good }, { weight: 1, arbitrary: odd });
const person = (): fc.Arbitrary<unknown> => fc.constantFrom(...[cast.U1, cast.U2, cast.U3].map(({ userId }) => userId));
const participant = () =>
  fc.record(
    {
      type: usually(fc.constantFrom(1, 1, 2, 3, 4, 5, 6)),
      id: usually(fc.oneof(person(), fc.constantFrom(cast.room, cast.team))),
      mail: usually(fc.constantFrom('e@example.com', 'x@example.com', cast.U2.email)),
      display_name: usually(fc.string()),
      confirm: usually(fc.nat(4)),
    },
    { requiredKeys: ['type'] },
  );
const folder = () => usually(fc.constantFrom(cast.U1.folder, cast.U2.folder, cast.X1.folder, '1', '2', '15'));
const fields = () => ({
  title: usually(fc.string({ maxLength: 300 })),
  location: usually(fc.string()),
  note: usually(fc.string()),
  categories: usually(fc.string()),
  start_date: usually(instant),
  end_date: usually(instant),
  full_time: usually(fc.boolean()),
  timezone: usually(fc.constantFrom('UTC', 'Europe/Berlin', 'GMT+08:00', 'Middle/Earth', 'America/New_York')),
  shown_as: usually(fc.nat(5)),
  private_flag: usually(fc.boolean()),
  color_label: usually(fc.integer({ min: -1, max: 11 })),
  alarm: usually(fc.integer({ min: -1, max: 100_000 })),
  ignore_conflicts: usually(fc.boolean()),
  participants: usually(fc.array(participant(), { maxLength: 4 })),
  users: usually(
    fc.array(fc.record({ id: person(), confirm: usually(fc.nat(3)), confirmmessage: odd }), { maxLength: 3 }),
  ),
  recurrence_type: usually(fc.nat(5)),
  interval: usually(fc.oneof(fc.nat(4), fc.constantFrom(1, 1000, 2 ** 31 - 1))),
  days: usually(fc.integer({ min: -1, max: 128 })),
  day_in_month: usually(fc.integer({ min: -1, max: 32 })),
  month: usually(fc.integer({ min: -1, max: 12 })),
  until: usually(instant),
  occurrences: usually(fc.oneof(fc.nat(10), fc.constantFrom(2 ** 31 - 1))),
  recurrence_position: usually(fc.nat(12)),
  recurrence_date_position: usually(instant),
  uid: usually(fc.constantFrom('same', 'x'.repeat(1024))),
  organizer: usually(fc.string()),
  sequence: usually(fc.nat(5)),
  id: odd,
  folder_id: folder(),
});
const anId = () => usually(fc.constantFrom(single, series, exception, '999999'));
const timestamp = usually(fc.constantFrom(9_000_000_000_000, 0, Number.MAX_SAFE_INTEGER, 2 ** 62));
const zone = usually(fc.constantFrom('UTC', 'Europe/Berlin'));
const body = () => fc.record(fields(), { requiredKeys: [] });
/** A body that nearly is one, so that more than the first check is reached. */
const nearly = () =>
  fc.tuple(body(), fc.uniqueArray(fc.constantFrom(...Object.keys(fields())), { maxLength: 5 })).map(([all, kept]) => ({
    title: 'F',
    folder_id: cast.U1.folder,
    start_date: Date.UTC(2036, 0, 1, 9),
    end_date: Date.UTC(2036, 0, 1, 10),
    ignore_conflicts: true,
    ...Object.fromEntries(Object.entries(all).filter(([name]) => kept.includes(name) && name !== 'id')),
  }));
const change = () =>
  fc
    .tuple(body(), fc.uniqueArray(fc.constantFrom(...Object.keys(fields())), { maxLength: 4 }))
    .map(([all, kept]) => Object.fromEntries(Object.entries(all).filter(([name]) => kept.includes(name))));
const reference = () =>
  fc.record(
    {
      id: anId(),
      folder: folder(),
      pos: usually(fc.nat(12)),
      recurrence_position: usually(fc.nat(12)),
      recurrence_date_position: usually(instant),
    },
    { requiredKeys: ['id', 'folder'] },
  );
const answer = () =>
  fc.record(
    {
      confirmation: usually(fc.nat(4)),
      confirmmessage: usually(fc.string()),
      id: usually(person()),
      type: usually(fc.constantFrom(1, 5)),
      mail: usually(fc.constantFrom('e@example.com')),
    },
    { requiredKeys: ['confirmation'] },
  );
const query = (more: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(more, { requiredKeys: Object.keys(more).slice(0, 3) });

/** Action, parameters, body. */
const actions: Record<string, () => [fc.Arbitrary<object>, fc.Arbitrary<unknown>]> = {
  new: () => [query({ timezone: zone }), fc.oneof({ weight: 3, arbitrary: nearly() }, body(), odd)],
  update: () => [
    query({ id: anId(), folder: usually(fc.constant(cast.U1.folder)), timestamp, timezone: zone }),
    fc.oneof({ weight: 3, arbitrary: change() }, body(), odd),
  ],
  confirm: () => [
    query({
      id: anId(),
      folder: usually(fc.constant(cast.U1.folder)),
      timestamp,
      occurrence: usually(fc.nat(9)),
      timezone: zone,
    }),
    fc.oneof({ weight: 4, arbitrary: answer() }, odd),
  ],
  copy: () => [
    fc.record({ id: anId(), folder: folder(), ignore_conflicts: usually(fc.boolean()), timezone: zone }),
    fc.oneof({ weight: 4, arbitrary: fc.record({ folder_id: folder() }) }, odd),
  ],
  delete: () => [
    query({ timestamp: usually(fc.constantFrom(0, 1_000)), timezone: zone }),
    fc.oneof({ weight: 4, arbitrary: fc.array(reference(), { maxLength: 3 }) }, reference(), odd),
  ],
};

/** Everything a write may leave behind. */
async function state(): Promise<string> {
  const { rows } = await database.query(
    `select (select count(*) from calendar.appointment) as appointments, (select count(*) from calendar.attendee) as attendees,
       (select count(*) from calendar.tombstone) as tombstones, (select sum(last_stamp) from calendar.appointment_counter) as stamps`,
  );
  return JSON.stringify(rows[0]);
}

/** Codes of unforeseen failures, of time that ran out, and of services that are away. */
const UNEXPECTED = [RequestErrors.unexpected, RequestErrors.deadlinePassed, RequestErrors.serviceUnavailable].map(
  ({ entry }) => entry.code,
);

describe('calendar: whatever is sent', () => {
  it.each(Object.keys(actions))(
    '%s answers soon, without an unexpected error, and leaves nothing when it refuses',
    async (action) => {
      const [parameters, content] = actions[action]!();
      const seen = { refused: 0, done: 0 };
      const attempt = async (given: object, sent: unknown): Promise<void> => {
        const texts = Object.entries(given).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]);
        const before = await state();
        const began = performance.now();
        const result = await cast.U1.put('calendar', action, Object.fromEntries(texts), sent);
        expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
        if (!result.error && !result.data?.conflicts) {
          seen.done += 1;
          return;
        }
        seen.refused += 1;
        if (result.error) {
          expect(result.code).toMatch(/^[A-Z_]+-\d{4,5}$/);
          // The request is to blame, and the client is told so.
          expect(UNEXPECTED).not.toContain(result.code);
        }
        expect(await state()).toBe(before);
      };
      await fc.assert(fc.asyncProperty(parameters, content, attempt), { numRuns: FUZZ_RUNS, endOnFailure: true });
      expect(seen.refused).toBeGreaterThan(3);
      if (action === 'new') expect(seen.done).toBeGreaterThan(0);
    },
    60_000 + FUZZ_RUNS * 500,
  );
});
