import { ALARM_MAIL_SHIFT_MS, chronosAlarms, chronosChanges, identityEvents } from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { AlarmReplicas } from '../testing/alarm-replicas';
import { CalendarUser, FUTURE } from '../testing/calendar-user';
import { person } from '../testing/running-calendar';
import { TriggerRepository } from './trigger.repository';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Monday, 2 March 2026, 08:00 UTC. */
const MONDAY = Date.UTC(2026, 2, 2, 8);

let replicas: AlarmReplicas;
let now = MONDAY;

beforeAll(async () => {
  replicas = await AlarmReplicas.start(() => now);
}, 60_000);
afterAll(() => replicas?.close());
beforeEach(() => {
  now = MONDAY;
});

/** Lets the time come, with one replica or both at once. */
async function until(moment: number, count = 1): Promise<void> {
  now = moment;
  await replicas.runLoops(count);
  await replicas.settle();
}
/** Lets hours pass one by one. */
async function hours(from: number, to: number): Promise<void> {
  for (now = from; now <= to; now += HOUR) await replicas.runLoops(2);
  await replicas.settle();
}

const enter = (options = {}): Promise<CalendarUser> => CalendarUser.enter(replicas.running, options);
const told = (user: CalendarUser) => replicas.heard.filter(({ userId }) => userId === user.id);
const times = (user: CalendarUser): number[] => told(user).map(({ alarm }) => alarm);
const mailed = (user: CalendarUser) => replicas.mails.filter(({ userId }) => userId === user.id);

const folderOf = (user: CalendarUser): string => `cal://0/${user.folder}`;
const text = (ms: number): string => new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '');
const at = (start: number, length = HOUR) => ({
  startDate: { value: text(start) },
  endDate: { value: text(start + length) },
});
const day = (ms: number, count = 1) => ({
  startDate: { value: text(ms).slice(0, 8) },
  endDate: { value: text(ms + count * DAY).slice(0, 8) },
});
const display = (duration: string, related = 'START') => ({ action: 'DISPLAY', trigger: { duration, related } });
const atMoment = (ms: number) => ({ action: 'AUDIO', trigger: { dateTime: text(ms) } });

async function create(user: CalendarUser, body: object): Promise<any> {
  const reply = await user.ask(chronosChanges.new, { folder: folderOf(user), checkConflicts: false }, body);
  return reply.json.created[0];
}
const update = (user: CalendarUser, id: string, event: object, query: object = {}) =>
  user.ask(chronosChanges.update, { folder: folderOf(user), id, timestamp: FUTURE, ...query }, { event });
const ack = (user: CalendarUser, id: string, alarmId: number) =>
  user.ask(chronosAlarms.ack, { folder: folderOf(user), id, alarmId });
const pending = async (user: CalendarUser, actions = 'DISPLAY,AUDIO'): Promise<string[]> =>
  (await user.call<any[]>(chronosAlarms.pending, { rangeEnd: '20400101', actions })).map(({ time }) => time);

