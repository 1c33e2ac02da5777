import { calendar, calendarFolders, calendarViews } from '@groupware/contracts';
import { ALL_TIME, CalendarUser, MORNING } from '../testing/calendar-user';
import {
  codeOf,
  entity,
  propertyValues,
  removeEntity,
  runCalendar,
  type RunningCalendar,
} from '../testing/running-calendar';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MONDAY = Date.UTC(2020, 4, 4);
const VIEWER = 257;
const OWN_ONLY = 2 | (1 << 7) | (1 << 14) | (1 << 21);
let running: RunningCalendar;

beforeAll(async () => {
  running = await runCalendar();
}, 60_000);
afterAll(() => running?.close());

const someone = (options = {}) => CalendarUser.enter(running, options);
const daily = { recurrence_type: 1, interval: 1 };

describe('calendar: has', () => {
  const has = (user: CalendarUser, days: number, query: object = {}) =>
    user.call<boolean[]>(calendarViews.has, { start: MONDAY, end: MONDAY + days * DAY, ...query });

  it('tells the days that appointments, series and their exceptions touch', async () => {
    const user = await someone();
    await user.create({ start_date: MONDAY + 23 * HOUR, end_date: MONDAY + 25 * HOUR });
    const series = await user.create({
      ...daily,
      interval: 2,
      occurrences: 3,
      start_date: MONDAY + 4 * DAY,
      end_date: MONDAY + 4 * DAY + HOUR,
    });
    await user.remove({ id: series, pos: 2 });
    await user.create({ full_time: true, start_date: MONDAY + 10 * DAY, end_date: MONDAY + 12 * DAY });
    expect(await has(user, 14)).toEqual(
      [0, 1, 4, 8, 10, 11].reduce((days, day) => days.with(day, true), new Array<boolean>(14).fill(false)),
    );
  });

  it('counts days on the clock of the request', async () => {
    const user = await someone();
    await user.create({ start_date: MONDAY + 23 * HOUR, end_date: MONDAY + 23.5 * HOUR });
    expect(await has(user, 3)).toEqual([true, false, false]);
    expect(await has(user, 3, { timezone: 'Europe/Berlin' })).toEqual([false, true, false]);
  });

  it('answers a very dense series fast, and nothing for an empty range', async () => {
    const user = await someone();
    await user.create({ ...daily, start_date: MONDAY - 3000 * DAY, end_date: MONDAY - 3000 * DAY + 50 * HOUR });
    expect(await has(user, 3660)).toEqual(new Array(3660).fill(true));
    expect(await has(user, 0)).toEqual([]);
    expect(await has(user, -1)).toEqual([]);
    expect(await codeOf(has(user, 3661))).toBe('SVL-0010');
  });
});

describe('calendar: the clock of a request', () => {
  it.each(['Europe/Berlin', 'America/New_York', 'UTC', 'Asia/Kolkata'])(
    'shows the same times in ranges with and without a change of the clocks: %s',
    async (timezone) => {
      const user = await someone();
      // Both changes of 2020: 8 March in New York, 29 March in Berlin.
      const first = Date.UTC(2020, 2, 7, 12);
      for (let day = 0; day < 25; day += 4)
        await user.create({ start_date: first + day * DAY, end_date: first + day * DAY + HOUR });
      await user.create({ full_time: true, start_date: Date.UTC(2020, 2, 9), end_date: Date.UTC(2020, 2, 10) });
      const all = (start: number, end: number, range: string) =>
        user.all('1,201,202,4', { start, end, timezone, range });
      const begin = Date.UTC(2020, 2, 7);
      const days = Array.from({ length: 26 }, (_each, index) => begin + index * DAY);
      const offset = (start: number) => new Date(start).toLocaleString('sv', { timeZone: timezone }).slice(11, 16);
      for (const range of ['contained', 'overlap']) {
        const whole = await all(begin, days.at(-1)! + DAY, range);
        expect(whole).toHaveLength(8);
        const single = await Promise.all(days.map((day) => all(day, day + DAY, range)));
        expect(single.flat()).toEqual(whole);
        const clocks = whole.map(([, start]) => new Date(start as number).toISOString().slice(11, 16)).sort();
        const instants = Array.from({ length: 7 }, (_each, index) => offset(first + index * 4 * DAY));
        expect(clocks).toEqual(['00:00', ...instants].sort());
      }
    },
  );
});

