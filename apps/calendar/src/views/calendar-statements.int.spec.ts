import { calendar, calendarViews, type Operation } from '@groupware/contracts';
import { sentStatements } from '@groupware/test-kit';
import { ALL_TIME, CalendarUser } from '../testing/calendar-user';
import { runCalendar, type RunningCalendar } from '../testing/running-calendar';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MONDAY = Date.UTC(2020, 4, 4);
let running: RunningCalendar;

beforeAll(async () => {
  // Nothing but the calls sends statements.
  running = await runCalendar({ CALENDAR_ALARM_SECONDS: '0' });
}, 60_000);
afterAll(() => running?.close());

/** A calendar with so many of everything. */
async function calendarOf(size: number) {
  const user = await CalendarUser.enter(running);
  const guests = await Promise.all(Array.from({ length: size }, () => CalendarUser.enter(running)));
  const participants = [user, ...guests].map(({ participant }) => participant);
  const folders = [user.folder];
  for (let index = 1; index < size; index++) folders.push(await user.share());
  const references: { id: string; folder: string }[] = [];
  for (const [index, folder] of folders.entries()) {
    const times = { start_date: MONDAY + index * DAY, end_date: MONDAY + index * DAY + HOUR };
    references.push({ id: await user.create({ folder_id: folder, participants, ...times }), folder });
    references.push({ id: await guests[0]!.create({ participants, ...times }), folder: user.folder });
  }
  const rule = { recurrence_type: 1, interval: 1, occurrences: 30 };
  const series = [];
  for (let index = 0; index < size; index++)
    series.push(await user.create({ participants, uid: `${user.id} ${index}`, ...rule }));
  for (let position = 2; position < 2 + size; position++)
    await user.update(series[0]!, { recurrence_position: position, title: 'changed' });
  const gone = await user.create();
  await user.remove({ id: gone });
  return {
    user,
    series: series[0]!,
    references: [...references, ...series.map((id) => ({ id, folder: user.folder }))],
  };
}

/** Number of statements on the tables of calendars that a call sends. */
async function statementsOf(call: () => Promise<unknown>): Promise<number> {
  const { texts } = await sentStatements(call);
  return texts.filter((text) => /\b(appointment|attendee|folder|tombstone)\b/.test(text)).length;
}

type Content = Awaited<ReturnType<typeof calendarOf>>;
const columns = ['1', '200', '201', '204', '207', '220', '221', '226'];
const inFolder = ({ user }: Content) => ({ columns, folder: user.folder });
const CALLS: [name: string, statements: number, Operation, (content: Content) => object, ((c: Content) => object)?][] =
  [
    ['all of a folder', 1, calendar.all, (c) => ({ ...inFolder(c), ...ALL_TIME })],
    ['all with private ones', 1, calendar.all, (c) => ({ ...inFolder(c), ...ALL_TIME, showPrivate: true })],
    ['all of a user', 1, calendar.all, () => ({ columns, ...ALL_TIME, recurrence_master: true })],
    ['get', 2, calendar.get, ({ series, user }) => ({ id: series, folder: user.folder })],
    [
      'get of a position',
      3,
      calendar.get,
      ({ series, user }) => ({ id: series, folder: user.folder, recurrence_position: 3 }),
    ],
    ['list', 2, calendar.list, () => ({ columns }), ({ references }) => references],
    [
      'list of positions',
      3,
      calendar.list,
      () => ({ columns }),
      ({ references }) => references.map((reference) => ({ ...reference, recurrence_position: 2 })),
    ],
    ['has', 1, calendarViews.has, () => ({ start: MONDAY, end: MONDAY + 60 * DAY })],
    ['search', 1, calendarViews.search, () => ({ columns }), () => ({ pattern: '*' })],
    [
      'search in a folder',
      1,
      calendarViews.search,
      () => ({ columns }),
      ({ user }) => ({ pattern: 'T', folder: user.folder }),
    ],
    ['freebusy', 2, calendarViews.freebusy, ({ user }) => ({ id: user.id, type: 1, ...ALL_TIME })],
    ['newappointments', 1, calendarViews.newappointments, () => ({ columns, ...ALL_TIME, limit: '900' })],
    ['resolveuid', 1, calendarViews.resolveuid, ({ user }) => ({ uid: `${user.id} 0` })],
    ['getChangeExceptions', 3, calendarViews.getChangeExceptions, (c) => ({ ...inFolder(c), id: c.series })],
    ['updates', 1, calendarViews.updates, (c) => ({ ...inFolder(c), timestamp: 1 })],
    ['updates of a range', 1, calendarViews.updates, (c) => ({ ...inFolder(c), ...ALL_TIME, timestamp: 0 })],
  ];

describe('statements of reading calls', () => {
  let contents: Content[];
  beforeAll(async () => {
    contents = [await calendarOf(1), await calendarOf(12)];
  }, 60_000);

  it.each(CALLS)('%s: %d, whatever the number of rows, series, participants and folders', async (...row) => {
    const [, expected, operation, query, body] = row;
    const counts: number[] = [];
    const sizes: number[] = [];
    for (const content of contents)
      counts.push(
        await statementsOf(async () => {
          const answer = await content.user.ask(operation, query(content), body?.(content));
          sizes.push(JSON.stringify(answer.json).length);
        }),
      );
    expect(counts).toEqual([expected, expected]);
    // The other two answer as much whatever there is.
    if (operation !== calendarViews.resolveuid && operation !== calendarViews.has)
      expect(sizes[1]).toBeGreaterThan(sizes[0]!);
  });
});
