import fc from 'fast-check';
import { createFixtures, type Fixtures } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { created, DAY, HOUR } from './calendar';

let world: TestEnvironment;
let cast: Fixtures;
const ids: string[] = [];

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
  const times = { start_date: Date.UTC(2020, 2, 9, 9), end_date: Date.UTC(2020, 2, 9, 10) };
  const rules = [
    {},
    { recurrence_type: 1, interval: 1 },
    { recurrence_type: 4, interval: 1, day_in_month: 29, month: 1 },
  ];
  for (const rule of rules) ids.push(await created(cast.U1, { ...times, ...rule }));
  const whole = { full_time: true, start_date: Date.UTC(2020, 2, 9), end_date: Date.UTC(2020, 2, 9) + DAY };
  ids.push(await created(cast.U1, { ...whole, recurrence_type: 2, days: 127, interval: 1, uid: 'fuzz' }));
}, 120_000);
afterAll(() => world?.close());

/** Reading actions with their parameters and, for PUT, the fields of the body. */
const ACTIONS: Readonly<Record<string, { parameters: readonly string[]; body?: readonly string[]; list?: boolean }>> = {
  all: {
    parameters: ['start', 'end', 'columns', 'folder', 'recurrence_master', 'showPrivate', 'sort', 'order', 'range'],
  },
  get: { parameters: ['id', 'folder', 'recurrence_position', 'recurrence_date_position'] },
  list: {
    parameters: ['columns', 'recurrence_master'],
    body: ['id', 'folder', 'recurrence_position', 'recurrence_date_position', 'pos'],
    list: true,
  },
  has: { parameters: ['start', 'end'] },
  search: { parameters: ['columns'], body: ['pattern', 'startletter', 'folder'] },
  freebusy: { parameters: ['id', 'type', 'start', 'end'] },
  newappointments: { parameters: ['columns', 'start', 'end', 'limit', 'sort', 'order'] },
  resolveuid: { parameters: ['uid'] },
  getChangeExceptions: { parameters: ['id', 'folder', 'columns'] },
  updates: {
    parameters: ['timestamp', 'columns', 'folder', 'start', 'end', 'ignore', 'recurrence_master', 'showPrivate'],
  },
};

/** Values that may be right for a parameter. */
const SENSIBLE: Readonly<Record<string, () => readonly unknown[]>> = {
  id: () => [...ids, cast.U1.userId, cast.room],
  folder: () => [cast.U1.folder, cast.U2.folder, cast.X1.folder],
  columns: () => ['1', 'all', 'list', '1,20,200,201,202,207,208,209,210,211,216,222,410', '201,title,220,221,226'],
  start: () => [Date.UTC(2020, 2, 1), Date.UTC(2020, 2, 9), 0, -62_135_596_800_000],
  end: () => [Date.UTC(2020, 2, 9) + 12 * HOUR, Date.UTC(2020, 4, 1), 2_524_608_000_000, 253_402_300_799_999],
  timestamp: () => [0, 1, Date.UTC(2020, 0, 1), 9e15, '1e300'],
  type: () => [1, 3],
  limit: () => [0, 1, 10, 2_147_483_647],
  recurrence_position: () => [1, 2, 1000, 2_147_483_647],
  pos: () => [1, 100_000],
  recurrence_date_position: () => [Date.UTC(2020, 2, 10), 253_402_300_799_999],
  recurrence_master: () => [true, false],
  showPrivate: () => [true, false],
  sort: () => ['201', '200', 'title', '221'],
  order: () => ['asc', 'DESC'],
  range: () => ['contained', 'overlap'],
  ignore: () => ['deleted', 'changed', 'deleted,changed'],
  uid: () => ['fuzz'],
  pattern: () => ['*', '?', 'T', '%', '\\', '*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*'],
  startletter: () => ['T', '_'],
  timezone: () => ['UTC', 'Europe/Berlin', 'America/St_Johns', 'GMT+08:00', 'Pacific/Apia'],
};
const ODD = [
  '',
  ' ',
  'abc',
  '-1',
  '0',
  '1.5',
  '1e400',
  'NaN',
  '99999999999999999999',
  '-253402300799999',
  '\u0000',
  '\ud800',
  "'; drop table appointment; --",
  '1,,2',
  '[]',
  '{}',
  'null',
  'true',
  '0x10',
  '𝒳'.repeat(300),
];
const odd = fc.oneof(fc.constantFrom(...ODD), fc.string({ maxLength: 40 }), fc.integer().map(String));
const json = fc.oneof(odd, fc.jsonValue({ maxDepth: 2 }));

/** A value for a parameter: mostly a sensible one; undefined leaves it out. */
const valueOf = (name: string, strange: fc.Arbitrary<unknown>) =>
  fc
    .oneof(
      { weight: 6, arbitrary: fc.nat(20).map((index) => ({ sensible: index })) },
      { weight: 1, arbitrary: strange },
      { weight: 1, arbitrary: fc.constant(undefined) },
    )
    .map((value) => [name, value] as const);
const fieldsOf = (names: readonly string[], strange: fc.Arbitrary<unknown>) =>
  fc.tuple(...names.map((name) => valueOf(name, strange)));

const call = fc.constantFrom(...Object.keys(ACTIONS)).chain((action) => {
  const { parameters, body } = ACTIONS[action]!;
  return fc.record({
    action: fc.constant(action),
    parameters: fieldsOf([...parameters, 'timezone'], odd),
    items: fc.array(fieldsOf(body ?? [], json), { minLength: 1, maxLength: 4 }),
    wholeBody: fc.option(fc.jsonValue(), { nil: undefined, freq: 12 }),
  });
});

/** A value that is drawn: itself, or the index of a sensible one. */
type Drawn = { readonly sensible?: number } | null | undefined;

const filled = (fields: readonly (readonly [string, unknown])[]): Record<string, any> =>
  Object.fromEntries(
    fields.flatMap(([name, value]) => {
      if (value === undefined) return [];
      const index = (value as Drawn)?.sensible;
      const sensible = SENSIBLE[name]!();
      return [[name, index === undefined ? value : sensible[index % sensible.length]]];
    }),
  );

describe('calendar: reading with any parameters', () => {
  it('answers data or a clear error, in time', async () => {
    let answered = 0;
    const property = fc.asyncProperty(call, async ({ action, parameters, items, wholeBody }) => {
      const { body, list } = ACTIONS[action]!;
      const bodies = items.map(filled);
      const started = Date.now();
      const answer = await cast.U1.call(
        body ? 'PUT' : 'GET',
        'calendar',
        action,
        filled(parameters),
        body && (wholeBody ?? (list ? bodies : bodies[0])),
      );
      expect(Date.now() - started).toBeLessThan(5_000);
      if (answer.error === undefined) answered += 1;
      else {
        expect(answer.code).toMatch(/^[A-Z]+-\d{4,5}$/);
        // Unexpected failures and passed deadlines are ours.
        expect(['SVL-0011', 'SVL-0012', 'SVL-0013', 'SVL-0035']).not.toContain(answer.code);
        expect(answer.categories).not.toMatch(/SERVICE_DOWN|CONNECTIVITY|TRY_AGAIN/);
      }
    });
    await fc.assert(property, { numRuns: Number(process.env.FUZZ_RUNS ?? 400), endOnFailure: true });
    // Most of the calls make sense: the fuzz reaches beyond the checks of parameters.
    expect(answered).toBeGreaterThan(50);
  }, 300_000);
});
