import { calendarFolders, calendarViews } from '@groupware/contracts';
import { Clock } from '@groupware/service-kit';
import { TombstoneCleaner } from '@groupware/folders';
import { until } from '@groupware/test-kit';
import { CalendarUser } from '../testing/calendar-user';
import { codeOf, runCalendar, type RunningCalendar } from '../testing/running-calendar';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MONDAY = Date.UTC(2020, 4, 4);
const VIEWER = 257;
/** Sees the folder, creates in it, reads what is his own. */
const OWN_ONLY = 2 | (1 << 7);
/** Sessions of the database that wait for a lock. */
const WAITING = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
let running: RunningCalendar;
let cleaner: TombstoneCleaner;

beforeAll(async () => {
  const bootstrap = jest.spyOn(TombstoneCleaner.prototype, 'onApplicationBootstrap');
  running = await runCalendar({ CALENDAR_TOMBSTONE_DAYS: '30' });
  cleaner = bootstrap.mock.contexts[0] as TombstoneCleaner;
}, 60_000);
afterAll(() => running?.close());

interface Answer {
  readonly json: (unknown[] | { id: string; folder: string })[];
  readonly timestamp?: number;
}
const updates = (user: CalendarUser, timestamp: number, query: object = {}): Promise<Answer> =>
  user.ask(calendarViews.updates, { folder: user.folder, columns: ['1', '200'], timestamp, ...query });

