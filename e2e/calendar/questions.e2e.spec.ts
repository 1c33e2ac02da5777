import { createFixtures, type Fixtures } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { created, DAY, FAR_FUTURE, HOUR } from './calendar';

const NINE = Date.UTC(2032, 2, 1, 9);
const RANGE = { start: NINE - DAY, end: NINE + 10 * DAY };
let world: TestEnvironment;
let cast: Fixtures;
let single: string;
let series: string;

type Question = [method: 'GET' | 'PUT', module: string, action: string, query: object, body?: (() => unknown) | object];

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
  const times = { start_date: NINE, end_date: NINE + HOUR };
  single = await created(cast.U1, { ...times, title: 'Single' });
  series = await created(cast.U1, { ...times, title: 'Series', recurrence_type: 1, interval: 1, occurrences: 5 });
}, 120_000);
afterAll(() => world?.close());

const ask = ([method, module, action, query, body]: Question) =>
  cast.U1.call(
    method,
    module,
    action,
    { folder: cast.U1.folder, timezone: 'UTC', ...query },
    typeof body === 'function' ? (body as () => unknown)() : body,
  );
const element = (parts: object) => () => ({ id: series, folder: cast.U1.folder, ...parts });

describe('questions that can not be answered', () => {
  it.each<[string, string[], Question]>([
    ['SVL-0002', ['sort'], ['GET', 'calendar', 'all', { ...RANGE, columns: '1', order: 'desc' }]],
    ['SVL-0010', ['order', 'up'], ['GET', 'calendar', 'all', { ...RANGE, columns: '1', sort: 200, order: 'up' }]],
    ['SVL-0010', ['sort', '999'], ['GET', 'calendar', 'all', { ...RANGE, columns: '1', sort: 999, order: 'asc' }]],
    ['SVL-0002', ['sort'], ['GET', 'calendar', 'newappointments', { ...RANGE, columns: '1', limit: 3, order: 'asc' }]],
    ['SVL-0002', ['sort'], ['GET', 'user', 'all', { columns: '1', order: 'desc' }]],
    ['SVL-0010', ['columns', '9999'], ['GET', 'calendar', 'all', { ...RANGE, columns: '1,9999' }]],
    ['SVL-0002', ['columns'], ['GET', 'calendar', 'all', RANGE]],
    ['SVL-0010', ['range', 'x'], ['GET', 'calendar', 'all', { ...RANGE, columns: '1', range: 'x' }]],
    ['APP-0019', ['2'], ['GET', 'calendar', 'freebusy', { ...RANGE, id: 1, type: 2 }]],
    ['SVL-0002', ['folder'], ['GET', 'calendar', 'updates', { columns: '1', timestamp: 0, folder: undefined }]],
    [
      'SVL-0002',
      ['start'],
      ['GET', 'calendar', 'updates', { columns: '1', timestamp: 0, folder: undefined, ignore: 'deleted' }],
    ],
    ['SVL-0002', ['pattern'], ['PUT', 'calendar', 'search', { columns: '1' }, {}]],
    ['SVL-0002', ['confirmation'], ['PUT', 'calendar', 'confirm', { id: 1, timestamp: FAR_FUTURE }, {}]],
    ['SVL-0002', ['ignore_conflicts'], ['PUT', 'calendar', 'copy', { id: 1 }, { folder_id: '1' }]],
    ['SVL-0002', ['parent'], ['GET', 'folders', 'list', { columns: '1' }]],
    ['FLD-1031', ['9'], ['GET', 'folders', 'root', { columns: '1', tree: 9 }]],
    ['FLD-1018', ['xx'], ['GET', 'folders', 'allVisible', { content_type: 'xx', columns: '1' }]],
    ['APP-0074', ['77'], ['PUT', 'calendar', 'delete', { timestamp: FAR_FUTURE }, element({ pos: 77 })]],
  ])('%s %j', async (code, parameters, question) => {
    expect(await ask(question)).toMatchObject({ code, error_params: parameters });
  });
});

describe('a deletion that came too late', () => {
  it.each<[string, object, object]>([
    ['by position', { pos: 4 }, { pos: 4 }],
    ['by day', { recurrence_date_position: NINE - 9 * HOUR + 3 * DAY }, { pos: 4 }],
    ['of all', {}, {}],
  ])('%s names what it left', async (_, named, answer) => {
    const question: Question = ['PUT', 'calendar', 'delete', { timestamp: 1 }, element(named)];
    expect((await ask(question)).data).toEqual([{ id: series, folder: cast.U1.folder, ...answer }]);
  });
});

describe('questions about one and about many', () => {
  it.each<[string, unknown, () => Question]>([
    [
      'both kinds of changes ignored',
      [],
      () => ['GET', 'calendar', 'updates', { columns: '1', timestamp: 0, ignore: 'deleted,changed' }],
    ],
    ['an end before the start', [], () => ['GET', 'calendar', 'all', { columns: '1', start: 10, end: 5 }]],
    ['no rows at most', [], () => ['GET', 'calendar', 'newappointments', { ...RANGE, columns: '1', limit: 0 }]],
    [
      'descending titles',
      [['Single'], ['Series']],
      () => ['GET', 'calendar', 'all', { ...RANGE, columns: '200', sort: 200, order: 'desc', recurrence_master: true }],
    ],
    [
      'a list in the order of the request, without what is not there',
      [
        ['Series', 4],
        ['Single', null],
      ],
      () => [
        'PUT',
        'calendar',
        'list',
        { columns: '200,207' },
        [element({ recurrence_position: 4 })(), element({ id: '99999' })(), element({ id: single })()],
      ],
    ],
    [
      'days of a range',
      [true, true, true],
      () => ['GET', 'calendar', 'has', { start: NINE - 9 * HOUR, end: NINE - 9 * HOUR + 3 * DAY }],
    ],
    [
      'the folders above',
      [
        [() => cast.U1.folder, 'Calendar'],
        ['1', 'Private folders'],
      ],
      () => ['GET', 'folders', 'path', { id: cast.U1.folder, columns: '1,300' }],
    ],
    [
      'a module whose folders are not there yet',
      {},
      () => ['GET', 'folders', 'allVisible', { content_type: 'mail', columns: '1' }],
    ],
  ])('%s', async (_, data, question) => {
    const expected = JSON.parse(JSON.stringify(data, (_key, each) => (typeof each === 'function' ? each() : each)));
    expect((await ask(question())).data).toEqual(expected);
  });
});
