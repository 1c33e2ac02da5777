import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { create, created, DAY, type Fields, HOUR, read, starts, update } from './calendar';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `co${(count += 1)}`);
/** A room of its own. */
const newRoom = async (fields: Fields = {}): Promise<number> => {
  const name = `room${(count += 1)}`;
  const room = await cast.admin.expect('POST', `/admin/v1/contexts/${cast.contextId}/resources`, {
    name,
    displayName: name,
    email: `${name}@c${cast.contextId}.example`,
    type: 'ROOM',
    ...fields,
  });
  return room.id;
};

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

/** 1 February 2035. */
const first = Date.UTC(2035, 1, 1);
const at = (day: number, from: number, to = from + 1) => ({
  start_date: first + (day - 1) * DAY + from * HOUR,
  end_date: first + (day - 1) * DAY + to * HOUR,
});
const daily = { recurrence_type: 1, interval: 1 };
const strict = { ignore_conflicts: false };
const user = (player: TestUser) => ({ type: 1, id: player.userId });
const idsOf = (answer: any): string[] => (answer.data.conflicts ?? []).map((conflict: any) => String(conflict.id));

describe('calendar: conflicts of series and exceptions', () => {
  it('CO-08: a series that moves onto a booking of its room is refused, whatever is ignored', async () => {
    const [player, room] = [await someone(), { type: 3, id: await newRoom() }];
    const participants = [user(player), room];
    const id = await created(player, { ...at(1, 8, 8.5), ...daily, occurrences: 5, participants });
    expect((await update(player, id, { recurrence_position: 2, ...at(2, 6, 6.5) })).data.id).toBeDefined();
    const single = await created(player, { ...at(3, 9, 9.5), participants });
    const before = await starts(player);
    const answer = await update(player, id, { ...at(1, 9, 9.5), ignore_conflicts: true });
    expect(answer.error).toBeUndefined();
    expect(idsOf(answer)).toEqual([single]);
    expect(answer.data.conflicts[0].hard_conflict).toBe(true);
    expect(answer.data).not.toHaveProperty('id');
    expect(await starts(player)).toEqual(before);
  });

  it('a moved exception of a series does not stand in its way, one that follows it is looked at', async () => {
    const [player, room] = [await someone(), { type: 3, id: await newRoom() }];
    const participants = [user(player), room];
    const id = await created(player, { ...at(1, 8), ...daily, occurrences: 3, participants: [user(player)] });
    // Only this occurrence takes place in the room; it follows the series to another time.
    await update(player, id, { recurrence_position: 2, participants });
    const single = await created(player, { ...at(2, 12), participants });
    expect(idsOf(await update(player, id, at(1, 12)))).toEqual([single]);
    expect((await update(player, id, at(1, 14))).data.id).toBe(id);
  });

  it('CO-09: a conflict the user can read shows title and location', async () => {
    const player = await someone();
    const id = await created(player, { ...at(1, 8), title: 'Dentist', location: 'Main street' });
    const answer = await create(player, { ...at(1, 8), ...strict });
    expect(answer.data.conflicts).toEqual([
      expect.objectContaining({ id, title: 'Dentist', location: 'Main street', ...at(1, 8), shown_as: 1 }),
    ]);
    expect(answer.data.conflicts[0]).not.toHaveProperty('hard_conflict');
  });

  it('CO-11: only the new time of an exception counts', async () => {
    const player = await someone();
    const id = await created(player, { ...at(1, 8), recurrence_type: 1, interval: 2, occurrences: 4 });
    await created(player, at(3, 8));
    const answer = await update(player, id, { recurrence_position: 2, ...at(2, 8), ...strict });
    expect(answer.data.conflicts).toBeUndefined();
    expect(answer.data.id).toBeDefined();
  });

  it('CO-12: an exception moved onto an appointment of another participant', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const other = await created(bob, at(3, 11));
    const id = await created(ann, { ...at(1, 9), ...daily, occurrences: 5, participants: [user(ann), user(bob)] });
    const answer = await update(ann, id, { recurrence_position: 3, ...at(3, 11), ...strict });
    expect(idsOf(answer)).toEqual([other]);
    expect((await read(ann, id)).change_exceptions).toBeUndefined();
  });

  it('no number of occurrences ends the search: the 9000th of a series is in the way', async () => {
    const [player, room] = [await someone(), { type: 3, id: await newRoom() }];
    const id = await created(player, { ...at(1, 8), ...daily, participants: [user(player), room] });
    const far = { ...at(9000, 8, 9), participants: [user(player), room] };
    const answer = await create(player, { ...far, ignore_conflicts: true });
    expect(answer.data.conflicts).toMatchObject([{ id, recurrence_position: 9000, hard_conflict: true }]);
    // A second series that meets the first one after 1430 of its occurrences, not before.
    const rare = {
      ...at(1, 10),
      recurrence_type: 1,
      interval: 7,
      occurrences: 2000,
      participants: [user(player), room],
    };
    await created(player, { ...at(10_004, 10), participants: [user(player), room] });
    expect((await create(player, rare)).data.conflicts).toHaveLength(1);
  });

  it('a move into the calendar of somebody who is busy is a conflict', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const permissions = [
      { entity: ann.userId, bits: 403710016, group: false },
      { entity: bob.userId, bits: 2 + (2 << 7) + (2 << 14) + (2 << 21), group: false },
    ];
    const query = { id: ann.folder, timestamp: 9_000_000_000_000 };
    expect((await ann.put('folders', 'update', query, { permissions })).error).toBeUndefined();
    const busy = await created(ann, at(1, 8));
    const id = await created(bob, at(1, 8));
    const answer = await update(bob, id, { folder_id: ann.folder, ...strict });
    expect(idsOf(answer)).toEqual([busy]);
    expect((await read(bob, id)).folder_id).toBe(bob.folder);
    expect((await update(bob, id, { folder_id: ann.folder })).data.id).toBe(id);
  });
});