describe('calendar: search', () => {
  const search = (user: CalendarUser, body: object, query: object = {}) =>
    user.call<string[][]>(calendarViews.search, { columns: ['200'], ...query }, body);
  const titles = async (user: CalendarUser, body: object) => (await search(user, body)).flat();

  it('finds titles by part, by wildcards and by first letters, whatever their case', async () => {
    const user = await someone();
    for (const title of ['Team meeting', 'Meeting', '100% sure_thing', 'Übung']) await user.create({ title });
    expect(await titles(user, { pattern: 'meet' })).toEqual(['Team meeting', 'Meeting']);
    expect(await titles(user, { pattern: 'meet*' })).toEqual(['Meeting']);
    expect(await titles(user, { pattern: '*m meeting' })).toEqual(['Team meeting']);
    expect(await titles(user, { pattern: 'MEETIN?' })).toEqual(['Meeting']);
    expect(await titles(user, { pattern: '0% s' })).toEqual(['100% sure_thing']);
    expect(await titles(user, { pattern: 'e%' })).toEqual([]);
    expect(await titles(user, { pattern: 'sure?thing' })).toEqual([]);
    expect(await titles(user, { pattern: '*sure?thing' })).toEqual(['100% sure_thing']);
    expect(await titles(user, { startletter: 'ü' })).toEqual(['Übung']);
    expect(await titles(user, { startletter: 'm' })).toEqual(['Meeting']);
    expect(await titles(user, { pattern: '\\' })).toEqual([]);
    expect(await titles(user, { pattern: '\u0000Übung' })).toEqual(['Übung']);
    expect(await codeOf(search(user, {}))).toBe('SVL-0002');
  });

  it('answers series once, also those that ended, and only what the folder lets the user read', async () => {
    const [ann, bob, eve] = [await someone(), await someone(), await someone()];
    const folder = await ann.share([bob, VIEWER], [eve, OWN_ONLY]);
    const id = await ann.create({ title: 'Yoga', folder_id: folder, ...daily, occurrences: 4 });
    await ann.create({ title: 'Yoga secret', folder_id: folder, private_flag: true });
    expect(await search(bob, { pattern: 'yoga', folder }, { columns: ['1', '206', '207'] })).toEqual([
      [id, Number(id), null],
    ]);
    expect(await search(bob, { pattern: 'yoga' })).toEqual([]);
    expect(await search(eve, { pattern: 'yoga', folder })).toEqual([]);
    expect(await codeOf(search(eve, { pattern: 'yoga', folder: ann.folder }))).toBe('FLD-0003');
  });

  it('needs as many characters as configured', async () => {
    const user = await someone();
    propertyValues['com.example.minimumSearchCharacters'] = '3';
    try {
      // A user of a context of his own: the values of the others are cached.
      const other = await someone({ contextId: 77 });
      expect(await codeOf(search(other, { pattern: 'ab*' }))).toBe('APP-0094');
      expect(await search(other, { pattern: 'abc' })).toEqual([]);
    } finally {
      delete propertyValues['com.example.minimumSearchCharacters'];
    }
    expect(await search(user, { pattern: 'a' })).toEqual([]);
  });
});

