import type { Bus, EventBus } from '@groupware/messaging';
import { Clock, runServices } from '@groupware/service-kit';
import { service } from '../index';
import { AlarmReplicas } from '../testing/alarm-replicas';
import { CalendarUser } from '../testing/calendar-user';
import { person, type RunningCalendar } from '../testing/running-calendar';
import type { AlarmLoop } from './alarm-loop';
import { ReminderRepository } from './reminder.repository';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Monday, 2 March 2026, 08:00 UTC. */
const MONDAY = Date.UTC(2026, 2, 2, 8);

let replicas: AlarmReplicas;
let running: RunningCalendar;
let loops: readonly AlarmLoop[];
let bus: Bus;
let events: EventBus;
let heard: AlarmReplicas['heard'];
let now = MONDAY;

beforeAll(async () => {
  replicas = await AlarmReplicas.start(() => now);
  ({ running, loops, bus, events, heard } = replicas);
  expect(loops).toHaveLength(2);
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

/** Lets hours pass one by one, with both replicas at midnight and one of them else. */
async function hours(from: number, to: number): Promise<void> {
  for (now = from; now <= to; now += HOUR) await replicas.runLoops(now % DAY ? 1 : 2);
  await replicas.settle();
}

const alarmsOf = (user: CalendarUser) => heard.filter(({ userId }) => userId === user.id);
const told = (user: CalendarUser) => alarmsOf(user).map(({ alarm }) => alarm);

const range = (user: CalendarUser, end: number) => replicas.listReminders(user, end);
const remove = (user: CalendarUser, ...ids: number[]) => replicas.removeReminders(user, ids);
const again = (user: CalendarUser, id: number, alarm: number) => replicas.snoozeReminder(user, id, alarm);

const at = (start: number, length = HOUR) => ({ start_date: start, end_date: start + length });

describe('alarms', () => {
  it('are told once, so many minutes before the start, and in the order of time', async () => {
    const ann = await CalendarUser.enter(running);
    const first = await ann.create({ ...at(MONDAY + HOUR), alarm: 15, title: 'One' });
    await ann.create({ ...at(MONDAY + 2 * HOUR), alarm: 0, title: 'Two' });
    await ann.create({ ...at(MONDAY + HOUR), title: 'No alarm' });
    await until(MONDAY + 45 * MINUTE - 1);
    expect(told(ann)).toEqual([]);
    await until(MONDAY + 45 * MINUTE);
    await until(MONDAY + 50 * MINUTE);
    expect(alarmsOf(ann)).toEqual([
      expect.objectContaining({
        contextId: 1,
        module: 1,
        userId: ann.id,
        targetId: Number(first),
        folderId: Number(ann.folder),
        alarm: MONDAY + 45 * MINUTE,
        title: 'One',
        start: MONDAY + HOUR,
        end: MONDAY + 2 * HOUR,
        fullTime: false,
        again: false,
      }),
    ]);
    await until(MONDAY + 3 * HOUR);
    expect(told(ann)).toEqual([MONDAY + 45 * MINUTE, MONDAY + 2 * HOUR]);
  });

  it('belong to each participant alone', async () => {
    const [ann, bob, cat] = [
      await CalendarUser.enter(running),
      await CalendarUser.enter(running),
      await CalendarUser.enter(running),
    ];
    const participants = [ann.participant, bob.participant, cat.participant];
    const id = await ann.create({ ...at(MONDAY + DAY), alarm: 30, participants });
    await bob.update(id, { alarm: 60 });
    await until(MONDAY + 2 * DAY);
    expect([told(ann), told(bob), told(cat)]).toEqual([[MONDAY + DAY - 30 * MINUTE], [MONDAY + DAY - HOUR], []]);
  });

  it('of a series come for every occurrence, across a change of the clocks, without deleted and with moved ones', async () => {
    const ben = await CalendarUser.enter(running, { timeZone: 'Europe/Berlin' });
    // 09:00 in Berlin, daily, from Friday 27 March 2026; the clocks change on the 29th.
    const start = Date.UTC(2026, 2, 27, 9);
    now = Date.UTC(2026, 2, 26);
    const id = await ben.create(
      { ...at(start), alarm: 60, recurrence_type: 1, interval: 1, occurrences: 6 },
      { timezone: 'Europe/Berlin' },
    );
    await ben.remove({ id, recurrence_position: 2 });
    await ben.update(
      id,
      { recurrence_position: 4, ...at(Date.UTC(2026, 2, 30, 14)), alarm: 60 },
      { timezone: 'Europe/Berlin' },
    );
    await hours(Date.UTC(2026, 2, 27), Date.UTC(2026, 3, 2));
    expect(alarmsOf(ben).map(({ alarm, position }) => [new Date(alarm).toISOString(), position])).toEqual([
      ['2026-03-27T07:00:00.000Z', 1],
      ['2026-03-29T06:00:00.000Z', 3],
      ['2026-03-30T11:00:00.000Z', 4],
      ['2026-03-31T06:00:00.000Z', 5],
      ['2026-04-01T06:00:00.000Z', 6],
    ]);
  }, 60_000);

  it('of whole days follow the zone of their user, also when he moves', async () => {
    const day = Date.UTC(2026, 2, 4);
    const whole = { full_time: true, start_date: day, end_date: day + DAY, alarm: 60 };
    const tokyo = await CalendarUser.enter(running, { timeZone: 'Asia/Tokyo' });
    const denver = await CalendarUser.enter(running, { timeZone: 'America/Denver' });
    const mover = await CalendarUser.enter(running, { timeZone: 'America/Denver' });
    for (const user of [tokyo, denver, mover]) await user.create(whole);
    await until(MONDAY + HOUR);
    person(mover.id, { timeZone: 'Asia/Tokyo' });
    bus.publish(bus.subject('broadcast.directory-changed'), Buffer.from(JSON.stringify({ contextId: 1 })));
    await events.publish({
      id: `moved ${mover.id} ${running.environment.GROUPWARE_BUS_PREFIX}`,
      name: 'identity.user.changed',
      contextId: 1,
      occurredAt: now,
      payload: { userId: mover.id },
    });
    await hours(MONDAY + 2 * HOUR, MONDAY + 72 * HOUR);
    expect([told(tokyo), told(denver), told(mover)]).toEqual([[day - 10 * HOUR], [day + 6 * HOUR], [day - 10 * HOUR]]);
    expect(alarmsOf(tokyo)[0]).toMatchObject({ fullTime: true, start: day - 9 * HOUR, end: day + 15 * HOUR });
  }, 60_000);

  it('are told once by several replicas that look at the same time, however many are due', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => CalendarUser.enter(running)));
    for (const user of users)
      for (let index = 0; index < 4; index += 1)
        await user.create({ ...at(MONDAY + 10 * HOUR + index), alarm: 5, recurrence_type: 1, interval: 1 });
    for (let day = 0; day < 5; day += 1) await until(MONDAY + 10 * HOUR + day * DAY, 2);
    for (const user of users) {
      const mine = alarmsOf(user);
      expect(mine).toHaveLength(20);
      expect(new Set(mine.map(({ targetId, alarm }) => `${targetId} ${alarm}`)).size).toBe(20);
      expect(new Set(mine.map(({ reminderId }) => reminderId)).size).toBe(20);
    }
  }, 60_000);

  it('are told once when the process dies in between', async () => {
    const ann = await CalendarUser.enter(running);
    for (let index = 0; index < 10; index += 1)
      await ann.create({ ...at(MONDAY + 4 * HOUR), alarm: 5, recurrence_type: 1, interval: 1 });
    now = MONDAY + 4 * HOUR;
    // Dies after everything but the commit was done, in the second batch.
    const write = ReminderRepository.prototype.insertAcrossContexts;
    const dying = jest.spyOn(ReminderRepository.prototype, 'insertAcrossContexts');
    dying.mockImplementationOnce(write).mockImplementationOnce(async function (
      this: ReminderRepository,
      ...args: Parameters<typeof write>
    ) {
      await write.apply(this, args);
      throw new Error('killed');
    });
    await expect(loops[0]!.notifyDue()).rejects.toThrow('killed');
    dying.mockRestore();
    await replicas.settle();
    expect(alarmsOf(ann).length).toBeLessThan(10);
    await until(now, 2);
    expect(told(ann)).toEqual(Array.from({ length: 10 }, () => MONDAY + 4 * HOUR - 5 * MINUTE));
    await until(MONDAY + DAY + 4 * HOUR, 2);
    expect(alarmsOf(ann)).toHaveLength(20);
  });

  it('come late, but once each, after an outage; occurrences that are too old are passed over', async () => {
    const ann = await CalendarUser.enter(running);
    await ann.create({ ...at(MONDAY + HOUR), alarm: 10 });
    await ann.create({ ...at(MONDAY + 2 * HOUR), alarm: 0, recurrence_type: 1, interval: 1 });
    await until(MONDAY + 3 * DAY, 2);
    await until(MONDAY + 3 * DAY, 2);
    expect(told(ann).sort()).toEqual([MONDAY + 50 * MINUTE, ...[0, 1, 2].map((day) => MONDAY + 2 * HOUR + day * DAY)]);
    heard.length = 0;
    await until(MONDAY + 30 * DAY, 2);
    // The one that waited, then those of the last week.
    expect(told(ann).sort()).toEqual([3, 23, 24, 25, 26, 27, 28, 29].map((day) => MONDAY + 2 * HOUR + day * DAY));
  });

  it('follow changes of the appointment: moved, without alarm, declined, deleted', async () => {
    const [ann, bob] = [await CalendarUser.enter(running), await CalendarUser.enter(running)];
    const moved = await ann.create({ ...at(MONDAY + HOUR), alarm: 10 });
    const quiet = await ann.create({ ...at(MONDAY + HOUR), alarm: 10 });
    const gone = await ann.create({ ...at(MONDAY + HOUR), alarm: 10 });
    const declined = await ann.create({ ...at(MONDAY + HOUR), participants: [ann.participant, bob.participant] });
    await bob.update(declined, { alarm: 10 });
    await ann.update(moved, at(MONDAY + 3 * HOUR));
    await ann.update(quiet, { alarm: -1 });
    await ann.remove({ id: gone });
    await bob.update(declined, { users: [{ id: bob.id, confirm: 2 }] });
    await until(MONDAY + 2 * HOUR);
    expect([told(ann), told(bob)]).toEqual([[], []]);
    await until(MONDAY + 3 * HOUR);
    expect(told(ann)).toEqual([MONDAY + 3 * HOUR - 10 * MINUTE]);
    // Told already; another title is no reason to tell again, another time is.
    await ann.update(moved, { title: 'Other' });
    await until(MONDAY + 3 * HOUR + MINUTE);
    expect(told(ann)).toHaveLength(1);
    await ann.update(moved, at(MONDAY + 5 * HOUR));
    await until(MONDAY + 5 * HOUR);
    expect(told(ann)).toHaveLength(2);
  });

  it('of the past are not told; those of what has not begun yet are, at once', async () => {
    const ann = await CalendarUser.enter(running);
    await ann.create({ ...at(MONDAY - 2 * DAY), alarm: 10 });
    await ann.create({ ...at(MONDAY - 30 * MINUTE), alarm: 10 });
    await ann.create({ full_time: true, start_date: MONDAY - 8 * HOUR, end_date: MONDAY + 16 * HOUR, alarm: 10 });
    const soon = await ann.create({ ...at(MONDAY + 5 * MINUTE), alarm: 10 });
    await ann.create({ ...at(MONDAY - 300 * DAY), alarm: 10, recurrence_type: 1, interval: 1, occurrences: 300 });
    await until(MONDAY);
    expect(alarmsOf(ann).map(({ targetId }) => targetId)).toEqual([Number(soon)]);
    await until(MONDAY + DAY);
    expect(told(ann)).toEqual([MONDAY - 5 * MINUTE]);
  });

  it('are not told again when an occurrence becomes an exception', async () => {
    const ann = await CalendarUser.enter(running);
    const id = await ann.create({ ...at(MONDAY + HOUR), alarm: 30, recurrence_type: 1, interval: 1, occurrences: 3 });
    await until(MONDAY + 40 * MINUTE);
    await ann.update(id, { recurrence_position: 1, title: 'Exception' });
    await ann.update(id, { recurrence_position: 2, title: 'Exception' });
    await until(MONDAY + 5 * DAY);
    expect(told(ann)).toEqual([0, 1, 2].map((day) => MONDAY + 30 * MINUTE + day * DAY));
    expect(new Set(alarmsOf(ann).map(({ targetId }) => targetId)).size).toBe(2);
  });
});