describe('alarms of events', () => {
  it('go off after the start, at the end, at a moment and to the second, as pending says', async () => {
    const ann = await enter();
    const alarms = [
      display('-PT15M'),
      display('-PT90S'),
      display('PT10M'),
      display('PT0S', 'END'),
      atMoment(MONDAY + 20 * MINUTE),
    ];
    const { id } = await create(ann, { ...at(MONDAY + HOUR), summary: 'Plan', alarms });
    const expected = [20 * MINUTE, 45 * MINUTE, HOUR - 90_000, 70 * MINUTE, 2 * HOUR].map((ms) => MONDAY + ms);
    expect(await pending(ann)).toEqual(expected.map(text));
    for (const moment of expected) {
      const before = times(ann).length;
      await until(moment - 1);
      expect(times(ann)).toHaveLength(before);
      await until(moment, 2);
      expect(times(ann)).toHaveLength(before + 1);
    }
    expect(times(ann)).toEqual(expected);
    expect(told(ann)[0]).toMatchObject({
      ...{ contextId: 1, module: 1, targetId: Number(id), folderId: Number(ann.folder), title: 'Plan', again: false },
      ...{ start: MONDAY + HOUR, end: MONDAY + 2 * HOUR, fullTime: false },
    });
    // All of them wait until the user has seen them.
    expect(await pending(ann)).toEqual(expected.map(text));
    await until(MONDAY + DAY, 2);
    expect(times(ann)).toEqual(expected);
  });

  it('of a series go off for every occurrence, across a change of the clocks, without deleted and with moved ones', async () => {
    const ben = await enter({ timeZone: 'Europe/Berlin' });
    now = Date.UTC(2026, 2, 26);
    const berlin = (value: string) => ({ value, tzid: 'Europe/Berlin' });
    const { id } = await create(ben, {
      ...{ startDate: berlin('20260327T090000'), endDate: berlin('20260327T100000'), rrule: 'FREQ=DAILY;COUNT=6' },
      ...{ deleteExceptionDates: ['20260328T080000Z'], alarms: [display('PT5M', 'END')] },
    });
    const moved = { startDate: berlin('20260330T140000'), endDate: berlin('20260330T150000') };
    await update(ben, id, moved, { recurrenceId: '20260330T070000Z' });
    await hours(Date.UTC(2026, 2, 27), Date.UTC(2026, 3, 2));
    expect(told(ben).map(({ alarm, position }) => [new Date(alarm).toISOString(), position])).toEqual([
      ['2026-03-27T09:05:00.000Z', 1],
      ['2026-03-29T08:05:00.000Z', 3],
      ['2026-03-30T13:05:00.000Z', 4],
      ['2026-03-31T08:05:00.000Z', 5],
      ['2026-04-01T08:05:00.000Z', 6],
    ]);
  }, 60_000);

  it('of an occurrence that becomes an event of its own go off once', async () => {
    const ann = await enter();
    const { id } = await create(ann, {
      ...at(MONDAY + HOUR),
      rrule: 'FREQ=DAILY;COUNT=3',
      alarms: [display('-PT90S')],
    });
    const first = MONDAY + HOUR - 90_000;
    await until(first);
    await update(ann, id, { summary: 'Today' }, { recurrenceId: text(MONDAY + HOUR) });
    await update(ann, id, { summary: 'Tomorrow' }, { recurrenceId: text(MONDAY + HOUR + DAY) });
    await until(first + MINUTE, 2);
    expect(times(ann)).toEqual([first]);
    await until(first + DAY, 2);
    await until(first + 5 * DAY, 2);
    expect(times(ann)).toEqual([first, first + DAY, first + 2 * DAY]);
  });

  it('of whole days follow the zone of their user, once also when he moves', async () => {
    const wednesday = Date.UTC(2026, 2, 4);
    const alarms = [display('-PT90S'), display('-PT6H', 'END')];
    const [tokyo, mover] = [await enter({ timeZone: 'Asia/Tokyo' }), await enter({ timeZone: 'Asia/Tokyo' })];
    for (const user of [tokyo, mover]) await create(user, { ...day(wednesday), rrule: 'FREQ=DAILY;COUNT=2', alarms });
    const start = wednesday - 9 * HOUR;
    await hours(MONDAY + HOUR, start);
    expect(times(mover)).toEqual([start - 90_000]);
    person(mover.id, { timeZone: 'America/Denver' });
    const { bus, events, running } = replicas;
    bus.publish(bus.subject('broadcast.directory-changed'), Buffer.from(JSON.stringify({ contextId: 1 })));
    await events.publish({
      ...{ id: `moved ${mover.id} ${running.environment.GROUPWARE_BUS_PREFIX}`, contextId: 1, occurredAt: now },
      ...{ name: identityEvents['user.changed'].name, payload: { userId: mover.id } },
    });
    await hours(start + HOUR, start + 4 * DAY);
    expect(times(tokyo)).toEqual(
      [0, 18 * HOUR, DAY, DAY + 18 * HOUR].map((ms, index) => start + ms - (index % 2 ? 0 : 90_000)),
    );
    const denver = wednesday + 7 * HOUR;
    expect(times(mover)).toEqual([start - 90_000, denver + 18 * HOUR, denver + DAY - 90_000, denver + DAY + 18 * HOUR]);
  }, 120_000);

  it('go off once, with several replicas and one that dies, however many are due', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => enter()));
    for (const user of users)
      for (let index = 0; index < 4; index += 1)
        await create(user, {
          ...at(MONDAY + 10 * HOUR + index * 1000),
          rrule: 'FREQ=DAILY;COUNT=5',
          alarms: [display('-PT90S'), { ...display('-PT1H'), action: 'EMAIL' }],
        });
    const write = TriggerRepository.prototype.updateAcrossContexts;
    for (let date = 0; date < 5; date += 1) {
      now = MONDAY + 10 * HOUR + date * DAY;
      const dying = jest
        .spyOn(TriggerRepository.prototype, 'updateAcrossContexts')
        .mockImplementationOnce(async function (this: TriggerRepository, ...args: Parameters<typeof write>) {
          await write.apply(this, args);
          throw new Error('killed');
        });
      await expect(replicas.loops[0]!.notifyDue()).rejects.toThrow('killed');
      dying.mockRestore();
      await until(now, 2);
    }
    for (const user of users) {
      const keys = told(user).map(({ targetId, alarm }) => `${targetId} ${alarm}`);
      expect(keys).toHaveLength(20);
      expect(new Set(keys).size).toBe(20);
      const letters = mailed(user).map(({ eventId, alarm }) => `${eventId} ${alarm}`);
      expect(letters).toHaveLength(20);
      expect(new Set(letters).size).toBe(20);
    }
  }, 120_000);

  it('follow changes: moved, another trigger, removed, declined, deleted', async () => {
    const [ann, bob] = [await enter(), await enter()];
    const alarms = [display('-PT90S')];
    const moved = await create(ann, { ...at(MONDAY + HOUR), alarms });
    const other = await create(ann, { ...at(MONDAY + HOUR), alarms });
    const quiet = await create(ann, { ...at(MONDAY + HOUR), alarms });
    const gone = await create(ann, { ...at(MONDAY + HOUR), alarms });
    const declined = await create(ann, { ...at(MONDAY + HOUR), attendees: [{ entity: bob.id }] });
    const answer = (attendee: object, more: object = {}) =>
      bob.ask(
        chronosChanges.updateAttendee,
        { folder: folderOf(bob), id: declined.id, timestamp: FUTURE },
        { attendee: { entity: bob.id, ...attendee }, ...more },
      );
    await answer({}, { alarms });
    await answer({ partStat: 'DECLINED' });
    await update(ann, moved.id, at(MONDAY + 3 * HOUR));
    await update(ann, other.id, { alarms: [{ ...other.alarms[0], trigger: { duration: 'PT30S' } }] });
    await update(ann, quiet.id, { alarms: [] });
    await ann.ask(chronosChanges.delete, { timestamp: FUTURE }, [{ events: [{ folder: folderOf(ann), id: gone.id }] }]);
    await until(MONDAY + 2 * HOUR, 2);
    expect(times(ann)).toEqual([MONDAY + HOUR + 30_000]);
    await until(MONDAY + 3 * HOUR, 2);
    expect(times(ann)).toEqual([MONDAY + HOUR + 30_000, MONDAY + 3 * HOUR - 90_000]);
    // Another title is no reason to tell again, another time is.
    await update(ann, moved.id, { summary: 'Other' });
    await until(MONDAY + 3 * HOUR + MINUTE);
    expect(times(ann)).toHaveLength(2);
    await update(ann, moved.id, at(MONDAY + 5 * HOUR));
    await until(MONDAY + 5 * HOUR);
    expect(times(ann)).toHaveLength(3);
    expect(times(bob)).toEqual([]);
  });

  it('are not told when the user has seen them before, and come again when he asks for it', async () => {
    const ann = await enter();
    const alarms = [display('PT10M')];
    const seen = await create(ann, { ...at(MONDAY + HOUR), rrule: 'FREQ=DAILY;COUNT=2', alarms });
    await ack(ann, seen.id, seen.alarms[0].id);
    const again = await create(ann, { ...at(MONDAY + HOUR), alarms });
    await until(MONDAY + 80 * MINUTE);
    expect(told(ann).map(({ targetId }) => String(targetId))).toEqual([again.id]);
    const snooze = { folder: folderOf(ann), id: again.id, alarmId: again.alarms[0].id, snoozeTime: 300_000 };
    await ann.ask(chronosAlarms.snooze, snooze);
    const second = MONDAY + 85 * MINUTE;
    expect(await pending(ann)).toEqual([text(second), text(MONDAY + DAY + 70 * MINUTE)]);
    await until(second, 2);
    expect(told(ann).at(-1)).toMatchObject({ targetId: Number(again.id), alarm: second, again: true });
    await until(MONDAY + 5 * DAY, 2);
    expect(times(ann)).toEqual([MONDAY + 70 * MINUTE, second, MONDAY + DAY + 70 * MINUTE]);
  });

  it('are reminders, too: shown, deleted and asked for again under the ids that were told', async () => {
    const [ann, bob] = [await enter(), await enter()];
    const mail = { ...display('PT10M'), action: 'EMAIL' };
    const event = { ...at(MONDAY + HOUR), alarms: [display('-PT15M'), display('PT10M'), mail] };
    const { id } = await create(ann, { ...event, rrule: 'FREQ=DAILY;COUNT=2' });
    const time = MONDAY + 70 * MINUTE;
    await until(time, 2);
    const shown = await replicas.listReminders(ann, time);
    // Two processes tell of what is due at the same time in no order.
    const notices = told(ann).toSorted((one, other) => one.alarm - other.alarm);
    expect(shown.map(({ id: reminderId, alarm }) => [reminderId, alarm])).toEqual(
      notices.map(({ reminderId, alarm }) => [reminderId, alarm]),
    );
    expect(shown[1]).toEqual({
      ...{ id: notices[1]!.reminderId, targetId: Number(id), folderId: Number(ann.folder), position: 1, alarm: time },
      lastModified: expect.any(Number),
    });
    expect(await replicas.removeReminders(bob, [shown[1]!.id])).toEqual([]);
    expect(await replicas.snoozeReminder(bob, shown[1]!.id, time + HOUR)).toBeNull();
    const again = await replicas.snoozeReminder(ann, shown[1]!.id, time + 5 * MINUTE);
    expect(again).toMatchObject({ targetId: Number(id), alarm: time + 5 * MINUTE });
    await until(time + 5 * MINUTE, 2);
    expect(told(ann).at(-1)).toMatchObject({ reminderId: again!.id, alarm: time + 5 * MINUTE, again: true });
    expect((await replicas.removeReminders(ann, [shown[0]!.id, again!.id, 4711])).sort()).toEqual(
      [shown[0]!.id, again!.id].sort(),
    );
    expect(await replicas.listReminders(ann, time + HOUR)).toEqual([]);
    expect(await pending(ann)).toEqual([text(MONDAY + DAY + 45 * MINUTE), text(time + DAY)]);
  });

  it('leave by mail earlier where the property says so, each occurrence once; others come in time', async () => {
    const ann = await enter();
    const read = Properties.prototype.serverValue;
    const shift = jest.spyOn(Properties.prototype, 'serverValue').mockImplementation(function (
      this: Properties,
      property,
    ) {
      return property.key === ALARM_MAIL_SHIFT_MS.key ? 2 * MINUTE : read.call(this, property);
    });
    try {
      const alarms = [display('-PT15M'), { ...display('-PT15M'), action: 'EMAIL' }];
      await create(ann, { ...at(MONDAY + HOUR), rrule: 'FREQ=DAILY;COUNT=2', alarms });
      for (let date = 0; date < 2; date += 1) {
        const time = MONDAY + date * DAY + 45 * MINUTE;
        await until(time - 2 * MINUTE - 1, 2);
        expect([mailed(ann).length, told(ann).length]).toEqual([date, date]);
        await until(time - 2 * MINUTE, 2);
        expect(mailed(ann).map(({ alarm }) => alarm)[date]).toBe(time);
        await until(time - 1, 2);
        expect([mailed(ann).length, told(ann).length]).toEqual([date + 1, date]);
        await until(time, 2);
        expect([mailed(ann).length, told(ann).length]).toEqual([date + 1, date + 1]);
      }
    } finally {
      shift.mockRestore();
    }
  });

  it('leave by mail once and are over then', async () => {
    const ann = await enter();
    const alarms = [{ action: 'EMAIL', description: 'Bring cake', trigger: { duration: '-PT15M' } }];
    const event = { ...at(MONDAY + HOUR), summary: 'Plan', location: 'Hall', rrule: 'FREQ=DAILY;COUNT=2', alarms };
    const { id } = await create(ann, event);
    expect(await pending(ann, 'MAIL')).toEqual([text(MONDAY + 45 * MINUTE)]);
    await until(MONDAY + 45 * MINUTE, 2);
    expect(mailed(ann)).toEqual([
      expect.objectContaining({
        ...{ eventId: Number(id), summary: 'Plan', location: 'Hall', description: 'Bring cake', contextId: 1 },
        ...{ alarm: MONDAY + 45 * MINUTE, startMs: MONDAY + HOUR, endMs: MONDAY + 2 * HOUR },
        ...{ floating: false, wholeDays: false },
      }),
    ]);
    expect(await pending(ann, 'MAIL')).toEqual([text(MONDAY + DAY + 45 * MINUTE)]);
    await until(MONDAY + 5 * DAY, 2);
    expect(mailed(ann)).toHaveLength(2);
    expect(await pending(ann, 'MAIL')).toEqual([]);
    expect(times(ann)).toEqual([]);
  });

  it('come late, but once each, after an outage; occurrences that are too old are passed over', async () => {
    const ann = await enter();
    await create(ann, { ...at(MONDAY + HOUR), rrule: 'FREQ=DAILY', alarms: [display('-PT90S')] });
    await until(MONDAY + 30 * DAY, 2);
    await until(MONDAY + 30 * DAY, 2);
    const first = MONDAY + HOUR - 90_000;
    expect(times(ann)).toEqual([0, 23, 24, 25, 26, 27, 28, 29].map((date) => first + date * DAY));
  });

  it('cost nothing where nobody has such an alarm', async () => {
    const calls = jest.spyOn(TriggerRepository.prototype, 'listByTargets');
    const ann = await enter();
    const { id } = await create(ann, { ...at(MONDAY + HOUR), alarms: [display('-PT15M')] });
    await update(ann, id, { summary: 'Other' });
    expect(calls).not.toHaveBeenCalled();
    calls.mockRestore();
  });
});