describe('calendar: all without a folder', () => {
  const covered = async (user: CalendarUser, query: object = {}): Promise<[string, string][]> =>
    (await user.all('200,20', { folder: undefined, ...query })) as [string, string][];
  const commons = async (owner: CalendarUser, others: object[] = []): Promise<string> => {
    const permissions = [{ entity: owner.id, group: false, bits: 403_710_016 }, ...others];
    const query = { title: `Public ${owner.id}`, parent: 2, permissions };
    return String((await running.call(calendarFolders.create, { principal: owner.inside, query })).id);
  };
  const at = (hour: number) => ({ start_date: MONDAY + hour * HOUR, end_date: MONDAY + (hour + 1) * HOUR });

  it('covers shared and public calendars with the rights of each, series included', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const group = entity({ kind: 'group', id: 77_001, displayName: 'All', members: [] });
    const eve = await someone({ groups: [group] });
    const shared = await ann.share([bob, VIEWER], [eve, OWN_ONLY]);
    const open = await commons(ann, [
      { entity: group, group: true, bits: VIEWER },
      { entity: bob.id, group: false, bits: 0 },
    ]);
    await ann.create({ title: 'shared', folder_id: shared, ...at(1) });
    await ann.create({ title: 'secret', folder_id: shared, ...at(2), private_flag: true });
    await ann.create({ title: 'series', folder_id: shared, ...at(3), ...daily, occurrences: 2 });
    await ann.create({ title: 'open', folder_id: open, ...at(4) });
    await ann.create({ title: 'not shared', ...at(5) });
    await bob.create({ title: 'own', ...at(6) });
    const seen = [
      ['shared', shared],
      ['series', shared],
      ['own', bob.folder],
      ['series', shared],
    ];
    expect(await covered(bob)).toEqual(seen);
    expect(await covered(bob, { range: 'overlap' })).toEqual(seen);
    expect((await covered(bob, { showPrivate: true })).slice(0, 2)).toEqual([seen[0], ['Private', shared]]);
    expect(await covered(bob, { recurrence_master: true })).toEqual(seen.slice(0, 3));
    expect(await covered(eve)).toEqual([['open', open]]);
    expect(await bob.call(calendarViews.search, { columns: ['1'] }, { pattern: 'shared' })).toEqual([]);
    // A user who may not use folders of others sees his own and public ones.
    const { capabilities } = eve.principal;
    const alone = { ...eve.principal, capabilities: capabilities.filter((name) => !name.includes('shared')) };
    const query = { ...ALL_TIME, columns: ['200'] };
    expect((await running.request(calendar.all, { principal: alone, query })).json).toEqual([['open']]);
    await running.call(calendarFolders.update, {
      principal: bob.inside,
      query: { id: Number(shared), subscribed: false },
    });
    expect(await covered(bob)).toEqual([['own', bob.folder]]);
  });

  it('answers an appointment once: in the own calendar, the folder it lies in, or that of a guest', async () => {
    const [ann, bob, eve, joe] = [await someone(), await someone(), await someone(), await someone()];
    for (const user of [ann, bob]) await user.grant(user.folder, [joe, VIEWER]);
    const invite = (...users: CalendarUser[]) => ({ participants: users.map(({ participant }) => participant) });
    await ann.create({ title: 'all three', ...at(1), ...invite(ann, bob, joe) });
    await ann.create({ title: 'two', ...at(2), ...invite(ann, bob) });
    await eve.create({ title: 'guests', ...at(3), ...invite(eve, bob, ann) });
    await joe.create({ title: 'mine', ...at(4), ...invite(joe, ann) });
    const first = Number(ann.folder) < Number(bob.folder) ? ann : bob;
    for (const query of [{}, { range: 'overlap' }, { showPrivate: true }])
      expect(await covered(joe, query)).toEqual([
        ['all three', joe.folder],
        ['two', ann.folder],
        ['guests', first.folder],
        ['mine', joe.folder],
      ]);
  });

  it('covers what the user takes part in where that is configured', async () => {
    const ann = await someone({ contextId: 78 });
    const bob = await someone({ contextId: 78 });
    const shared = await ann.share([bob, VIEWER]);
    await ann.create({ title: 'shared', folder_id: shared });
    await ann.create({ title: 'invited', participants: [ann.participant, bob.participant] });
    propertyValues['com.example.calendar.allFolders'] = 'own';
    try {
      expect(await covered(bob)).toEqual([['invited', bob.folder]]);
    } finally {
      delete propertyValues['com.example.calendar.allFolders'];
    }
  });
});