describe('calendar: who may book a resource', () => {
  const booking = (player: TestUser, room: number, hour: number) =>
    create(player, { ...at(20, hour), participants: [user(player), { type: 3, id: room }] });

  it('nobody one that is not available, only those named where privileges are set', async () => {
    const closed = await newRoom({ available: false });
    expect((await booking(cast.U1, closed, 8)).code).toBe('CAL-4033');
    const room = await newRoom({
      privileges: [
        { entity: cast.team, group: true, privilege: 'ask_to_book' },
        { entity: cast.U1.userId, privilege: 'book_directly' },
      ],
    });
    expect((await booking(cast.U3, room, 8)).code).toBe('CAL-4033');
    expect((await booking(cast.U1, room, 8)).data.id).toBeDefined();
    // Asked for: kept busy all the same.
    expect((await booking(cast.U2, room, 9)).data.id).toBeDefined();
    expect((await booking(cast.U1, room, 9)).data.conflicts).toMatchObject([{ hard_conflict: true }]);
  });

  it('a booking that was asked for is answered by a delegate of the resource, and by nobody else', async () => {
    const room = await newRoom({
      privileges: [
        { entity: 0, group: true, privilege: 'ask_to_book' },
        { entity: cast.U1.userId, privilege: 'delegate' },
      ],
    });
    const id = (await booking(cast.U3, room, 8)).data.id;
    const answer = (player: TestUser, confirmation: number, more: object = {}) =>
      player.put(
        'calendar',
        'confirm',
        { id, folder: player.folder, timestamp: 9_000_000_000_000, ...more },
        { id: room, type: 3, confirmation, confirmmessage: 'so it is' },
      );
    const inRoom = async (player: TestUser) => {
      const range = { start: at(20, 0).start_date, end: at(21, 0).start_date, timezone: 'UTC' };
      return (await player.get('calendar', 'freebusy', { id: room, type: 3, ...range })).data as any[];
    };
    const confirmed = async () => {
      const { participants } = await read(cast.U3, id);
      return participants.find((each: { type: number }) => each.type === 3).confirm;
    };

    // The delegate is told what it is about, others only when.
    expect(await inRoom(cast.U1)).toMatchObject([{ id, participants: [{}, { id: room, type: 3, confirm: 0 }] }]);
    expect((await inRoom(cast.U2))[0].id).toBeUndefined();
    expect(await confirmed()).toBe(0);
    expect((await answer(cast.U2, 1)).code).toBe('CAL-4033');
    expect((await answer(cast.U3, 1)).code).toBe('CAL-4033');
    expect((await answer(cast.U1, 1, { timestamp: 1 })).code).toBe('CAL-4120');
    expect((await answer(cast.U1, 1, { id: '99999' })).code).toBe('OX-0001');
    expect((await answer(cast.U1, 1)).error).toBeUndefined();
    expect(await confirmed()).toBeUndefined();

    // At another time it has to be asked for again; what was declined is free for others.
    await update(cast.U3, id, at(20, 10));
    expect(await confirmed()).toBe(0);
    await update(cast.U3, id, { title: 'renamed' });
    expect((await answer(cast.U1, 2)).error).toBeUndefined();
    expect(await confirmed()).toBe(2);
    expect(await inRoom(cast.U1)).toEqual([]);
    const own = (await booking(cast.U1, room, 10)).data.id;
    expect(own).toBeDefined();
    expect((await answer(cast.U1, 1)).data.conflicts).toMatchObject([{ id: own, hard_conflict: true }]);
    expect(await confirmed()).toBe(2);
    await update(cast.U3, id, at(20, 12));
    expect((await inRoom(cast.U1)).map((each) => each.id)).toEqual([own, id]);
  });

  it('who must not book it may still change an appointment that has it', async () => {
    const room = await newRoom();
    const id = (await booking(cast.U3, room, 12)).data.id;
    await cast.admin.expect('PATCH', `/admin/v1/contexts/${cast.contextId}/resources/${room}`, { available: false });
    const participants = [user(cast.U3), { type: 3, id: room }];
    expect((await update(cast.U3, id, { title: 'still here', participants })).data.id).toBe(id);
  });
});