describe('reminders', () => {
  it('are listed until a moment, in order, and stay until they are deleted', async () => {
    const ann = await CalendarUser.enter(running);
    const late = await ann.create({ ...at(MONDAY + 3 * HOUR), alarm: 15 });
    const early = await ann.create({ ...at(MONDAY + 2 * HOUR), alarm: 15 });
    expect(await range(ann, MONDAY + 105 * MINUTE - 1)).toEqual([]);
    const both = await range(ann, MONDAY + DAY);
    expect(both).toEqual([
      {
        id: expect.any(Number),
        targetId: Number(early),
        folderId: Number(ann.folder),
        alarm: MONDAY + 105 * MINUTE,
        lastModified: expect.any(Number),
        position: 0,
      },
      expect.objectContaining({ targetId: Number(late), alarm: MONDAY + 165 * MINUTE }),
    ]);
    await until(MONDAY + 2 * HOUR);
    expect((await range(ann, now)).map(({ id }) => id)).toEqual([both[0]!.id]);
    expect(alarmsOf(ann).map(({ reminderId }) => reminderId)).toEqual([both[0]!.id]);
    expect(await remove(ann, both[0]!.id)).toEqual([both[0]!.id]);
    expect(await range(ann, now)).toEqual([]);
    expect(await remove(ann, both[0]!.id, both[1]!.id, 4711)).toEqual([both[1]!.id]);
    await until(MONDAY + DAY);
    expect(told(ann)).toHaveLength(1);
  });

  it('of a series go from occurrence to occurrence, deleted before or after their time', async () => {
    const ann = await CalendarUser.enter(running);
    await ann.create({ ...at(MONDAY + HOUR), alarm: 15, recurrence_type: 1, interval: 1, occurrences: 3 });
    const [first] = await range(ann, MONDAY + 10 * DAY);
    expect(first).toMatchObject({ position: 1, alarm: MONDAY + 45 * MINUTE });
    await remove(ann, first!.id);
    const [second, ...more] = await range(ann, MONDAY + 10 * DAY);
    expect(more).toEqual([]);
    expect(second).toMatchObject({ position: 2, alarm: MONDAY + DAY + 45 * MINUTE });
    await until(MONDAY + DAY + HOUR);
    const [told2, third] = await range(ann, MONDAY + 10 * DAY);
    expect([told2, third]).toEqual([
      expect.objectContaining({ id: second!.id }),
      expect.objectContaining({ position: 3 }),
    ]);
    await remove(ann, second!.id, third!.id);
    expect(await range(ann, MONDAY + 10 * DAY)).toEqual([]);
    await until(MONDAY + 10 * DAY);
    expect(told(ann)).toEqual([MONDAY + DAY + 45 * MINUTE]);
  });

  it('come again when the user asks for it, of one occurrence only', async () => {
    const ann = await CalendarUser.enter(running);
    const id = await ann.create({ ...at(MONDAY + HOUR), alarm: 15, recurrence_type: 1, interval: 1, occurrences: 2 });
    await until(MONDAY + 50 * MINUTE);
    const [due] = await range(ann, now);
    const later = MONDAY + 55 * MINUTE;
    expect(await again(ann, due!.id, later)).toMatchObject({
      id: due!.id,
      targetId: Number(id),
      alarm: later,
    });
    expect(await range(ann, now)).toEqual([]);
    await until(later, 2);
    expect((await range(ann, now)).map(({ alarm }) => alarm)).toEqual([later]);
    // Before its time: the occurrence after it is not touched.
    await again(ann, due!.id, later + MINUTE);
    await until(MONDAY + 5 * DAY);
    expect(alarmsOf(ann).map((entry) => [entry.alarm, entry.position, entry.again])).toEqual([
      [MONDAY + 45 * MINUTE, 1, false],
      [later, 1, true],
      [later + MINUTE, 1, true],
      [MONDAY + DAY + 45 * MINUTE, 2, false],
    ]);
  });

  it('of others and unknown ones are left alone', async () => {
    const [ann, bob] = [await CalendarUser.enter(running), await CalendarUser.enter(running)];
    await ann.create({ ...at(MONDAY + HOUR), alarm: 15 });
    const [mine] = await range(ann, MONDAY + DAY);
    expect(await range(bob, MONDAY + DAY)).toEqual([]);
    expect(await remove(bob, mine!.id)).toEqual([]);
    expect(await again(bob, mine!.id, now)).toBeNull();
    expect(await again(ann, 4711, now)).toBeNull();
    expect(await range(ann, MONDAY + DAY)).toEqual([mine]);
    expect(await range(ann, Number.MAX_VALUE)).toEqual([mine]);
  });

  it('are forgotten some time after the end', async () => {
    const ann = await CalendarUser.enter(running);
    await ann.create({ ...at(MONDAY + HOUR), alarm: 15 });
    await until(MONDAY + HOUR);
    now = MONDAY + 32 * DAY;
    await (loops[0] as unknown as { runRound(): Promise<void> }).runRound();
    expect(await running.sql('select 1 from reminder where user_id = $1', [ann.id])).toEqual([]);
  });

  it('cost nothing where nobody has an alarm, and a fixed number of statements where somebody has', async () => {
    const calls = jest.spyOn(ReminderRepository.prototype, 'listByTargets');
    const ann = await CalendarUser.enter(running);
    const id = await ann.create(at(MONDAY + HOUR));
    await ann.update(id, { title: 'Other' });
    expect(calls).not.toHaveBeenCalled();
    await ann.update(id, { alarm: 5 });
    await ann.update(id, { title: 'Third' });
    expect(calls).toHaveBeenCalledTimes(1);
    calls.mockRestore();
  });
});

describe('the loop', () => {
  it('tells of alarms in time by itself, without being asked', async () => {
    const clock = jest.spyOn(Clock.prototype, 'now').mockImplementation(() => Date.now());
    const alone = await runServices([service], { ...running.environment, CALENDAR_ALARM_SECONDS: '1' });
    try {
      const ann = await CalendarUser.enter(running);
      const start = Math.floor(Date.now() / 1000) * 1000 + 2000;
      await ann.create({ ...at(start), alarm: 0 });
      // A busy machine may take some seconds; without the loop nothing comes at all.
      for (let waited = 0; waited < 150 && alarmsOf(ann).length === 0; waited += 1)
        await new Promise((resolve) => setTimeout(resolve, 100));
      expect(told(ann)).toEqual([start]);
    } finally {
      await alone.close();
      clock.mockImplementation(() => now);
    }
  }, 30_000);
});
