import { until } from '@groupware/test-kit';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, ALL_TIME, create, created, type Fields, HOUR, read, update } from './calendar';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `pa${(count += 1)}`);
const path = (rest: string): string => `/admin/v1/contexts/${cast.contextId}/${rest}`;
const newGroup = async (...members: TestUser[]): Promise<number> => {
  const name = `group${(count += 1)}`;
  const body = { name, displayName: name, members: members.map(({ userId }) => userId) };
  return (await cast.admin.expect('POST', path('groups'), body)).id;
};

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const times = { start_date: Date.UTC(2035, 4, 7, 9), end_date: Date.UTC(2035, 4, 7, 10) };
const past = { start_date: Date.UTC(2020, 4, 7, 9), end_date: Date.UTC(2020, 4, 7, 10) };
const user = (player: TestUser) => ({ type: 1, id: player.userId });
const userIds = (object: any): number[] => object.users.map(({ id }: any) => id).sort((a: number, b: number) => a - b);
const idsOf = (...players: TestUser[]): number[] => players.map(({ userId }) => userId).sort((a, b) => a - b);
const seenBy = async (player: TestUser): Promise<string[]> =>
  (await all(player, '1', ALL_TIME)).map(([id]) => String(id));

describe('calendar: participants', () => {
  it('follows the members of a group, in appointments to come and all occurrences', async () => {
    const [ann, bob, eve, joe] = [await someone(), await someone(), await someone(), await someone()];
    const group = await newGroup(bob, eve);
    const participants = [user(ann), user(eve), { type: 2, id: group }];
    const id = await created(ann, { ...times, recurrence_type: 1, interval: 1, occurrences: 3, participants });
    const exception = String((await update(ann, id, { recurrence_position: 2, title: 'second' })).data.id);
    const old = await created(ann, { ...past, participants });
    expect(userIds(await read(ann, id))).toEqual(idsOf(ann, bob, eve));
    const before = await read(ann, id);

    await cast.admin.expect('PATCH', path(`groups/${group}`), { members: [joe.userId] });
    // Bob came with the group, Eve was named besides.
    await until(async () => userIds(await read(ann, id)).includes(joe.userId));
    for (const each of [id, exception]) {
      const stored = await read(ann, each);
      expect(userIds(stored)).toEqual(idsOf(ann, eve, joe));
      expect(stored.users.find((entry: any) => entry.id === joe.userId).confirm).toBe(0);
    }
    expect((await read(ann, id)).last_modified_utc).toBeGreaterThan(before.last_modified_utc);
    expect((await read(joe, id)).folder_id).toBe(joe.folder);
    expect(await seenBy(bob)).toEqual([old]);
    expect(userIds(await read(ann, old))).toEqual(idsOf(ann, bob, eve));

    // Without the group its members stay, by name.
    await cast.admin.expect('DELETE', path(`groups/${group}`));
    await until(async () => (await read(ann, id)).participants.every(({ type }: any) => type === 1));
    const { participants: last, users } = await read(ann, id);
    expect(last.map((each: any) => each.id).sort()).toEqual(idsOf(ann, eve, joe).sort());
    expect(users).toHaveLength(3);
  });

  it('tells a guest everything in a shared calendar when he joins the group that may read it', async () => {
    const [ann, bob, eve] = [await someone(), await someone(), await someone()];
    const group = await newGroup(eve);
    const VIEWER = 257;
    const permissions = [
      { entity: ann.userId, bits: 403710016, group: false },
      { entity: eve.userId, bits: VIEWER, group: false },
      { entity: group, bits: VIEWER, group: true },
    ];
    // Bob sees the folder anyway, but no appointment in it.
    permissions.push({ entity: bob.userId, bits: 1, group: false });
    const query = { id: ann.folder, timestamp: 9_000_000_000_000 };
    expect((await ann.put('folders', 'update', query, { permissions })).error).toBeUndefined();
    const id = await created(ann, times);
    const changes = (player: TestUser, timestamp: number) =>
      player.get('calendar', 'updates', { folder: ann.folder, columns: '1', timestamp }) as Promise<any>;
    const first = await changes(eve, 0);
    expect(first.data).toEqual([[id]]);
    const { timestamp } = first;
    await cast.admin.expect('PATCH', path(`groups/${group}`), { members: [eve.userId, bob.userId] });
    await until(async () => (await changes(eve, timestamp)).timestamp > timestamp);
    expect((await changes(eve, timestamp)).data).toEqual([[id]]);
    const owner = await changes(ann, timestamp);
    expect(owner.data).toEqual([]);
  });

  it('CC-12: everybody answers at once as he has set it, for private and public calendars apart', async () => {
    const [ann, bob, eve] = [await someone(), await someone(), await someone()];
    const set = (kind: string, value: string) =>
      cast.admin.expect('PUT', path(`users/${bob.userId}/config/com.example.calendar.defaultStatus${kind}`), { value });
    await set('Private', '1');
    await set('Public', '3');
    const answers = (object: any) => Object.fromEntries(object.users.map(({ id, confirm }: any) => [id, confirm]));
    const participants = [user(ann), user(bob), user(eve)];
    const id = await created(ann, { ...times, participants });
    expect(answers(await read(ann, id))).toEqual({ [ann.userId]: 1, [bob.userId]: 1, [eve.userId]: 0 });
    const later = await created(ann, times);
    await update(ann, later, { participants });
    expect(answers(await read(ann, later))).toEqual({ [ann.userId]: 1, [bob.userId]: 1, [eve.userId]: 0 });
  });

  it('takes a deleted user out of the appointments of others', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const id = await created(ann, { ...times, participants: [user(ann), user(bob)] });
    await cast.admin.expect('DELETE', path(`users/${bob.userId}`));
    await until(async () => userIds(await read(ann, id)).length === 1);
    expect((await read(ann, id)).participants).toEqual([expect.objectContaining({ id: ann.userId })]);
    expect((await update(ann, id, { title: 'alone', participants: [user(ann), user(bob)] })).code).toBe('APP-0103');
  });

  it('takes a deleted resource out of appointments to come', async () => {
    const ann = await someone();
    const name = `room${(count += 1)}`;
    const body = { name, displayName: name, email: `${name}@c${cast.contextId}.example`, type: 'ROOM' };
    const room = { type: 3, id: (await cast.admin.expect('POST', path('resources'), body)).id };
    const id = await created(ann, { ...times, participants: [user(ann), room] });
    const old = await created(ann, { ...past, participants: [user(ann), room] });
    await cast.admin.expect('DELETE', path(`resources/${room.id}`));
    await until(async () => (await read(ann, id)).participants.length === 1);
    expect((await read(ann, old)).participants).toHaveLength(2);
    // A participant who is gone may stay where he was, but not come in.
    expect((await update(ann, old, { participants: [user(ann), room], title: 'x' })).data.id).toBe(old);
    expect((await create(ann, { ...times, participants: [user(ann), room] })).code).toBe('APP-0103');
  });

  it('lets a participant change his answer and alarm and take himself out, nothing else', async () => {
    const [ann, bob, eve] = [await someone(), await someone(), await someone()];
    const participants = [user(ann), user(bob)];
    const id = await created(ann, { ...times, participants });
    const refused: Fields[] = [
      { title: 'mine' },
      { location: 'here' },
      { start_date: times.start_date - HOUR },
      { shown_as: 4 },
      { private_flag: true },
      { recurrence_type: 1, interval: 1, occurrences: 2 },
      { participants: [...participants, user(eve)] },
      { participants: [user(bob)] },
    ];
    for (const body of refused) expect([body, (await update(bob, id, body)).code]).toEqual([body, 'CAL-4038']);
    expect(await read(ann, id)).toMatchObject({ title: 'T', ...times, shown_as: 1 });
    expect((await update(bob, id, { alarm: 10, users: [{ id: bob.userId, confirm: 1 }] })).error).toBeUndefined();
    expect((await update(bob, id, { participants: [user(ann)] })).error).toBeUndefined();
    expect(userIds(await read(ann, id))).toEqual(idsOf(ann));
    expect(await seenBy(bob)).toEqual([]);
  });

  it('private appointments keep to the calendars of the user himself, without further participants', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const id = await created(ann, { ...times, private_flag: true });
    expect((await update(ann, id, { participants: [user(ann), user(bob)] })).code).toBe('APP-0023');
    const open = await created(ann, { ...times, participants: [user(ann), user(bob)] });
    expect((await update(ann, open, { private_flag: true })).code).toBe('APP-0023');
    const permissions = [
      { entity: ann.userId, bits: 403710016, group: false },
      { entity: bob.userId, bits: 2 + (2 << 7) + (2 << 14) + (2 << 21), group: false },
    ];
    const folder = { id: ann.folder, timestamp: 9_000_000_000_000 };
    await ann.put('folders', 'update', folder, { permissions });
    expect((await create(bob, { ...times, folder_id: ann.folder, private_flag: true })).code).toBe('APP-0070');
    const own = await created(bob, { ...times, private_flag: true });
    expect((await update(bob, own, { folder_id: ann.folder })).code).toBe('CAL-4226');
  });

  it('private_flag sent back as it was answered keeps the class of an event', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const folder = `cal://0/${ann.folder}`;
    const hour = { startDate: { value: '20350507T090000Z' }, endDate: { value: '20350507T100000Z' } };
    const createPrivate = async (fields: object = {}): Promise<string> => {
      const answer = await ann.put(
        'chronos',
        'new',
        { folder },
        { summary: 'P', class: 'PRIVATE', ...hour, ...fields },
      );
      return answer.data.created[0].id;
    };
    const classOf = async (id: string) => (await ann.get('chronos', 'get', { folder, id })).data.class;
    const id = await createPrivate();
    expect((await update(ann, id, { title: 'x', private_flag: true })).error).toBeUndefined();
    expect([(await read(ann, id)).title, await classOf(id)]).toEqual(['x', 'PRIVATE']);
    const shared = await createPrivate({ attendees: [{ entity: ann.userId }, { entity: bob.userId }] });
    expect((await update(ann, shared, { title: 'y', private_flag: true })).code).toBeUndefined();
    expect((await update(bob, shared, { alarm: 10, private_flag: true })).code).toBeUndefined();
    expect([(await read(bob, shared)).alarm, await classOf(shared)]).toEqual([10, 'PRIVATE']);
    const series = await createPrivate({ rrule: 'FREQ=DAILY;COUNT=3' });
    const exception = String((await update(ann, series, { recurrence_position: 2, title: 'second' })).data.id);
    expect((await update(ann, exception, { title: 'z', private_flag: true })).code).toBeUndefined();
    expect([(await read(ann, exception)).title, await classOf(exception)]).toEqual(['z', 'PRIVATE']);
    expect((await update(ann, id, { private_flag: false })).error).toBeUndefined();
    expect(await classOf(id)).toBe('PUBLIC');
    expect((await update(ann, id, { private_flag: true })).error).toBeUndefined();
    expect(await classOf(id)).toBe('CONFIDENTIAL');
  });

  it('a series and its occurrences stay in their folder', async () => {
    const ann = await someone();
    const second = await ann.put('folders', 'new', { folder_id: '1' }, { title: 'Second', module: 'calendar' });
    const id = await created(ann, { ...times, recurrence_type: 1, interval: 1, occurrences: 3 });
    const exception = String((await update(ann, id, { recurrence_position: 2, title: 'second' })).data.id);
    expect((await update(ann, id, { folder_id: second.data })).code).toBe('APP-0093');
    expect((await update(ann, exception, { folder_id: second.data })).code).toBe('APP-0066');
    expect((await update(ann, id, { recurrence_position: 3, folder_id: second.data })).code).toBe('APP-0066');
    expect((await update(ann, exception, { private_flag: true })).code).toBe('CAL-4227');
    expect((await read(ann, id)).change_exceptions).toHaveLength(1);
  });
});
