import { until } from '@groupware/test-kit';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  answer,
  at,
  create,
  created,
  dataOf,
  folderOf,
  FORCE,
  get,
  type Json,
  type Query,
  remove,
  update,
  updates,
} from './events';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (timezone = 'UTC'): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `alarmed${(count += 1)}`, timezone);

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const DAY_MS = 86_400_000;
/** 10 June 2031, 08:00Z to 09:00Z. */
const JUNE_10 = { startDate: at('20310610T080000Z'), endDate: at('20310610T090000Z') };
const display = (duration: string, related?: string): Json => ({
  action: 'DISPLAY',
  trigger: { duration, ...(related && { related }) },
});
const pending = (player: TestUser, rangeEnd: string, query: Query = {}) =>
  player.get('chronos/alarm', 'pending', { rangeEnd, ...query });
const pendingList = async (player: TestUser, rangeEnd = '20320101', query: Query = {}): Promise<Json[]> =>
  dataOf(await pending(player, rangeEnd, query));
type Method = 'get' | 'put';
const call = (player: TestUser, method: Method, action: string, id: string, query: Query) => {
  const parameters = { folder: folderOf(player), id, ...query };
  return method === 'get'
    ? player.get('chronos/alarm', action, parameters)
    : player.put('chronos/alarm', action, parameters, undefined);
};
const ack = (player: TestUser, id: string, alarmId: unknown, method: Method = 'put') =>
  call(player, method, 'ack', id, { alarmId: String(alarmId) });
const snooze = (player: TestUser, id: string, alarmId: unknown, snoozeTime: number, method: Method = 'put') =>
  call(player, method, 'snooze', id, { alarmId: String(alarmId), snoozeTime });
const updateAlarms = (player: TestUser, id: string, alarms: Json[], query: Query = {}) =>
  player.put('chronos/alarm', 'updateAlarms', { folder: folderOf(player), id, timestamp: FORCE, ...query }, alarms);
/** Ids of what `reminder` tells until a moment. */
const reminders = async (player: TestUser): Promise<number> =>
  (await player.get('reminder', 'range', { end: Date.UTC(2032, 0, 1) })).data.length;
