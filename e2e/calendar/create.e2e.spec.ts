import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { SENT_TWICE, startTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, ALL_TIME, create, created, DAY, HOUR, read, starts, update } from './calendar';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (timezone = 'UTC'): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `n${(count += 1)}`, timezone);

beforeAll(async () => {
  world = await startTestEnvironment({ variables: SENT_TWICE });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const times = { start_date: 1588582800000, end_date: 1588586400000 };
const user = (player: TestUser) => ({ type: 1, id: player.userId });
const ids = (object: any) => object.users.map((entry: any) => Number(entry.id)).sort();

describe('calendar: create and read', () => {
  it('CC-01: the creator takes part and has accepted', async () => {
    const answer = await create(cast.U1, times);
    expect(answer).toMatchObject({ data: { id: expect.anything() }, timestamp: expect.any(Number) });
    expect((await read(cast.U1, answer.data.id)).users).toEqual([
      expect.objectContaining({ id: cast.U1.userId, confirm: 1 }),
    ]);
  });

  it('CC-02: times of a body are in the zone of the user', async () => {
    await created(cast.UB, times);
    expect(await starts(cast.UB)).toEqual([1588575600000]);
  });

  it('CC-03: a whole-day appointment is the same day in every zone', async () => {
    const player = await someone('Europe/Berlin');
    const id = await created(player, { full_time: true, start_date: 1588550400000, end_date: 1588636800000 });
    expect(await read(player, id)).toMatchObject({ start_date: 1588550400000, end_date: 1588636800000 });
  });

  it('CC-04: a timed appointment becomes a whole-day one', async () => {
    const player = await someone();
    const start = Date.UTC(2008, 0, 4, 12);
    const id = await created(player, { start_date: start, end_date: start + 2 * HOUR });
    await update(player, id, { full_time: true });
    expect(await read(player, id)).toMatchObject({ start_date: 1199404800000, end_date: 1199491200000 });
  });

  it('CC-05: the end is not before the start', async () => {
    const player = await someone();
    expect((await create(player, { start_date: 5 * HOUR, end_date: 4 * HOUR })).code).toMatch(/^(APP-0020|CAL-4221)$/);
    expect(await all(player, '1', { start: 0, end: ALL_TIME.end })).toEqual([]);
    const id = await created(player, times);
    expect((await update(player, id, { end_date: times.start_date - HOUR })).code).toMatch(/^(APP-0020|CAL-4221)$/);
    expect(await read(player, id)).toMatchObject(times);
  });

  it('CC-06: start and end are needed', async () => {
    expect((await create(cast.U1, { end_date: HOUR })).code).toBe('APP-0026');
    expect((await create(cast.U1, { start_date: HOUR })).code).toBe('APP-0027');
  });

  it('CC-07: an unknown shown_as is refused or becomes reserved', async () => {
    const answer = await create(cast.U1, { ...times, shown_as: 9 });
    if (answer.error) expect(answer.code).toBe('APP-0025');
    else expect((await read(cast.U1, answer.data.id)).shown_as).toBe(1);
  });

  it('CC-08: a private appointment has no further participants', async () => {
    const participants = [user(cast.U1), user(cast.U2)];
    expect((await create(cast.U1, { ...times, private_flag: true, participants })).code).toBe('APP-0023');
  });

  it('CC-09, CC-10: external participants have one mail address each, once', async () => {
    expect((await create(cast.U1, { ...times, participants: [user(cast.U1), { type: 5 }] })).code).toBe('APP-0008');
    const twice = [user(cast.U1), { type: 5, mail: 'a@example.com' }, { type: 5, mail: 'A@example.com' }];
    expect((await create(cast.U1, { ...times, participants: twice })).code).toBe('APP-0106');
  });

  it('CC-11: a uid exists once', async () => {
    const player = await someone();
    await created(player, { ...times, uid: 'unique-1' });
    expect((await create(player, { ...times, uid: 'unique-1' })).code).toMatch(/^(CAL-4090|APP-0100)$/);
  });

  it('CC-12: invited users have not answered', async () => {
    const id = await created(cast.U1, { ...times, participants: [user(cast.U1), user(cast.U2)] });
    const stored = await read(cast.U1, id);
    expect(stored.users).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: cast.U1.userId, confirm: 1 }),
        expect.objectContaining({ id: cast.U2.userId, confirm: 0 }),
      ]),
    );
    // Clients show who takes part without asking for each user.
    for (const each of stored.users) expect(each.display_name).toEqual(expect.stringMatching(/./));
    expect((await read(cast.U2, id)).folder_id).toBe(cast.U2.folder);
  });

  it('CC-12: users who accept by default have accepted at once', async () => {
    const eager = await someone();
    const config = `/admin/v1/contexts/${cast.contextId}/users/${eager.userId}/config`;
    await cast.admin.expect('PUT', `${config}/com.example.calendar.defaultStatusPrivate`, { value: 1 });
    const id = await created(cast.U1, { ...times, participants: [user(cast.U1), user(eager)] });
    expect((await read(cast.U1, id)).users).toContainEqual(expect.objectContaining({ id: eager.userId, confirm: 1 }));
  });

  it('CC-13: the own answer of a body counts', async () => {
    const users = [{ id: cast.U1.userId, confirm: 0 }];
    const id = await created(cast.U1, { ...times, participants: [user(cast.U1)], users });
    expect((await read(cast.U1, id)).users).toEqual([expect.objectContaining({ id: cast.U1.userId, confirm: 0 })]);
  });

  it('CC-14: an organizer other than the creator is kept, and known when he is a user', async () => {
    const internal = { organizer: cast.U2.email, principal: cast.U3.email };
    expect(await read(cast.U1, await created(cast.U1, { ...times, ...internal }))).toMatchObject({
      ...internal,
      organizerId: cast.U2.userId,
      principalId: cast.U3.userId,
      created_by: String(cast.U1.userId),
    });
    const external = { organizer: 'somebody@example.org' };
    const stored = await read(cast.U1, await created(cast.U1, { ...times, ...external }));
    expect(stored).toMatchObject(external);
    expect(stored.organizerId).toBeFalsy();
  });

  it('CC-15: a group shows as group, its members once each', async () => {
    const participants = [user(cast.U1), { type: 2, id: cast.team }];
    const stored = await read(cast.U1, await created(cast.U1, { ...times, participants }));
    expect(stored.participants).toEqual(expect.arrayContaining([expect.objectContaining({ type: 2, id: cast.team })]));
    expect(ids(stored)).toEqual([cast.U1.userId, cast.U2.userId].sort());
  });

  it('CC-16: list answers rows in the order asked for, without those that are gone', async () => {
    const player = await someone();
    const [a, b] = [await created(player, { ...times, title: 'A' }), await created(player, { ...times, title: 'B' })];
    const answer = await player.put('calendar', 'list', { columns: '1,20,200' }, [
      { id: b, folder: player.folder },
      { id: '999999', folder: player.folder },
      { id: a, folder: player.folder },
    ]);
    expect(answer.data).toEqual([
      [b, player.folder, 'B'],
      [a, player.folder, 'A'],
    ]);
  });
});

