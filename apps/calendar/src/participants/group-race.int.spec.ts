import { randomUUID } from 'node:crypto';
import { calendar, identityEvents } from '@groupware/contracts';
import { Bus, EventBus } from '@groupware/messaging';
import { until } from '@groupware/test-kit';
import { PeopleDirectory } from './people-directory';
import { CalendarUser, MORNING } from '../testing/calendar-user';
import { entity, runCalendar, type RunningCalendar } from '../testing/running-calendar';

const FUTURE = { start_date: MORNING.start_date + 1e12, end_date: MORNING.end_date + 1e12 };
let running: RunningCalendar;
let bus: Bus;
let events: EventBus;
let next = 95_000;

beforeAll(async () => {
  running = await runCalendar();
  bus = await Bus.connect({ url: running.environment.NATS_URL!, prefix: running.environment.GROUPWARE_BUS_PREFIX! });
  events = new EventBus(bus);
  await events.open();
}, 60_000);
afterAll(async () => {
  await events?.close();
  await bus?.close();
  await running?.close();
}, 60_000);
afterEach(() => jest.restoreAllMocks());

const group = (id: number, ...members: CalendarUser[]): number =>
  entity({ kind: 'group', id, displayName: 'G', members: members.map((each) => each.id) });

const changes = async (groupId: number): Promise<number> =>
  (await running.sql<{ changes: number }>('select changes from group_change where group_id = $1', [groupId]))[0]
    ?.changes ?? 0;

/** Tells that members changed, and waits until it is handled. */
async function tell(groupId: number): Promise<void> {
  const before = Number(await changes(groupId));
  await events.publish({
    id: randomUUID(),
    name: identityEvents['group.changed'].name,
    contextId: 1,
    occurredAt: Date.now(),
    payload: { groupId },
  });
  await until(async () => Number(await changes(groupId)) > before);
}

const members = async (user: CalendarUser, id: string): Promise<number[]> =>
  (await user.read(id)).users.map((each: { id: number }) => each.id).sort();

describe('a group whose members change while somebody invites it', () => {
  it.each(['new', 'update'])('loses nobody: %s', async (action) => {
    const [ann, bob, eve] = [
      await CalendarUser.enter(running),
      await CalendarUser.enter(running),
      await CalendarUser.enter(running),
    ];
    const id = group((next += 1), bob);
    const participants = [ann.participant, { type: 2, id }];
    const known = action === 'update' ? await ann.create(FUTURE) : undefined;
    // The members are known, the appointment is not yet stored: Eve joins, and her event is handled.
    const original = PeopleDirectory.prototype.loadPeople;
    let times = 0;
    jest.spyOn(PeopleDirectory.prototype, 'loadPeople').mockImplementation(async function (
      this: PeopleDirectory,
      ...args
    ) {
      const people = await original.apply(this, args);
      if (args[1].some((each) => each.id === id && args[1].length > 1) && (times += 1) === 1) {
        group(id, bob, eve);
        await tell(id);
      }
      return people;
    });
    const stored =
      known === undefined
        ? await ann.create({ ...FUTURE, participants })
        : String((await ann.update(known, { participants })).json.id);
    expect(times).toBe(2);
    expect(await members(ann, stored)).toEqual([ann.id, bob.id, eve.id].sort());
  });

  it('and one that joins after the write began to store is found by the event', async () => {
    const [ann, bob, eve] = [
      await CalendarUser.enter(running),
      await CalendarUser.enter(running),
      await CalendarUser.enter(running),
    ];
    const id = group((next += 1), bob);
    for (let round = 0; round < 6; round += 1) {
      group(id, bob);
      const body = { title: 'T', folder_id: ann.folder, ignore_conflicts: true, ...FUTURE };
      const write = ann.call(calendar.new, {}, { ...body, participants: [ann.participant, { type: 2, id }] });
      if (round % 2 > 0) await new Promise((resolve) => setImmediate(resolve));
      group(id, bob, eve);
      const [stored] = await Promise.all([write, tell(id)]);
      await until(async () => (await members(ann, stored.id)).includes(eve.id));
    }
  });
});
