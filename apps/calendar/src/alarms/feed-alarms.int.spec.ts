import { calendarFolders, chronos, chronosAlarms, chronosChanges, identityEvents } from '@groupware/contracts';
import { WebServer } from '@groupware/test-kit';
import { AlarmReplicas } from '../testing/alarm-replicas';
import { CalendarUser, FUTURE } from '../testing/calendar-user';
import { person } from '../testing/running-calendar';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Monday, 2 March 2026, 08:00 UTC. */
const MONDAY = Date.UTC(2026, 2, 2, 8);
const text = (ms: number): string => new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '');

let web: WebServer;
let replicas: AlarmReplicas;
let now = MONDAY;
const pages: Record<string, string> = {};

beforeAll(async () => {
  web = await WebServer.start((path, response) => response.end(pages[path]));
  replicas = await AlarmReplicas.start(() => now, {
    GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
    GROUPWARE_OUTBOUND_WEB_PORTS: '80,443,1024-65535',
    CALENDAR_FEED_SECONDS: '0',
  });
}, 60_000);
afterAll(async () => {
  await replicas?.close();
  await web?.close();
});
beforeEach(() => {
  now = MONDAY;
});

/** Lets the time come with both replicas at once. */
async function until(moment: number): Promise<void> {
  now = moment;
  await replicas.runLoops(2);
  await replicas.settle();
}
const calendar = (...lines: readonly string[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'BEGIN:VEVENT',
    'DTSTAMP:20260101T000000Z',
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
const at = (ms: number): string[] => [`DTSTART:${text(ms)}`, `DTEND:${text(ms + HOUR)}`, 'SUMMARY:Theirs'];
async function subscribe(user: CalendarUser, path: string): Promise<number> {
  const { id } = await replicas.running.call(calendarFolders.create, {
    principal: { kind: 'internal', service: 'folders', contextId: user.principal.contextId, user: user.principal },
    query: { title: path, parent: 1, account: { provider: 'ical', config: { uri: web.url + path } } },
  });
  return id;
}
const range = { rangeStart: '20260101', rangeEnd: '20270101' };
const read = async (user: CalendarUser, feed: number, query: object = {}): Promise<any> =>
  (await user.call<any[]>(chronos.all, { folder: `cal://${feed}/0`, ...range, ...query }))[0];
const setAlarms = (user: CalendarUser, feed: number, id: string, alarms: readonly object[]) =>
  user.ask(chronosChanges.update, { folder: `cal://${feed}/0`, id, timestamp: FUTURE }, { event: { alarms } });
const alarm = (duration: string, action = 'DISPLAY') => ({ action, trigger: { duration } });
const times = (user: CalendarUser): number[] =>
  replicas.heard.filter(({ userId }) => userId === user.id).map(({ alarm: time }) => time);
const mailed = (user: CalendarUser) => replicas.mails.filter(({ userId }) => userId === user.id);

describe('alarms in calendars of the web', () => {
  it('go off once, whatever the number of processes, to push and by mail', async () => {
    const ann = await CalendarUser.enter(replicas.running);
    pages['/once'] = calendar('UID:a', ...at(MONDAY + 2 * HOUR), `DESCRIPTION:${'x'.repeat(3_000)}`);
    const feed = await subscribe(ann, '/once');
    const { id } = await read(ann, feed);
    await setAlarms(ann, feed, id, [alarm('-PT3H'), alarm('-PT1H'), alarm('-PT30M', 'EMAIL'), alarm('PT0S', 'AUDIO')]);
    // Times before the alarm was set do not count.
    await until(MONDAY + HOUR - 1);
    expect(times(ann)).toEqual([]);
    await until(MONDAY + HOUR);
    await until(MONDAY + HOUR + MINUTE);
    expect(times(ann)).toEqual([MONDAY + HOUR]);
    expect(replicas.heard.at(-1)).toMatchObject({
      ...{ module: 1, targetId: Number(id), folderId: feed, title: 'Theirs', start: MONDAY + 2 * HOUR, again: false },
    });
    await until(MONDAY + 90 * MINUTE);
    expect(mailed(ann)).toMatchObject([{ eventId: Number(id), summary: 'Theirs', startMs: MONDAY + 2 * HOUR }]);
    // Texts of feeds may be longer than a message of the bus.
    expect(mailed(ann)[0]!.description).toBe('x'.repeat(2_000));
    const pending = await ann.call<any[]>(chronosAlarms.pending, { rangeEnd: '20270101', actions: 'EMAIL' });
    expect(pending).toEqual([]);
    await until(MONDAY + 3 * HOUR);
    expect([times(ann), mailed(ann).length]).toEqual([[MONDAY + HOUR, MONDAY + 2 * HOUR], 1]);
  });

  it('are told with texts that a message of the bus can hold', async () => {
    const ann = await CalendarUser.enter(replicas.running);
    const long = 'y'.repeat(3_000);
    pages['/long'] = calendar('UID:l', ...at(MONDAY + 2 * HOUR).slice(0, 2), `SUMMARY:${long}`, `LOCATION:${long}`);
    const feed = await subscribe(ann, '/long');
    const { id } = await read(ann, feed);
    await setAlarms(ann, feed, id, [alarm('-PT1H'), { ...alarm('-PT30M', 'EMAIL'), description: long }]);
    await until(MONDAY + 90 * MINUTE);
    const told = 'y'.repeat(2_000);
    expect(replicas.heard.filter(({ userId }) => userId === ann.id)).toMatchObject([{ title: told }]);
    expect(mailed(ann)).toMatchObject([{ summary: told, location: told, description: told }]);
  });

  it('follow an event that its calendar moves, and end with it', async () => {
    const ann = await CalendarUser.enter(replicas.running);
    pages['/moved'] = calendar('UID:m', ...at(MONDAY + HOUR));
    const feed = await subscribe(ann, '/moved');
    const { id } = await read(ann, feed);
    await setAlarms(ann, feed, id, [alarm('-PT15M')]);
    pages['/moved'] = calendar('UID:m', ...at(MONDAY + 5 * HOUR));
    expect((await read(ann, feed, { updateCache: true })).id).toBe(id);
    await until(MONDAY + 2 * HOUR);
    expect(times(ann)).toEqual([]);
    await until(MONDAY + 5 * HOUR - 15 * MINUTE);
    expect(times(ann)).toEqual([MONDAY + 5 * HOUR - 15 * MINUTE]);
    pages['/moved'] = calendar('UID:m', ...at(MONDAY + 8 * HOUR));
    await read(ann, feed, { updateCache: true });
    pages['/moved'] = calendar('UID:other', ...at(MONDAY + 9 * HOUR));
    await read(ann, feed, { updateCache: true });
    await until(MONDAY + DAY);
    expect(times(ann)).toHaveLength(1);
  });

  it('of a calendar count for its events for which their user set none, also for those that come later', async () => {
    // Stamps of this context are not ahead of the clock.
    const ann = await CalendarUser.enter(replicas.running, { contextId: 77 });
    const event = (uid: string, ms: number): string =>
      ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20260101T000000Z', ...at(ms), 'END:VEVENT'].join('\r\n');
    const wrap = (...events: readonly string[]): string =>
      ['BEGIN:VCALENDAR', 'VERSION:2.0', ...events, 'END:VCALENDAR', ''].join('\r\n');
    const day = 'BEGIN:VEVENT\r\nUID:day\r\nDTSTAMP:20260101T000000Z\r\nDTSTART;VALUE=DATE:20260303\r\nEND:VEVENT';
    pages['/default'] = wrap(event('a', MONDAY + 2 * HOUR), event('b', MONDAY + 3 * HOUR), day);
    const feed = await subscribe(ann, '/default');
    const setDefaults = (config: object): Promise<unknown> =>
      replicas.running.call(calendarFolders.update, {
        principal: { kind: 'internal', service: 'folders', contextId: ann.principal.contextId, user: ann.principal },
        query: { id: feed, timestamp: FUTURE, accountConfig: config },
      });
    const list = async (): Promise<any[]> =>
      (await ann.call<any[]>(chronos.all, { folder: `cal://${feed}/0`, ...range })).sort((x, y) =>
        x.startDate.value < y.startDate.value ? -1 : 1,
      );
    const durations = async (): Promise<string[][]> =>
      (await list()).map(({ alarms = [] }) => alarms.map(({ trigger }: any) => trigger.duration));
    await setDefaults({
      defaultAlarmDateTime: [alarm('-PT1H')],
      defaultAlarmDate: [alarm('PT9H'), alarm('PT8H', 'EMAIL')],
    });
    expect(await durations()).toEqual([['-PT1H'], ['-PT1H'], ['PT9H', 'PT8H']]);
    const [first, second] = (await list()) as [any, any];
    expect(new Set((await list()).flatMap(({ alarms }) => alarms.map(({ id }: any) => id))).size).toBe(4);
    // The user sets none of the second, which comes before what counts for all.
    await setAlarms(ann, feed, second.id, []);
    expect(await durations()).toEqual([['-PT1H'], [], ['PT9H', 'PT8H']]);
    const pending = (): Promise<any[]> => ann.call<any[]>(chronosAlarms.pending, { rangeEnd: '20270101' });
    expect((await pending()).map(({ eventId, time }) => [eventId, time])).toEqual([
      [first.id, text(MONDAY + HOUR)],
      [(await list())[2].id, text(Date.UTC(2026, 2, 3, 9))],
    ]);
    await until(MONDAY + HOUR);
    expect(times(ann)).toEqual([MONDAY + HOUR]);
    // An event that comes later has them, too, from then on.
    pages['/default'] = wrap(event('a', MONDAY + 2 * HOUR), event('c', MONDAY + 5 * HOUR), day);
    await read(ann, feed, { updateCache: true });
    await until(MONDAY + 4 * HOUR);
    expect(times(ann)).toEqual([MONDAY + HOUR, MONDAY + 4 * HOUR]);
    const [{ alarmId, eventId }] = (await pending()) as [any];
    await ann.ask(chronosAlarms.ackByPut, { id: eventId, folder: `cal://${feed}/0`, alarmId: Number(alarmId) });
    expect(await pending()).not.toContainEqual(expect.objectContaining({ eventId }));
    await setDefaults({ defaultAlarmDate: [] });
    expect((await durations()).at(-1)).toEqual([]);
    await until(MONDAY + 3 * DAY);
    expect([times(ann).length, mailed(ann)]).toEqual([2, []]);
  });

  it('of whole days that recur go by the clock of the user, each day until he takes them off', async () => {
    const ben = await CalendarUser.enter(replicas.running, { timeZone: 'America/New_York' });
    pages['/daily'] = calendar('UID:d', 'DTSTART;VALUE=DATE:20260303', 'RRULE:FREQ=DAILY', 'SUMMARY:Day');
    const feed = await subscribe(ben, '/daily');
    const { id } = await read(ben, feed);
    await setAlarms(ben, feed, id, [alarm('PT9H')]);
    for (now = MONDAY; now < MONDAY + 3 * DAY; now += HOUR) await replicas.runLoops(2);
    await replicas.settle();
    const expected = [3, 4].map((day) => Date.UTC(2026, 2, day, 14));
    expect(times(ben)).toEqual(expected);
    // He moves west: the next day begins later for him.
    person(ben.id, { timeZone: 'America/Los_Angeles' });
    const { bus, events, running } = replicas;
    bus.publish(bus.subject('broadcast.directory-changed'), Buffer.from(JSON.stringify({ contextId: 1 })));
    await events.publish({
      ...{ id: `moved ${ben.id} ${running.environment.GROUPWARE_BUS_PREFIX}`, contextId: 1, occurredAt: now },
      ...{ name: identityEvents['user.changed'].name, payload: { userId: ben.id } },
    });
    for (; now < MONDAY + 4 * DAY; now += HOUR) await replicas.runLoops(2);
    await replicas.settle();
    expected.push(Date.UTC(2026, 2, 5, 17));
    expect(times(ben)).toEqual(expected);
    await setAlarms(ben, feed, id, []);
    await until(MONDAY + 6 * DAY);
    expect(times(ben)).toEqual(expected);
  }, 60_000);
});