describe('calendar: conflicts', () => {
  const day = Date.UTC(2035, 4, 7);
  const at = (from: number, to: number) => ({ start_date: day + from * HOUR, end_date: day + to * HOUR });
  const strict = { ignore_conflicts: false };

  it.each([
    [8, 10],
    [8, 9],
    [8, 11],
    [7, 10],
    [9, 10],
    [9, 9.5],
    [7, 11],
  ])('CO-01: %d to %d conflicts with 8 to 10', async (from, to) => {
    const player = await someone();
    const id = await created(player, { ...at(8, 10), shown_as: 3 });
    const answer = await create(player, { ...at(from, to), ...strict });
    expect(answer.error).toBeUndefined();
    expect(answer.data.conflicts.map((conflict: any) => String(conflict.id))).toEqual([id]);
    expect(answer.data).not.toHaveProperty('id');
    expect(await all(player, '1', ALL_TIME)).toHaveLength(1);
  });

  it('CO-02: touching appointments do not conflict', async () => {
    const player = await someone();
    await created(player, at(8, 10));
    await created(player, { ...at(7, 8), ...strict });
    await created(player, { ...at(10, 11), ...strict });
  });

  it('CO-03: whole-day appointments conflict', async () => {
    const player = await someone();
    const whole = { full_time: true, start_date: day, end_date: day + DAY };
    await created(player, { ...whole, shown_as: 3 });
    expect((await create(player, { ...at(8, 10), ...strict })).data.conflicts).toHaveLength(1);
    expect((await create(player, { ...whole, ...strict })).data.conflicts).toHaveLength(1);
  });

  it('CO-04, CO-05: free appointments conflict only once they are not free any more', async () => {
    const player = await someone();
    await created(player, { ...at(8, 10), shown_as: 3 });
    const free = await created(player, { ...at(8, 10), shown_as: 4, ...strict });
    const answer = await update(player, free, { shown_as: 3, ...strict });
    expect(answer.data.conflicts).toHaveLength(1);
    expect((await read(player, free)).shown_as).toBe(4);
  });

  it('CO-06, CO-07: a booked room can not be booked again, whatever is ignored', async () => {
    const room = { type: 3, id: cast.room };
    await created(cast.U2, { ...at(8, 10), participants: [user(cast.U2), room] });
    const answer = await create(cast.U1, { ...at(9, 10), participants: [user(cast.U1), room], ignore_conflicts: true });
    expect(answer.data.conflicts[0]).toMatchObject({ hard_conflict: true });
    expect(answer.data).not.toHaveProperty('id');
    await created(cast.U1, { ...at(10, 11), participants: [user(cast.U1), room] });
  });

  it('CO-10: an appointment the user can not read shows nothing but its time', async () => {
    const [mine, other] = [await someone(), await someone()];
    await created(other, { ...at(8, 10), title: 'secret', location: 'hidden' });
    const answer = await create(mine, { ...at(9, 10), ...strict, participants: [user(mine), user(other)] });
    expect(Object.keys(answer.data.conflicts[0]).sort()).toEqual([
      'end_date',
      'id',
      'participants',
      'shown_as',
      'start_date',
    ]);
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it('CO-13: an appointment does not conflict with itself or its series', async () => {
    const player = await someone();
    const id = await created(player, { ...at(8, 10), recurrence_type: 1, interval: 1, occurrences: 3 });
    expect((await update(player, id, { title: 'new', ...strict })).data.id).toBeDefined();
    const moved = await update(player, id, { recurrence_position: 2, ...at(8, 9), ...strict });
    expect(moved.data.conflicts).toBeUndefined();
  });

  it('CO-14: the past does not conflict', async () => {
    const player = await someone();
    await created(player, times);
    await created(player, { ...times, ...strict });
  });
});