describe('calendar: updates', () => {
  afterEach(() => jest.restoreAllMocks());

  it('gives stamps in the order of commits: who writes later waits, and nobody reads in between', async () => {
    const ann = await CalendarUser.enter(running);
    await ann.create({ title: 'first' });
    const before = await updates(ann, 0);
    // This transaction holds the counter of the context, as any open one that took a stamp does.
    await running.sql('begin');
    await running.sql('update appointment_counter set last_stamp = last_stamp + 100000 where context_id = 1');
    let isCreated = false;
    const second = ann.create({ title: 'second' }).then(() => (isCreated = true));
    // It is seen to wait: one that is just slow would pass without any lock.
    await until(async () => {
      await running.sql('select pg_stat_clear_snapshot()');
      return (await running.sql(WAITING)).length > 0;
    });
    const between = await updates(ann, before.timestamp!);
    expect(isCreated).toBe(false);
    await running.sql('commit');
    await second;
    expect(between).toMatchObject({ json: [], timestamp: before.timestamp });
    const after = await updates(ann, between.timestamp!);
    expect(after.json.map((row) => (row as string[])[1])).toEqual(['second']);
    expect(after.timestamp).toBeGreaterThan(before.timestamp! + 100_000);
  });

  it('never goes back when the clock does', async () => {
    const ann = await CalendarUser.enter(running);
    await ann.create({ title: 'first' });
    const { timestamp } = await updates(ann, 0);
    jest.spyOn(Clock.prototype, 'now').mockImplementation(() => Date.now() - 10 * 60_000);
    await ann.create({ title: 'second' });
    expect((await updates(ann, timestamp!)).json.map((row) => (row as string[])[1])).toEqual(['second']);
  });

  it('leaves out what is to be ignored', async () => {
    const ann = await CalendarUser.enter(running);
    const gone = await ann.create();
    const { timestamp } = await updates(ann, 0);
    await ann.remove({ id: gone });
    const id = await ann.create({ title: 'new' });
    const deleted = { id: gone, folder: ann.folder, folder_id: ann.folder };
    expect((await updates(ann, timestamp!)).json).toEqual([[id, 'new'], deleted]);
    expect((await updates(ann, timestamp!, { ignore: 'deleted' })).json).toEqual([[id, 'new']]);
    expect((await updates(ann, timestamp!, { ignore: 'changed' })).json).toEqual([deleted]);
    const nothing = { json: [], timestamp };
    expect(await updates(ann, timestamp!, { ignore: 'deleted, changed', folder: undefined })).toMatchObject(nothing);
  });

  it('names exceptions fully', async () => {
    const ann = await CalendarUser.enter(running);
    const id = await ann.create({ recurrence_type: 1, interval: 1 });
    const exception = (await ann.update(id, { recurrence_position: 3, title: 'E' })).json.id;
    const { timestamp } = await updates(ann, 0);
    await ann.remove({ id: exception });
    expect((await updates(ann, timestamp!, { recurrence_master: true })).json).toEqual([
      [id, 'T'],
      {
        id: exception,
        folder: ann.folder,
        folder_id: ann.folder,
        recurrence_id: Number(id),
        recurrence_position: 3,
        recurrence_date_position: MONDAY + 2 * DAY,
      },
    ]);
  });

  it('tells nobody of appointments of others that he never saw', async () => {
    const [ann, bob] = [await CalendarUser.enter(running), await CalendarUser.enter(running)];
    const folder = await ann.share([bob, 2 | (1 << 7)]);
    await ann.create({ folder_id: folder });
    const secret = await ann.create({ folder_id: folder, private_flag: true });
    const { json, timestamp } = await updates(bob, 0, { folder });
    expect(json).toEqual([]);
    await ann.update(secret, { title: 'changed' }, { folder });
    expect((await updates(bob, timestamp!, { folder })).json).toEqual([]);
  });

  it('tells guests everything anew when their rights change', async () => {
    const [ann, bob] = [await CalendarUser.enter(running), await CalendarUser.enter(running)];
    const folder = await ann.share([bob, OWN_ONLY]);
    const id = await ann.create({ folder_id: folder });
    const first = await updates(bob, 0, { folder });
    await ann.grant(folder, [bob, VIEWER]);
    const more = await updates(bob, first.timestamp!, { folder });
    const owner = await updates(ann, 0, { folder });
    expect([first.json, more.json]).toEqual([[], [[id, 'T']]]);
    expect((await updates(bob, more.timestamp!, { folder })).json).toEqual([]);
    await ann.grant(folder, [bob, OWN_ONLY]);
    const less = await updates(bob, more.timestamp!, { folder });
    expect(less.json).toEqual([{ id, folder, folder_id: folder }]);
    expect((await updates(bob, less.timestamp!, { folder })).json).toEqual([]);
    expect((await updates(ann, owner.timestamp!, { folder })).json).toEqual([]);
  });

  it('asks clients to load everything again once it no longer knows what was deleted', async () => {
    const ann = await CalendarUser.enter(running, { contextId: 5 });
    const [old, recent] = [await ann.create(), await ann.create()];
    const start = await updates(ann, 0);
    jest.spyOn(Clock.prototype, 'now').mockImplementation(() => Date.now() + HOUR);
    await ann.remove({ id: old });
    const middle = await updates(ann, start.timestamp!);
    jest.spyOn(Clock.prototype, 'now').mockImplementation(() => Date.now() + 20 * DAY);
    await ann.remove({ id: recent });

    jest.spyOn(Clock.prototype, 'now').mockImplementation(() => Date.now() + 31 * DAY);
    await cleaner.deleteExpired();
    expect(await codeOf(updates(ann, start.timestamp!))).toBe('CAL-4121');
    expect((await updates(ann, start.timestamp!, { ignore: 'deleted' })).json).toEqual([]);
    // Clients that know of the forgotten deletion go on, and clients that know nothing begin.
    expect((await updates(ann, middle.timestamp!)).json).toEqual([expect.objectContaining({ id: recent })]);
    expect((await updates(ann, 0)).json).toEqual([expect.objectContaining({ id: recent })]);
    await cleaner.deleteExpired();
    expect((await updates(ann, middle.timestamp!)).json).toHaveLength(1);
  });

  it('answers too many changes with an error', async () => {
    const ann = await CalendarUser.enter(running);
    await ann.create({ recurrence_type: 1, interval: 1 });
    const query = { start: 0, end: Date.UTC(9999, 0, 1) };
    expect(await codeOf(updates(ann, 0, query))).toBe('CAL-5072');
  });

  it('does not know folders that are gone', async () => {
    const ann = await CalendarUser.enter(running);
    const folder = await ann.share();
    const principal = { kind: 'internal', service: 'folders', contextId: 1, user: ann.principal } as const;
    await running.call(calendarFolders.remove, { principal, query: { ids: [Number(folder)], strict: true } });
    expect(await codeOf(updates(ann, 0, { folder }))).toBe('FLD-0008');
  });
});