describe('calendar: newappointments', () => {
  const upcoming = (user: CalendarUser, limit: number, query: object = {}) =>
    user.call(calendarViews.newappointments, {
      columns: ['200', '201'],
      start: MONDAY,
      end: MONDAY + 30 * DAY,
      limit: String(limit),
      ...query,
    });

  it('answers the earliest ones, series expanded, cut at the limit, then in the order asked for', async () => {
    const user = await someone();
    const at = (day: number) => ({ start_date: MONDAY + day * DAY, end_date: MONDAY + day * DAY + HOUR });
    await user.create({ title: 'late', ...at(9) });
    await user.create({ title: 'series', ...daily, ...at(1) });
    await user.create({ title: 'early', ...at(0) });
    await user.create({ title: 'before', ...at(-1) });
    expect(await upcoming(user, 3)).toEqual([
      ['early', MONDAY],
      ['series', MONDAY + DAY],
      ['series', MONDAY + 2 * DAY],
    ]);
    expect(await upcoming(user, 3, { sort: '201', order: 'desc', columns: ['201'] })).toEqual([
      [MONDAY + 2 * DAY],
      [MONDAY + DAY],
      [MONDAY],
    ]);
    expect(await upcoming(user, 0)).toEqual([]);
    expect(await upcoming(user, 2_000_000)).toHaveLength(31);
    expect(await codeOf(upcoming(user, 5, { sort: 'nonsense', order: 'asc' }))).toBe('SVL-0010');
    expect(await upcoming(user, 5, { sort: '201' })).toEqual(await upcoming(user, 5, { sort: '201', order: 'asc' }));
    expect(await codeOf(upcoming(user, 5, { order: 'desc' }))).toBe('SVL-0002');
  });
});

describe('calendar: resolveuid', () => {
  const resolve = (user: CalendarUser, uid: string) => user.call(calendarViews.resolveuid, { uid });

  it('finds what the user owns or takes part in, the series before its exceptions', async () => {
    const [ann, bob, eve] = [await someone(), await someone(), await someone()];
    const id = await ann.create({
      uid: 'resolve me',
      ...daily,
      occurrences: 3,
      participants: [ann.participant, bob.participant],
    });
    await ann.update(id, { recurrence_position: 2, title: 'other' });
    for (const user of [ann, bob]) expect(await resolve(user, 'resolve me')).toEqual({ id });
    expect(await codeOf(resolve(eve, 'resolve me'))).toBe('OX-0001');
    expect(await codeOf(resolve(ann, 'resolve me\u0000'))).toBe('OX-0001');
    await bob.remove({ id });
    expect(await codeOf(resolve(bob, 'resolve me'))).toBe('OX-0001');
  });
});

describe('calendar: getChangeExceptions', () => {
  const exceptions = (user: CalendarUser, id: string, query: object = {}) =>
    user.call(calendarViews.getChangeExceptions, { id, folder: user.folder, columns: ['1', '200', '207'], ...query });

  it('answers the changed occurrences of a series', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const id = await ann.create({ ...daily, occurrences: 5 });
    const single = await ann.create();
    expect(await exceptions(ann, id)).toEqual([]);
    const change = async (position: number) =>
      (await ann.update(id, { recurrence_position: position, title: `E${position}` })).json.id;
    const [fourth, second] = [await change(4), await change(2)];
    expect(await exceptions(ann, id)).toEqual([
      [second, 'E2', 2],
      [fourth, 'E4', 4],
    ]);
    expect(await exceptions(ann, single)).toEqual([]);
    expect(await exceptions(ann, second)).toEqual([]);
    expect(await codeOf(exceptions(ann, '999999'))).toBe('OX-0001');
    expect(await codeOf(exceptions(bob, id))).toBe('APP-0059');
    expect(await codeOf(exceptions(bob, id, { folder: ann.folder }))).toBe('FLD-0003');
  });

  it('leaves out those the user no longer takes part in', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const id = await ann.create({ ...daily, occurrences: 5, participants: [ann.participant, bob.participant] });
    const gone = (await ann.update(id, { recurrence_position: 3, title: 'E' })).json.id;
    expect(await exceptions(bob, id)).toEqual([[gone, 'E', 3]]);
    await bob.remove({ id: gone });
    expect(await exceptions(bob, id)).toEqual([]);
    expect(await exceptions(ann, id)).toEqual([[gone, 'E', 3]]);
  });
});

