import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { SENT_TWICE, startTestEnvironment, type TestEnvironment } from '../test-environment';
import { create, created, DAY, FAR_FUTURE, type Fields, HOUR, read, update } from './calendar';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (timezone = 'UTC'): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `cf${(count += 1)}`, timezone);

beforeAll(async () => {
  world = await startTestEnvironment({ variables: SENT_TWICE });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const times = { start_date: Date.UTC(2035, 4, 7, 9), end_date: Date.UTC(2035, 4, 7, 10) };
const externals = ['external1@example.com', 'external2@example.com'];
const invited = (...players: TestUser[]) => [
  ...players.map((player) => ({ type: 1, id: player.userId })),
  ...externals.map((mail) => ({ type: 5, mail })),
];
const confirm = (
  player: TestUser,
  id: string,
  body: Fields,
  parameters: Record<string, string | number | boolean> = {},
) => player.put('calendar', 'confirm', { id, folder: player.folder, timestamp: FAR_FUTURE, ...parameters }, body);
const answers = (object: any): Record<number, number> =>
  Object.fromEntries(object.users.map((user: any) => [user.id, user.confirm]));
const externalAnswers = (object: any): number[] => object.confirmations.map((each: any) => each.status);
const shared = (owner: TestUser, guest: TestUser, bits: number) =>
  owner.put(
    'folders',
    'update',
    { id: owner.folder, timestamp: FAR_FUTURE },
    {
      permissions: [
        { entity: owner.userId, bits: 403710016, group: false },
        { entity: guest.userId, bits, group: false },
      ],
    },
  );
const READER = 257;

describe('calendar: confirm', () => {
  it('CF-01: an invited user answers with a message, for himself only', async () => {
    const id = await created(cast.U1, { ...times, participants: invited(cast.U1, cast.U2, cast.U3) });
    const before = await read(cast.U1, id);
    const answer = await confirm(cast.U2, id, { confirmation: 1, confirmmessage: 'yap' });
    expect(answer.error).toBeUndefined();
    expect(answer.data ?? {}).toEqual({});
    expect(answer.timestamp).toBeGreaterThan(before.last_modified_utc);
    const after = await read(cast.U1, id);
    expect(answers(after)).toEqual({ [cast.U1.userId]: 1, [cast.U2.userId]: 1, [cast.U3.userId]: 0 });
    expect(after.users.filter((user: any) => user.confirmmessage)).toMatchObject([
      { id: cast.U2.userId, confirm: 1, confirmmessage: 'yap' },
    ]);
    const stale = await confirm(cast.U3, id, { confirmation: 2 }, { timestamp: before.last_modified_utc });
    expect(stale).toMatchObject({ code: 'CAL-4120', category: 9 });
    expect(answers(await read(cast.U1, id))).toEqual(answers(after));
  });

  it('CF-02: the answer stays when its user changes his alarm', async () => {
    const id = await created(cast.U1, { ...times, participants: invited(cast.U1, cast.U2) });
    await confirm(cast.U2, id, { confirmation: 3, confirmmessage: 'perhaps' });
    await update(cast.U2, id, { alarm: 30 });
    const stored = await read(cast.U2, id);
    expect(stored.alarm).toBe(30);
    expect(stored.users).toContainEqual(
      expect.objectContaining({ id: cast.U2.userId, confirm: 3, confirmmessage: 'perhaps' }),
    );
    expect((await read(cast.U1, id)).alarm).toBeUndefined();
  });

  it('CF-03: the organizer notes the answer of an external participant', async () => {
    const id = await created(cast.U1, { ...times, participants: invited(cast.U1, cast.U2) });
    const body = { confirmation: 2, confirmmessage: 'no', type: 5, mail: 'External1@example.com' };
    expect((await confirm(cast.U1, id, body)).error).toBeUndefined();
    expect((await read(cast.U1, id)).confirmations).toEqual([
      expect.objectContaining({ mail: externals[0], status: 2, message: 'no' }),
      expect.objectContaining({ mail: externals[1], status: 0 }),
    ]);
    expect((await confirm(cast.U2, id, body)).code).toBe('CAL-4033');
    expect((await confirm(cast.U1, id, { ...body, mail: 'nobody@example.com' })).code).toBe('CAL-4043');
    expect((await confirm(cast.U1, id, { confirmation: 1, type: 5 })).code).toBe('APP-0008');
    expect(externalAnswers(await read(cast.U1, id))).toEqual([2, 0]);
  });

  it('CF-04: for somebody else only in his calendar, with the right to write there', async () => {
    const [owner, guest] = [await someone(), await someone()];
    const id = await created(owner, { ...times, participants: invited(owner, guest) });
    const inOwners = { folder: owner.folder };
    await shared(owner, guest, READER);
    expect((await confirm(guest, id, { confirmation: 2, id: owner.userId }, inOwners)).code).toBe('CAL-4033');
    expect((await confirm(guest, id, { confirmation: 2, id: owner.userId })).code).toBe('CAL-4033');
    expect(answers(await read(owner, id))).toEqual({ [owner.userId]: 1, [guest.userId]: 0 });
    // Write rights on all objects of the calendar.
    expect((await shared(owner, guest, 2 + (2 << 7) + (2 << 14))).error).toBeUndefined();
    expect((await confirm(guest, id, { confirmation: 2, id: owner.userId }, inOwners)).error).toBe(undefined);
    expect(answers(await read(owner, id))).toEqual({ [owner.userId]: 2, [guest.userId]: 0 });
  });

  it('CF-05, CF-06, CF-07: answers to one occurrence and to the series', async () => {
    const series = { ...times, recurrence_type: 1, interval: 1, occurrences: 10 };
    const id = await created(cast.U1, { ...series, participants: invited(cast.U1, cast.U2) });
    await confirm(cast.U2, id, { confirmation: 3 });
    await confirm(cast.U2, id, { confirmation: 2, confirmmessage: 'away' }, { occurrence: 5 });
    const master = await read(cast.U1, id);
    expect(answers(master)).toEqual({ [cast.U1.userId]: 1, [cast.U2.userId]: 3 });
    expect(master.change_exceptions).toEqual([Date.UTC(2035, 4, 11)]);
    const fifth = await read(cast.U1, id, { recurrence_position: 5 });
    expect(fifth).toMatchObject({ recurrence_position: 5, recurrence_id: Number(id) });
    expect(fifth.id).not.toBe(id);
    expect(answers(fifth)).toEqual({ [cast.U1.userId]: 1, [cast.U2.userId]: 2 });
    for (const each of [master, fifth]) expect([each.users.length, each.confirmations.length]).toEqual([2, 2]);

    await confirm(cast.U2, id, { confirmation: 1 }, { occurrence: 5 });
    expect(answers(await read(cast.U1, fifth.id))[cast.U2.userId]).toBe(1);
    expect((await read(cast.U1, id)).change_exceptions).toHaveLength(1);

    await confirm(cast.U2, id, { confirmation: 2 });
    expect(answers(await read(cast.U1, id))[cast.U2.userId]).toBe(2);
    expect(answers(await read(cast.U1, fifth.id))[cast.U2.userId]).toBe(1);
    expect((await confirm(cast.U2, id, { confirmation: 1 }, { occurrence: 11 })).code).toBe('APP-0098');
  });

  it('RE-31: the answer to an exception does not change that of the series', async () => {
    const series = { ...times, recurrence_type: 1, interval: 1, occurrences: 3 };
    const id = await created(cast.U1, { ...series, participants: invited(cast.U1, cast.U2) });
    const exception = String((await update(cast.U1, id, { recurrence_position: 2, title: 'moved' })).data.id);
    await confirm(cast.U2, exception, { confirmation: 2 });
    expect(answers(await read(cast.U2, exception))[cast.U2.userId]).toBe(2);
    expect(answers(await read(cast.U1, id))[cast.U2.userId]).toBe(0);
  });

  it('CF-08: a declined occurrence is no conflict, and is one again for who takes his answer back', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const series = { ...times, recurrence_type: 1, interval: 1, occurrences: 10 };
    const id = await created(ann, { ...series, participants: invited(ann, bob) });
    await confirm(bob, id, { confirmation: 2 }, { occurrence: 5 });
    const fifth = { start_date: times.start_date + 4 * DAY, end_date: times.end_date + 4 * DAY };
    const own = await create(bob, { ...fifth, ignore_conflicts: false });
    expect(own.data.conflicts).toBeUndefined();
    const again = await confirm(bob, id, { confirmation: 1 }, { occurrence: 5, ignore_conflicts: false });
    expect(again.data.conflicts.map((conflict: any) => String(conflict.id))).toEqual([String(own.data.id)]);
    expect(answers(await read(ann, id, { recurrence_position: 5 }))[bob.userId]).toBe(2);
    // Clients that do not ask are not stopped.
    expect((await confirm(bob, id, { confirmation: 1 }, { occurrence: 5 })).data).toEqual({});
    expect(answers(await read(ann, id, { recurrence_position: 5 }))[bob.userId]).toBe(1);
  });

  it('CF-09: refuses appointments that do not exist, other folders, strangers and unknown answers', async () => {
    expect((await confirm(cast.U1, '999999', { confirmation: 1 })).code).toMatch(/^(OX-0001|CAL-4040)$/);
    const id = await created(cast.U1, { ...times, participants: invited(cast.U1, cast.U2) });
    expect((await confirm(cast.U3, id, { confirmation: 1 })).code).toBe('APP-0059');
    expect((await confirm(cast.U3, id, { confirmation: 1 }, { folder: cast.U1.folder })).code).toBe('FLD-0003');
    expect((await confirm(cast.X1, id, { confirmation: 1 })).code).toBe('OX-0001');
    expect((await confirm(cast.U2, id, { confirmation: 4 })).error).toBeDefined();
    expect((await confirm(cast.U2, id, {})).error).toBeDefined();
    expect(answers(await read(cast.U1, id))[cast.U2.userId]).toBe(0);
  });

  it('asks again after a move to an earlier time, and not after one that only makes it shorter', async () => {
    const id = await created(cast.U1, { ...times, participants: invited(cast.U1, cast.U2) });
    await confirm(cast.U2, id, { confirmation: 1 });
    await update(cast.U1, id, { end_date: times.end_date - HOUR / 2 });
    expect(answers(await read(cast.U1, id))[cast.U2.userId]).toBe(1);
    await update(cast.U1, id, { start_date: times.start_date - HOUR });
    const moved = await read(cast.U1, id);
    expect(answers(moved)).toEqual({ [cast.U1.userId]: 1, [cast.U2.userId]: 0 });
    expect(moved.sequence).toBe(2);
  });
});