const instant = (text: unknown): number =>
  Date.parse(String(text).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

describe('alarms of events', () => {
  it('CL-01: alarms keep their ids', async () => {
    const player = await someone();
    const event = await created(player, JUNE_10);
    const timed = { action: 'AUDIO', trigger: { dateTime: '20310610T070000Z' } };
    const [first, second] = dataOf(await update(player, event.id, { alarms: [display('-PT15M'), timed] })).updated[0]
      .alarms;
    expect([typeof first.id, typeof second.id]).toEqual(['number', 'number']);
    expect([first.description, second.description]).toEqual(['Reminder', undefined]);
    const kept = dataOf(await update(player, event.id, { alarms: [{ ...first, description: 'Now' }] })).updated[0]
      .alarms;
    expect(kept).toMatchObject([{ id: first.id, uid: first.uid, description: 'Now' }]);
    expect(await pendingList(player)).toHaveLength(1);
  });

  it('CL-02: an alarm is pending from its time on, both ends of the range belong to it', async () => {
    const player = await someone();
    const event = await created(player, { ...JUNE_10, alarms: [display('-PT15M')] });
    expect(await pendingList(player, '20310610T074459Z')).toEqual([]);
    const [alarm] = event.alarms;
    expect(await pendingList(player, '20310610T074500Z')).toEqual([
      {
        ...{ alarmId: String(alarm.id), action: 'DISPLAY', eventId: event.id, folder: folderOf(player), account: 0 },
        time: '20310610T074500Z',
      },
    ]);
    expect(await pendingList(player, '20320101', { rangeStart: '20310610T074501Z' })).toEqual([]);
    expect(await pendingList(player, '20320101', { actions: 'MAIL' })).toEqual([]);
  });

  it('CL-03: triggers related to the end, of seconds and at a moment, in the order of time; mails only when asked for', async () => {
    const player = await someone();
    const mail = { action: 'EMAIL', trigger: { duration: '-PT1H' } };
    const moment = { action: 'AUDIO', trigger: { dateTime: '20310609T000000Z' } };
    await created(player, { ...JUNE_10, alarms: [display('PT0S', 'END'), display('-PT90S'), mail, moment] });
    const timesOf = async (query: Query) => (await pendingList(player, '20320101', query)).map(({ time }) => time);
    expect(await timesOf({})).toEqual(['20310609T000000Z', '20310610T075830Z', '20310610T090000Z']);
    expect(await timesOf({ actions: 'MAIL' })).toEqual(['20310610T070000Z']);
    expect(await timesOf({ actions: 'EMAIL,AUDIO' })).toEqual(['20310609T000000Z', '20310610T070000Z']);
  });

  it('CL-04: an alarm without trigger is refused and nothing is stored', async () => {
    const player = await someone();
    const event = await created(player, JUNE_10);
    expect((await updateAlarms(player, event.id, [{ action: 'DISPLAY' }])).code).toBe('CAL-4005');
    expect((await create(player, { ...JUNE_10, alarms: [{ action: 'DISPLAY' }] })).code).toBe('CAL-4005');
    expect(await get(player, event.id)).not.toHaveProperty('alarms');
    expect(await pendingList(player)).toEqual([]);
  });

  it.each(['get', 'put'] as const)(
    'CL-05: an acknowledged alarm is not pending, by %s; others stay',
    async (method) => {
      const player = await someone();
      const alarms = [display('-PT15M'), display('-PT90S')];
      const [first, second] = [
        await created(player, { ...JUNE_10, alarms }),
        await created(player, { ...JUNE_10, alarms: [display('-PT5M')] }),
      ];
      const before = Date.now();
      for (const { id } of first.alarms) {
        const { updated } = dataOf(await ack(player, first.id, id, method));
        const own = updated[0].alarms.find((each: Json) => each.id === id);
        expect(own.acknowledged).toBeGreaterThanOrEqual(before);
        expect(own).not.toHaveProperty('doneUntil');
      }
      expect((await pendingList(player)).map(({ eventId }) => eventId)).toEqual([second.id]);
      expect(await reminders(player)).toBe(1);
      // The event moves: its alarms go off again.
      await update(player, first.id, { startDate: at('20310611T080000Z'), endDate: at('20310611T090000Z') });
      expect(await pendingList(player)).toHaveLength(3);
    },
  );

  it.each([
    ['get', '-PT15M'],
    ['put', '-PT15M'],
    ['put', '-PT90S'],
  ] as const)('CL-06: a snoozed alarm comes again under another id, by %s, %s', async (method, duration) => {
    const player = await someone();
    const event = await created(player, { ...JUNE_10, alarms: [display(duration)] });
    const [alarm] = event.alarms;
    const before = Date.now();
    const { updated } = dataOf(await snooze(player, event.id, alarm.id, 300_000, method));
    expect(updated[0].alarms).toMatchObject([
      { id: alarm.id, acknowledged: expect.any(Number) },
      { action: 'DISPLAY', relatedTo: { relType: 'SNOOZE', value: alarm.uid } },
    ]);
    const [again, ...others] = await pendingList(player);
    expect(others).toEqual([]);
    expect(again!.alarmId).not.toBe(String(alarm.id));
    expect(again!.alarmId).toBe(String(updated[0].alarms[1].id));
    expect(instant(again!.time)).toBeGreaterThanOrEqual(before + 299_000);
    expect(instant(again!.time)).toBeLessThanOrEqual(Date.now() + 300_000);
    // Another snooze takes the place of the first one.
    const twice = dataOf(await snooze(player, event.id, again!.alarmId, 600_000, method)).updated[0].alarms;
    expect(twice).toHaveLength(2);
    const [last] = await pendingList(player);
    expect(instant(last!.time)).toBeGreaterThanOrEqual(before + 599_000);
    expect(dataOf(await ack(player, event.id, last!.alarmId, method)).updated[0].alarms).toMatchObject([
      { id: alarm.id },
    ]);
    expect(await pendingList(player)).toEqual([]);
    expect(await reminders(player)).toBe(0);
  });

  it('CL-05, CL-06: an alarm is found by its id alone', async () => {
    const player = await someone();
    const alarms = [display('-PT15M'), display('-PT90S')];
    const event = await created(player, { ...JUNE_10, alarms });
    const [first, second] = await pendingList(player);
    const calling = (action: string, query: Query) => player.put('chronos/alarm', action, query, {});
    const snoozed = dataOf(await calling('snooze', { alarmId: second!.alarmId, snoozeTime: 300_000 })).updated;
    expect(snoozed).toMatchObject([{ id: event.id, folder: folderOf(player) }]);
    expect(snoozed[0].alarms).toHaveLength(3);
    expect(dataOf(await calling('ack', { alarmId: first!.alarmId })).updated).toMatchObject([{ id: event.id }]);
    const [again, ...others] = await pendingList(player);
    expect(others).toEqual([]);
    expect((await calling('ack', { alarmId: again!.alarmId, id: '999999999' })).code).toBe('CAL-4040');
    const other = await someone();
    const unknown = await other.put('chronos/alarm', 'ack', { alarmId: again!.alarmId }, {});
    expect(unknown.code).toBe('CAL-4049');
  });

  it('alarms are replaced without a timestamp, whatever happened meanwhile', async () => {
    const player = await someone();
    const { id } = await created(player, JUNE_10);
    const alarms = [display('-PT5M')];
    const query = { id, folder: folderOf(player) };
    expect(dataOf(await player.put('chronos/alarm', 'updateAlarms', query, alarms)).updated).toMatchObject([
      { alarms },
    ]);
    expect((await player.put('chronos/alarm', 'updateAlarms', { ...query, timestamp: 1 }, [])).code).toBe('CAL-4120');
  });

  it.each(['-PT15M', '-PT90S'])('a list read before an acknowledgement does not take it back, %s', async (duration) => {
    const player = await someone();
    const event = await created(player, { ...JUNE_10, alarms: [display(duration)] });
    const [alarm] = event.alarms;
    dataOf(await ack(player, event.id, alarm.id));
    dataOf(await update(player, event.id, { alarms: [alarm] }));
    expect((await get(player, event.id)).alarms).toEqual([{ ...alarm, acknowledged: expect.any(Number) }]);
    expect(await pendingList(player)).toEqual([]);
    // At another time it goes off again.
    dataOf(await update(player, event.id, { alarms: [{ ...alarm, ...display('-PT20M') }] }));
    expect((await get(player, event.id)).alarms).toEqual([{ ...alarm, ...display('-PT20M', 'START') }]);
    expect(await pendingList(player)).toMatchObject([{ alarmId: String(alarm.id), time: '20310610T074000Z' }]);
  });

  it.each(['-PT15M', '-PT90S'])('a list without the repetition of a snoozed alarm ends it, %s', async (duration) => {
    const player = await someone();
    const series = { ...JUNE_10, rrule: 'FREQ=DAILY;COUNT=2', alarms: [display(duration)] };
    const [event, recurring] = [
      await created(player, { ...JUNE_10, alarms: [display(duration)] }),
      await created(player, series),
    ];
    for (const { id, alarms } of [event, recurring]) {
      dataOf(await snooze(player, id, alarms[0].id, 300_000));
      dataOf(await update(player, id, { alarms }));
      expect((await get(player, id)).alarms).toEqual([{ ...alarms[0], acknowledged: expect.any(Number) }]);
    }
    expect(await pendingList(player)).toMatchObject([
      { alarmId: String(recurring.alarms[0].id), recurrenceId: '20310611T080000Z' },
    ]);
    expect(await reminders(player)).toBe(1);
  });

  it('an alarm that another window acknowledged is snoozed', async () => {
    const player = await someone();
    const { id, alarms } = await created(player, { ...JUNE_10, alarms: [display('-PT15M')] });
    dataOf(await ack(player, id, alarms[0].id));
    expect(await pendingList(player)).toEqual([]);
    const before = Date.now();
    dataOf(await snooze(player, id, alarms[0].id, 300_000));
    const [again, ...others] = await pendingList(player);
    expect([again!.eventId, others]).toEqual([id, []]);
    expect(Math.abs(instant(again!.time) - before - 300_000)).toBeLessThan(60_000);
    expect(await reminders(player)).toBe(1);
    dataOf(await ack(player, id, again!.alarmId));
    expect(await pendingList(player)).toEqual([]);
  });

  it('a snoozed alarm and its reminder are one: what `reminder` deletes is not pending', async () => {
    const player = await someone();
    const event = await created(player, { ...JUNE_10, alarms: [display('-PT15M')] });
    await snooze(player, event.id, event.alarms[0].id, 60_000);
    const [shown] = (await player.get('reminder', 'range', { end: Date.UTC(2032, 0, 1) })).data;
    expect(shown.alarm).toBe(instant((await pendingList(player))[0]!.time));
    await player.put('reminder', 'delete', {}, [{ id: shown.id }]);
    expect(await pendingList(player)).toEqual([]);
  });

  it.each(['-PT15M', '-PT90S'])('PR-06: what `reminder` deletes is acknowledged, %s', async (duration) => {
    const player = await someone();
    const event = await created(player, { ...JUNE_10, rrule: 'FREQ=DAILY;COUNT=2', alarms: [display(duration)] });
    const [alarm] = event.alarms;
    const shown = async () => (await player.get('reminder', 'range', { end: Date.UTC(2032, 0, 1) })).data[0];
    const before = Date.now();
    expect((await player.put('reminder', 'delete', {}, [{ id: (await shown()).id }])).data).toEqual([]);
    const [own] = (await get(player, event.id)).alarms;
    expect(own).toMatchObject({ ...alarm, acknowledged: expect.any(Number) });
    expect(own.acknowledged).toBeGreaterThanOrEqual(before);
    expect(await pendingList(player)).toMatchObject([{ alarmId: String(alarm.id), recurrenceId: '20310611T080000Z' }]);
    dataOf(await snooze(player, event.id, alarm.id, 60_000));
    await player.put('reminder', 'delete', {}, [{ id: (await shown()).id }]);
    expect((await get(player, event.id)).alarms).toMatchObject([{ id: alarm.id }]);
  });

  it.each(['-PT15M', '-PT90S'])('a reminder that is to come again in the past is not lost, %s', async (duration) => {
    const player = await someone();
    const event = await created(player, { ...JUNE_10, alarms: [display(duration)] });
    const [shown] = (await player.get('reminder', 'range', { end: Date.UTC(2032, 0, 1) })).data;
    const again = await player.put('reminder', 'remindAgain', { id: shown.id }, { alarm: Date.now() - 60_000 });
    expect(again.data).toMatchObject({ id: shown.id, target_id: Number(event.id) });
    expect(await reminders(player)).toBe(1);
    expect(await pendingList(player)).toHaveLength(1);
  });

  it.each(['-PT15M', '-PT90S'])(
    'of a series the next occurrence stays pending beside the alarm that was snoozed, %s',
    async (duration) => {
      const player = await someone();
      const event = await created(player, { ...JUNE_10, rrule: 'FREQ=DAILY;COUNT=3', alarms: [display(duration)] });
      const [alarm] = event.alarms;
      dataOf(await snooze(player, event.id, alarm.id, 300_000));
      const [again, next, ...others] = await pendingList(player);
      expect(again!.alarmId).not.toBe(String(alarm.id));
      expect(next).toMatchObject({ alarmId: String(alarm.id), recurrenceId: '20310611T080000Z' });
      expect(others).toEqual([]);
      dataOf(await ack(player, event.id, again!.alarmId));
      expect(await pendingList(player)).toMatchObject([{ alarmId: String(alarm.id) }]);
    },
  );

  it.each(['-PT15M', '-PT90S'])(
    'CL-07: of a series the next occurrence is pending after an ack, %s',
    async (duration) => {
      const player = await someone();
      const event = await created(player, { ...JUNE_10, rrule: 'FREQ=DAILY;COUNT=3', alarms: [display(duration)] });
      const [alarm] = event.alarms;
      for (const day of ['10', '11', '12']) {
        const list = await pendingList(player);
        expect(list).toMatchObject([
          { alarmId: String(alarm.id), eventId: event.id, recurrenceId: `203106${day}T080000Z` },
        ]);
        dataOf(await ack(player, event.id, alarm.id));
      }
      expect(await pendingList(player)).toEqual([]);
    },
  );

  it('a series has one pending time of an alarm, the earliest that is not acknowledged', async () => {
    const player = await someone();
    const write = (ms: number): string => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
    const startMs = Date.now() + 600_000;
    const [start, end] = [write(startMs - DAY_MS), write(startMs - DAY_MS + 3_600_000)];
    const times = { startDate: at(start), endDate: at(end) };
    const event = await created(player, { ...times, rrule: 'FREQ=DAILY', alarms: [display('-PT15M')] });
    const alarmId = String(event.alarms[0].id);
    // Once it was told of there is a reminder of the next occurrence, too.
    await until(async () => (await reminders(player)) === 2);
    const rangeEnd = write(startMs + 5 * DAY_MS);
    expect(await pendingList(player, rangeEnd)).toMatchObject([{ alarmId, recurrenceId: write(startMs) }]);
    dataOf(await ack(player, event.id, alarmId));
    expect(await pendingList(player, rangeEnd)).toMatchObject([{ alarmId, recurrenceId: write(startMs + DAY_MS) }]);
  });

  it('CL-08: no alarm of events that are deleted or declined', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const event = await created(ann, {
      ...JUNE_10,
      attendees: [{ entity: bob.userId }],
      alarms: [display('-PT15M'), display('-PT90S')],
    });
    expect(await pendingList(bob)).toEqual([]);
    await answer(bob, event.id, { alarms: [display('-PT10M'), display('PT0S', 'END')] });
    expect(await pendingList(bob)).toHaveLength(2);
    await answer(bob, event.id, { attendee: { entity: bob.userId, partStat: 'DECLINED' } });
    expect(await pendingList(bob)).toEqual([]);
    expect(await pendingList(ann)).toHaveLength(2);
    dataOf(await remove(ann, [{ id: event.id }]));
    expect(await pendingList(ann)).toEqual([]);
  });

  it('CL-09: own alarms of one occurrence are an exception by alarms alone', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const attendees = [{ entity: bob.userId }];
    const { id } = await created(ann, { ...JUNE_10, rrule: 'FREQ=DAILY;COUNT=3', attendees });
    const recurrenceId = '20310611T080000Z';
    const { created: own } = dataOf(await updateAlarms(bob, id, [display('-PT1S')], { recurrenceId }));
    expect(own).toMatchObject([{ sequence: 0, recurrenceId, alarms: [display('-PT1S')] }]);
    expect(await get(ann, own[0].id)).not.toHaveProperty('alarms');
    expect(await pendingList(bob)).toMatchObject([{ eventId: own[0].id, recurrenceId, time: '20310611T075959Z' }]);
    expect(await pendingList(ann)).toEqual([]);
  });

  it('alarms change an event for their user alone', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const event = await created(ann, { ...JUNE_10, attendees: [{ entity: bob.userId }] });
    const { id } = event;
    const before = await get(ann, id);
    const [alarm] = dataOf(await updateAlarms(bob, id, [display('-PT15M')])).updated[0].alarms;
    dataOf(await snooze(bob, id, alarm.id, 60_000));
    dataOf(await answer(bob, id, { alarms: [display('-PT5M')] }));
    const body = { id, folder: bob.folder };
    const { data: legacy } = await bob.get('calendar', 'get', body);
    const change = { ...body, timestamp: legacy.last_modified };
    expect((await bob.put('calendar', 'update', change, { alarm: 30, folder_id: bob.folder })).code).toBeUndefined();

    const own = await get(bob, id);
    expect(own.alarms).toMatchObject([display('-PT30M')]);
    expect(own.timestamp).toBeGreaterThan(event.timestamp);
    expect(own.modifiedBy.entity).toBe(ann.userId);
    const { newAndModified } = await updates(bob, event.timestamp);
    expect(newAndModified.map((each: Json) => each.id)).toEqual([id]);
    // The own alarms may have been set elsewhere.
    const outdated = { timestamp: event.timestamp };
    expect((await updateAlarms(bob, id, [], outdated)).code).toBe('CAL-4120');

    const shown = await get(ann, id);
    expect([shown.lastModified, shown.modifiedBy]).toEqual([before.lastModified, before.modifiedBy]);
    dataOf(await update(ann, id, { location: 'Hall' }, outdated));
    expect((await update(ann, id, { location: 'Room' }, outdated)).code).toBe('CAL-4120');
    dataOf(await updateAlarms(bob, id, [display('-PT10M')]));
    expect((await update(ann, id, { location: 'Room' }, outdated)).code).toBe('CAL-4120');
    expect(dataOf(await remove(ann, [{ id }], outdated))[0].error.code).toBe('CAL-4120');
    expect((await get(bob, id)).location).toBe('Hall');
  });

  it('alarms of a changed occurrence leave its series as it is', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const attendees = [{ entity: bob.userId }];
    const { id } = await created(ann, { ...JUNE_10, rrule: 'FREQ=DAILY;COUNT=3', attendees });
    const changed = await update(ann, id, { location: 'Hall' }, { recurrenceId: '20310611T080000Z' });
    const [exception] = dataOf(changed).created;
    dataOf(await updateAlarms(bob, exception.id, [display('-PT15M')]));
    const kept = {
      timestamp: changed.timestamp!,
      lastModified: changed.timestamp!,
      modifiedBy: { entity: ann.userId },
    };
    expect(await get(ann, id)).toMatchObject(kept);
    expect((await update(ann, id, { summary: 'Walk' }, { timestamp: changed.timestamp! })).code).toBeUndefined();
  });

  it('who writes in the calendar of another acknowledges and snoozes his alarms there, not his own', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const permissions = [
      { entity: ann.userId, group: false, bits: 403_710_016 },
      { entity: bob.userId, group: false, bits: 4_227_332 },
    ];
    const calendar = { title: 'Shared', module: 'calendar', permissions };
    const { data } = await ann.put('folders', 'new', { folder_id: '1', tree: 1 }, calendar);
    const folder = `cal://0/${data}`;
    const fields = { ...JUNE_10, attendees: [{ entity: bob.userId }], alarms: [display('-PT15M')] };
    const event = await created(ann, fields, { folder });
    await answer(bob, event.id, { alarms: [display('-PT5M')] });
    const [{ id: alarmId }] = event.alarms;
    const [his] = await pendingList(bob);
    dataOf(await call(bob, 'put', 'snooze', event.id, { folder, alarmId, snoozeTime: 60_000 }));
    const [again, ...others] = await pendingList(ann);
    expect(others).toEqual([]);
    expect(instant(again!.time)).toBeLessThanOrEqual(Date.now() + 60_000);
    expect(await pendingList(bob)).toEqual([his]);
    dataOf(await call(bob, 'put', 'ack', event.id, { folder, alarmId: again!.alarmId }));
    expect([await pendingList(ann), await pendingList(bob)]).toEqual([[], [his]]);
  });

  it('of whole days follow the zone of the user', async () => {
    const player = await someone('Europe/Berlin');
    const days = { startDate: at('20310610'), endDate: at('20310611') };
    await created(player, { ...days, alarms: [display('-PT15M'), display('-PT90S')] });
    const list = await pendingList(player);
    expect(list.map(({ time }) => time)).toEqual(['20310609T214500Z', '20310609T215830Z']);
  });

  it('alarms that were added late are due from then on', async () => {
    const player = await someone();
    const past = { startDate: at('20250610T080000Z'), endDate: at('20250610T090000Z') };
    await created(player, { ...past, rrule: 'FREQ=DAILY', alarms: [display('-PT90S')] });
    await created(player, { ...past, alarms: [display('-PT90S')] });
    const list = await pendingList(player, '20400101');
    expect(list).toHaveLength(1);
    expect(instant(list[0]!.time)).toBeGreaterThan(Date.now());
  });

  it.each(['get', 'put'] as const)('what is refused, by %s', async (method) => {
    const [player, other] = [await someone(), await someone()];
    const event = await created(player, { ...JUNE_10, alarms: [display('-PT15M')] });
    const [{ id: alarmId }] = event.alarms;
    for (const action of ['ack', 'snooze']) {
      const code = async (query: Query, id = event.id, user = player) =>
        (await call(user, method, action, id, { alarmId, snoozeTime: 1000, ...query })).code;
      expect(await code({ alarmId: 1 })).toBe('CAL-4049');
      expect(await code({}, '999999999')).toBe('CAL-4040');
      expect(await code({ folder: 'cal://0/99999999' })).toBe('FLD-0008');
      expect(await code({ timezone: 'Mars/Olympus' })).toBe('CAL-4001');
      expect(await code({}, event.id, other)).toBe('CAL-4041');
    }
  });

  it('what is refused of lists and changes', async () => {
    const player = await someone();
    const event = await created(player, { ...JUNE_10, rrule: 'FREQ=DAILY;COUNT=2' });
    expect((await pending(player, 'soon')).code).toBe('SVL-0010');
    expect((await pending(player, '20310101', { rangeStart: '1' })).code).toBe('SVL-0010');
    expect((await player.get('chronos/alarm', 'pending', {})).code).toBe('SVL-0002');
    const code = async (query: Query, alarms: Json[] = [], id = event.id) =>
      (await updateAlarms(player, id, alarms, query)).code;
    expect(await code({}, [], '999999999')).toBe('CAL-4040');
    expect(await code({ folder: 'cal://0/99999999' })).toBe('FLD-0008');
    expect(await code({ recurrenceId: '20310613T080000Z' })).toBe('CAL-4042');
    expect(await code({ timezone: 'Mars/Olympus' })).toBe('CAL-4001');
    expect(await code({ timestamp: 1 })).toBe('CAL-4120');
    expect(
      await code(
        {},
        Array.from({ length: 101 }, () => display('-PT5M')),
      ),
    ).toBe('CAL-5074');
  });
});