describe('calendar: freebusy', () => {
  const busy = (user: CalendarUser, id: number, type = 1, query: object = {}) =>
    user.call(calendarViews.freebusy, { id, type, ...ALL_TIME, ...query });

  it('tells everybody the times, and the details to whom may read them', async () => {
    const [ann, bob, eve, viewer] = [await someone(), await someone(), await someone(), await someone()];
    const folder = await ann.share([viewer, VIEWER]);
    const id = await ann.create({
      folder_id: folder,
      title: 'Talk',
      location: 'Here',
      participants: [ann.participant, bob.participant],
    });
    const times = { ...MORNING, full_time: false, shown_as: 1 };
    expect(await busy(eve, ann.id)).toEqual([times]);
    const details = { id, title: 'Talk', location: 'Here', recurrence_type: 0, ...times };
    expect(await busy(ann, ann.id)).toEqual([expect.objectContaining({ ...details, folder_id: folder })]);
    expect(await busy(bob, ann.id)).toEqual([expect.objectContaining({ ...details, folder_id: bob.folder })]);
    expect(await busy(viewer, ann.id)).toEqual([expect.objectContaining({ ...details, folder_id: folder })]);
    expect(await busy(eve, bob.id)).toEqual([times]);
    await ann.update(id, { private_flag: true, participants: [ann.participant] }, { folder });
    expect(await busy(viewer, ann.id)).toEqual([times]);
  });

  it('leaves out free and declined ones and what does not touch the range', async () => {
    const [ann, bob] = [await someone(), await someone()];
    await ann.create({ shown_as: 4 });
    const id = await bob.create({ participants: [ann.participant, bob.participant] });
    await ann.update(id, { users: [{ id: ann.id, confirm: 2 }] });
    expect(await busy(bob, ann.id)).toEqual([]);
    const { start_date: start, end_date: end } = MORNING;
    expect(await busy(ann, bob.id, 1, { start, end })).toHaveLength(1);
    expect(await busy(ann, bob.id, 1, { start: end, end: end + DAY })).toEqual([]);
    expect(await busy(ann, bob.id, 1, { start: start - DAY, end: start })).toEqual([]);
    expect(await busy(ann, bob.id, 1, { start: end, end: start })).toEqual([]);
  });

  it('knows resources, expands series in order and refuses other types and too much', async () => {
    const ann = await someone();
    const room = entity({ kind: 'resource', id: 8123, displayName: 'Room', email: 'room@example.com' } as never);
    await ann.create({ ...daily, occurrences: 3, participants: [ann.participant, { type: 3, id: room }] });
    const starts = (await busy(ann, room, 3)).map(({ start_date: start }: any) => start);
    expect(starts).toEqual([0, 1, 2].map((day) => MORNING.start_date + day * DAY));
    expect(await busy(ann, room, 1)).toEqual([]);
    expect(await codeOf(busy(ann, ann.id, 2))).toBe('APP-0019');
    await ann.create(daily);
    expect(await codeOf(busy(ann, ann.id))).toBe('CAL-5072');
  });

  it('tells nothing of a user who was deleted, while the calendar still has what is left of him', async () => {
    const [ann, bob] = [await someone(), await someone()];
    await bob.create({});
    expect(await busy(ann, bob.id)).toHaveLength(1);
    removeEntity(bob.id);
    expect(await busy(ann, bob.id)).toEqual([]);
  });
});
