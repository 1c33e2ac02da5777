import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { ALL_TIME, create, created, DAY, FAR_FUTURE, type Fields, HOUR, read, remove, update } from './calendar';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `ru${(count += 1)}`);
const user = (player: TestUser) => ({ type: 1, id: player.userId });
const times = { start_date: Date.UTC(2035, 4, 7, 9), end_date: Date.UTC(2035, 4, 7, 10) };
const DAY_OF = (index: number): number => Date.UTC(2035, 4, 7 + index);
const daily = { ...times, recurrence_type: 1, interval: 1, occurrences: 5 };
const OWNER = 403710016;
/** Creates objects; reads, changes and deletes all of them. */
const AUTHOR = 2 + (2 << 7) + (2 << 14) + (2 << 21);
/** Sees the folder and reads all of it. */
const VIEWER = 1 + (2 << 7);

const permissions = (owner: TestUser, guests: readonly [TestUser, number][]) => [
  { entity: owner.userId, bits: OWNER, group: false },
  ...guests.map(([{ userId }, bits]) => ({ entity: userId, bits, group: false })),
];
async function share(owner: TestUser, ...guests: [TestUser, number][]): Promise<void> {
  const query = { id: owner.folder, timestamp: FAR_FUTURE };
  const answer = await owner.put('folders', 'update', query, { permissions: permissions(owner, guests) });
  expect(answer.error).toBeUndefined();
}
async function publicFolder(owner: TestUser, ...guests: [TestUser, number][]): Promise<string> {
  const body = { title: `P${(count += 1)}`, module: 'calendar', permissions: permissions(owner, guests) };
  const answer = await owner.put('folders', 'new', { folder_id: '2' }, body);
  expect(answer.error).toBeUndefined();
  return String(answer.data);
}
const userIds = (object: any): number[] => object.users.map(({ id }: any) => id).sort((a: number, b: number) => a - b);
const idsOf = (...players: TestUser[]): number[] => players.map(({ userId }) => userId).sort((a, b) => a - b);
const deleted = (player: TestUser, item: Fields) => player.put('calendar', 'delete', { timestamp: FAR_FUTURE }, [item]);

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

describe('calendar: values of a body', () => {
  it('an empty text deletes a value of any kind', async () => {
    const ann = await someone();
    const fields = { ...times, alarm: 15, color_label: 3, title: 'T', location: 'L', note: 'N', categories: 'a,b' };
    const id = await created(ann, fields);
    const empty = Object.fromEntries(Object.keys(fields).map((name) => [name, '']));
    expect((await update(ann, id, empty)).error).toBeUndefined();
    const stored = await read(ann, id);
    expect(stored).toMatchObject({ ...times, color_label: 0 });
    for (const name of ['alarm', 'title', 'location', 'note', 'categories']) expect(stored).not.toHaveProperty(name);
  });

  it('numbers and flags may come as texts, as some clients send them', async () => {
    const ann = await someone();
    const fields = { start_date: String(times.start_date), end_date: String(times.end_date), alarm: '15' };
    const rule = { recurrence_type: '1', interval: '1', occurrences: '3' };
    const participants = [{ type: '1', id: String(ann.userId) }];
    const id = await created(ann, { ...fields, ...rule, full_time: 'false', shown_as: '4', participants });
    expect(await read(ann, id)).toMatchObject({ ...times, alarm: 15, shown_as: 4, full_time: false, occurrences: 3 });
    expect((await create(ann, { ...times, alarm: 'soon' })).code).toBe('SVL-0031');
    expect((await remove(ann, [{ id, pos: '2' }])).data).toEqual([]);
    expect((await read(ann, id)).delete_exceptions).toEqual([DAY_OF(1)]);
  });

  it.each([
    ['title', 200, 255],
    ['location', 400, 255],
    ['note', 203, 65_536],
    ['categories', 100, 1024],
    ['uid', 223, 1024],
  ])('CAL-5070 names the column of a %s that is too long (%d, more than %d)', async (name, column, limit) => {
    const answer = await create(cast.U1, { ...times, [name]: 'x'.repeat(limit + 1) });
    expect(answer).toMatchObject({
      code: 'CAL-5070',
      category: 12,
      categories: 'TRUNCATED',
      truncated: [column],
      problematic: [{ id: column, length: limit + 1, max_size: limit }],
      error_params: [name, String(limit), String(limit + 1)],
    });
    const id = await created(cast.U1, { ...times, [name]: 'x'.repeat(limit) });
    expect((await read(cast.U1, id))[name]).toHaveLength(limit);
  });

  it('CAL-5070 names all of several long values, of an update as well', async () => {
    const id = await created(cast.U1, times);
    const answer = await update(cast.U1, id, { title: 'x'.repeat(300), location: 'x'.repeat(400) });
    expect(answer).toMatchObject({ code: 'CAL-5070', truncated: [200, 400] });
  });

  it('participants are of the kinds that there are', async () => {
    const participants = (type: number, id: number) => create(cast.U1, { ...times, participants: [{ type, id }] });
    expect((await participants(0, cast.room)).code).toBe('SVL-0031');
    expect((await participants(7, cast.room)).code).toBe('SVL-0031');
    // There are no groups of resources.
    expect((await participants(4, cast.room)).code).toBe('APP-0103');
  });
});

describe('calendar: occurrences that a request names', () => {
  it('APP-0074 for an update of a position or day that the series does not have, APP-0098 for a deleted one', async () => {
    const ann = await someone();
    const id = await created(ann, daily);
    await remove(ann, [{ id, pos: 3 }]);
    expect((await update(ann, id, { recurrence_position: 6, title: 'x' })).code).toBe('APP-0074');
    expect((await update(ann, id, { recurrence_date_position: DAY_OF(5), title: 'x' })).code).toBe('APP-0074');
    expect((await update(ann, id, { recurrence_position: 3, title: 'x' })).code).toBe('APP-0098');
    expect((await update(ann, id, { recurrence_date_position: DAY_OF(2), title: 'x' })).code).toBe('APP-0098');
    expect((await remove(ann, [{ id, pos: 3 }])).code).toBe('APP-0098');
    const get = (query: Record<string, number>) => ann.get('calendar', 'get', { id, folder: ann.folder, ...query });
    expect((await get({ recurrence_position: 6 })).code).toBe('APP-0098');
    expect((await get({ recurrence_date_position: DAY_OF(2) })).code).toBe('APP-0098');
    // Clients that have no position send 0.
    expect((await get({ recurrence_position: 0 })).data).toMatchObject({ id, recurrence_type: 1 });
    expect((await read(ann, id)).change_exceptions).toBeUndefined();
  });

  it('APP-0107 when the appointment is no series: nothing is changed or deleted', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const id = await created(ann, { ...times, participants: [user(ann), user(bob)] });
    const one = { id, folder: ann.folder };
    expect((await ann.get('calendar', 'get', { ...one, recurrence_position: 2 })).code).toBe('APP-0107');
    expect((await update(ann, id, { recurrence_position: 2, title: 'x' })).code).toBe('APP-0107');
    expect((await remove(ann, [{ id, pos: 2 }])).code).toBe('APP-0107');
    expect((await deleted(bob, { id, folder: bob.folder, pos: 2 })).code).toBe('APP-0107');
    expect((await ann.get('calendar', 'getChangeExceptions', { ...one, columns: '1' })).data).toEqual([]);
    const query = { id, folder: bob.folder, timestamp: FAR_FUTURE, occurrence: 2 };
    expect((await bob.put('calendar', 'confirm', query, { confirmation: 1 })).code).toBe('APP-0107');
    const list = [{ id, folder: ann.folder, recurrence_position: 2 }];
    expect((await ann.put('calendar', 'list', { columns: '1' }, list)).data).toEqual([]);
    expect(await read(ann, id)).toMatchObject({ title: 'T', users: [{ confirm: 1 }, { confirm: 0 }] });
  });

  it('an exception keeps its place and has no rule of its own', async () => {
    const ann = await someone();
    const id = await created(ann, daily);
    const code = async (target: string, body: Fields) => (await update(ann, target, body)).code;
    expect(await code(id, { recurrence_position: 2, recurrence_type: 2, interval: 1, days: 2 })).toBe('APP-0082');
    expect(await code(id, { recurrence_position: 2, recurrence_type: 1, interval: 1 })).toBe('APP-0099');
    expect(await code(id, { recurrence_position: 2, interval: 3 })).toBe('APP-0099');
    expect((await read(ann, id)).change_exceptions).toBeUndefined();

    // The change of clients that take the rule out of an occurrence.
    const exception = (await update(ann, id, { recurrence_position: 2, recurrence_type: 0, title: 'second' })).data.id;
    for (const field of ['interval', 'days', 'day_in_month', 'month', 'until', 'occurrences'])
      expect([field, await code(exception, { [field]: 1 })]).toEqual([field, 'APP-0099']);
    expect(await code(exception, { recurrence_type: 2, interval: 1 })).toBe('APP-0099');
    expect(await code(exception, { recurrence_position: 3 })).toBe('APP-0083');
    expect(await code(exception, { recurrence_date_position: DAY_OF(2) })).toBe('APP-0083');
    // The whole object of an exception may come back.
    const whole = await read(ann, exception);
    expect((await update(ann, exception, { ...whole, title: 'third' })).error).toBeUndefined();
    expect(await read(ann, exception)).toMatchObject({ title: 'third', recurrence_position: 2 });
  });
});

describe('calendar: who takes part', () => {
  it('APP-0076 when somebody else takes the owner out of an appointment in his calendar', async () => {
    const [ann, bob, eve] = [await someone(), await someone(), await someone()];
    await share(ann, [bob, AUTHOR]);
    const id = await created(ann, { ...times, participants: [user(eve)] });
    const byBob = (participants: Fields[]) => update(bob, id, { participants }, { folder: ann.folder });
    expect((await byBob([user(eve)])).code).toBe('APP-0076');
    expect((await byBob([user(ann)])).error).toBeUndefined();
    expect(userIds(await read(ann, id))).toEqual(idsOf(ann));
    // His own client need not name him.
    expect((await update(ann, id, { participants: [user(eve)] })).error).toBeUndefined();
    expect(userIds(await read(ann, id))).toEqual(idsOf(ann, eve));
  });

  it('CAL-1990 with the alarm of a user who takes no part in a public appointment', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const folder = await publicFolder(ann, [bob, AUTHOR]);
    const id = await created(ann, { ...times, folder_id: folder });
    const warned = {
      data: { id },
      code: 'CAL-1990',
      category: 13,
      error_params: [id, 'alarm', 'MAJOR', expect.anything()],
    };
    expect(await update(bob, id, { alarm: 20 }, { folder })).toMatchObject(warned);
    expect(await update(bob, id, { alarm: 20, title: 'x' }, { folder })).toMatchObject(warned);
    expect(await read(bob, id, { folder })).not.toHaveProperty('alarm');
    expect((await update(bob, id, { alarm: -1 }, { folder })).error).toBeUndefined();
    expect((await update(ann, id, { alarm: 20 }, { folder })).error).toBeUndefined();
    expect(await read(ann, id, { folder })).toMatchObject({ title: 'x', alarm: 20 });
  });

  it('asks anew who took himself out, once he is invited again', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const id = await created(ann, { ...times, participants: [user(ann), user(bob)] });
    await deleted(bob, { id, folder: bob.folder });
    expect((await update(ann, id, { participants: [user(ann), user(bob)] })).error).toBeUndefined();
    const { users } = await read(ann, id);
    expect(users.find((each: any) => each.id === bob.userId)).toMatchObject({ confirm: 0 });
    expect(await read(bob, id)).toMatchObject({ title: 'T' });
  });

  it('keeps who took himself out of an appointment, or an occurrence, when its participants come back as they were read', async () => {
    const [ann, bob, eve] = [await someone(), await someone(), await someone()];
    const participants = [user(ann), user(bob), user(eve)];
    const asEvent = async (id: string): Promise<any> => {
      const query = { id, folder: `cal://0/${ann.folder}` };
      return (await ann.get('chronos', 'get', query)).data;
    };
    const answerOf = ({ attendees }: any): string | undefined =>
      attendees.find(({ entity }: any) => entity === bob.userId)?.partStat;
    const single = await created(ann, { ...times, participants });
    await deleted(bob, { id: single, folder: bob.folder });
    const series = await created(ann, { ...daily, participants });
    await deleted(bob, { id: series, folder: bob.folder, pos: 2 });
    const exception = await read(ann, series, { recurrence_position: 2 });
    for (const id of [single, String(exception.id), series]) {
      const whole = await read(ann, id);
      const { sequence } = await asEvent(id);
      expect((await update(ann, id, { note: 'N', participants: whole.participants })).error).toBeUndefined();
      expect(await asEvent(id)).toMatchObject({ description: 'N', sequence });
    }
    expect(answerOf(await asEvent(single))).toBe('DECLINED');
    expect(answerOf(await asEvent(String(exception.id)))).toBe('DECLINED');
    expect(userIds(await read(ann, single))).toEqual(idsOf(ann, eve));
    // CD-03: an earlier time brings him back.
    const query = { id: single, folder: `cal://0/${ann.folder}`, timestamp: FAR_FUTURE };
    const event = { startDate: { value: '20350507T080000Z' }, endDate: { value: '20350507T090000Z' } };
    expect((await ann.put('chronos', 'update', query, { event })).error).toBeUndefined();
    expect(answerOf(await asEvent(single))).toBe('NEEDS-ACTION');
    expect(await read(bob, single)).toMatchObject({ title: 'T' });
  });

  it('APP-0051 when the last participant of a public appointment would go', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const folder = await publicFolder(ann, [bob, AUTHOR]);
    const id = await created(ann, { ...times, folder_id: folder, participants: [user(bob)] });
    expect((await update(bob, id, { participants: [] }, { folder })).code).toBe('APP-0051');
    expect((await update(bob, id, { participants: [user(ann)] }, { folder })).error).toBeUndefined();
    expect(userIds(await read(ann, id, { folder }))).toEqual(idsOf(ann));
    // In a private calendar its owner is left.
    const own = await created(ann, { ...times, participants: [user(bob)] });
    expect((await update(ann, own, { participants: [] })).error).toBeUndefined();
    expect(userIds(await read(ann, own))).toEqual(idsOf(ann));
  });

  it('CAL-4032 when a guest without the right to delete would take the owner of a calendar out', async () => {
    const [ann, bob, eve, joe] = [await someone(), await someone(), await someone(), await someone()];
    await share(bob, [eve, VIEWER], [joe, AUTHOR]);
    const participants = [user(ann), user(bob)];
    const id = await created(ann, { ...times, participants });
    const series = await created(ann, { ...daily, participants });
    for (const item of [{ id }, { id: series }, { id: series, pos: 2 }])
      expect((await deleted(eve, { ...item, folder: bob.folder })).code).toBe('CAL-4032');
    expect(userIds(await read(ann, id))).toEqual(idsOf(ann, bob));
    expect((await deleted(joe, { id, folder: bob.folder })).data).toEqual([]);
    expect(userIds(await read(ann, id))).toEqual(idsOf(ann));
  });
});

describe('calendar: what rights and roles allow', () => {
  it('FLD-0003 in a calendar that is not seen', async () => {
    const [ann, bob] = [await someone(), await someone()];
    expect(await create(bob, { ...times, folder_id: ann.folder })).toMatchObject({ code: 'FLD-0003', category: 3 });
  });

  it('CAL-4031 without the right to create or to change', async () => {
    const [ann, bob] = [await someone(), await someone()];
    await share(ann, [bob, VIEWER]);
    const id = await created(ann, times);
    const folder = ann.folder;
    const denied = { code: 'CAL-4031', category: 3, error_params: [folder] };
    expect(await create(bob, { ...times, folder_id: folder })).toMatchObject(denied);
    expect(await update(bob, id, { title: 'x' }, { folder })).toMatchObject(denied);
    const query = { id, folder, ignore_conflicts: true, timezone: 'UTC' };
    expect(await bob.put('calendar', 'copy', query, { folder_id: folder })).toMatchObject(denied);
    const own = await created(bob, times);
    expect(await update(bob, own, { folder_id: folder })).toMatchObject(denied);
    expect((await read(ann, id)).title).toBe('T');
  });

  it('CAL-4031 and CAL-4033 without the right to answer for external participants and for the owner', async () => {
    const [ann, bob] = [await someone(), await someone()];
    await share(ann, [bob, VIEWER]);
    const mail = 'zoe@elsewhere.example';
    const id = await created(ann, { ...times, participants: [user(ann), { type: 5, mail }] });
    const query = { id, folder: ann.folder, timestamp: FAR_FUTURE };
    const external = await bob.put('calendar', 'confirm', query, { type: 5, mail, confirmation: 2 });
    expect(external).toMatchObject({ code: 'CAL-4031', category: 3, error_params: [ann.folder] });
    const owner = await bob.put('calendar', 'confirm', query, { id: ann.userId, confirmation: 2 });
    expect(owner).toMatchObject({ code: 'CAL-4033', category: 3 });
    expect(await read(ann, id)).toMatchObject({ users: [{ confirm: 1 }], confirmations: [{ status: 0 }] });
  });

  it('APP-0062 for whatever is done to the private appointment of somebody else', async () => {
    const [ann, bob] = [await someone(), await someone()];
    await share(ann, [bob, AUTHOR]);
    const folder = ann.folder;
    const id = await created(ann, { ...times, private_flag: true });
    const query = { id, folder, timestamp: FAR_FUTURE };
    const copying = { id, folder, ignore_conflicts: true, timezone: 'UTC' };
    const refused = [
      await update(bob, id, { title: 'x' }, { folder }),
      await deleted(bob, { id, folder }),
      await bob.put('calendar', 'confirm', query, { id: ann.userId, confirmation: 2 }),
      await bob.put('calendar', 'copy', copying, { folder_id: bob.folder }),
    ];
    for (const answer of refused) expect(answer).toMatchObject({ code: 'APP-0062', category: 3 });
    expect(await read(ann, id)).toMatchObject({ title: 'T', private_flag: true });
  });

  it('FLD-0008 for a folder that is not there, APP-0054 for one of another module', async () => {
    const ann = await someone();
    const folder = String(Number(ann.folder) + 8_000_000);
    const id = await created(ann, times);
    const range = { columns: '1', ...ALL_TIME };
    const query = { id, folder, timestamp: FAR_FUTURE };
    const copying = { id, folder, ignore_conflicts: true, timezone: 'UTC' };
    const missing = [
      await ann.get('calendar', 'all', { ...range, folder }),
      await ann.get('calendar', 'updates', { columns: '1', folder, timestamp: 0 }),
      await ann.get('calendar', 'getChangeExceptions', { columns: '1', folder, id }),
      await ann.put('calendar', 'search', { columns: '1' }, { pattern: '*', folder }),
      await create(ann, { ...times, folder_id: folder }),
      await update(ann, id, { title: 'x' }, { folder }),
      await deleted(ann, { id, folder }),
      await ann.put('calendar', 'confirm', query, { confirmation: 1 }),
      await ann.put('calendar', 'copy', copying, { folder_id: folder }),
      await ann.get('export', 'ICAL', { folder }),
    ];
    expect(missing.map(({ code }) => code)).toEqual(missing.map(() => 'FLD-0008'));
    // A number that no folder has.
    expect((await ann.get('calendar', 'all', { ...range, folder: '999999' })).code).toBe('FLD-0008');
    expect((await update(ann, id, { title: 'x' }, { folder: '1' })).code).toBe('APP-0054');
  });

  it('APP-0055 for a year that is left out, in a change as well', async () => {
    const ann = await someone();
    const id = await created(ann, times);
    const yearly = { recurrence_type: 4, interval: 2, day_in_month: 7, month: 4 };
    expect((await create(ann, { ...times, ...yearly })).code).toBe('APP-0055');
    expect((await update(ann, id, yearly)).code).toBe('APP-0055');
  });

  it('APP-0059 for the export of an appointment in another folder', async () => {
    const ann = await someone();
    const folder = await publicFolder(ann);
    const id = await created(ann, times);
    expect((await ann.put('export', 'ICAL', {}, [{ id, folder_id: folder }])).code).toBe('APP-0059');
  });

  it('APP-0070 for the copy of a private appointment in a public folder', async () => {
    const ann = await someone();
    const folder = await publicFolder(ann);
    const id = await created(ann, { ...times, private_flag: true });
    const query = { id, folder: ann.folder, ignore_conflicts: true, timezone: 'UTC' };
    expect((await ann.put('calendar', 'copy', query, { folder_id: folder })).code).toBe('APP-0070');
  });

  it('CAL-4038 when somebody who is invited changes how a series repeats; he may send it as it is', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const id = await created(ann, { ...daily, participants: [user(ann), user(bob)] });
    const rule = { recurrence_type: 1, interval: 1, occurrences: 5 };
    for (const body of [{ ...rule, interval: 2 }, { ...rule, occurrences: 3 }, { recurrence_type: 0 }])
      expect([body, (await update(bob, id, body)).code]).toEqual([body, 'CAL-4038']);
    expect((await update(bob, id, { ...rule, alarm: 30 })).error).toBeUndefined();
    expect(await read(bob, id)).toMatchObject({ ...rule, alarm: 30 });
    expect(await read(ann, id)).toMatchObject(rule);
  });

  it('the answer of a delegate to a series reaches the exceptions that wait for it, and those alone', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const privileges = [
      { entity: 0, group: true, privilege: 'ask_to_book' },
      { entity: bob.userId, privilege: 'delegate' },
    ];
    const name = `room${(count += 1)}`;
    const body = { name, displayName: name, email: `${name}@c${cast.contextId}.example`, type: 'ROOM', privileges };
    const room = (await cast.admin.expect('POST', `/admin/v1/contexts/${cast.contextId}/resources`, body)).id;
    const participants = [user(ann), { type: 3, id: room }];
    const id = await created(ann, { ...daily, participants });
    const changed = async (position: number) =>
      String((await update(ann, id, { recurrence_position: position, title: `E${position}` })).data.id);
    const [second, third] = [await changed(2), await changed(3)];
    const answer = (target: string, confirmation: number) =>
      bob.put(
        'calendar',
        'confirm',
        { id: target, folder: bob.folder, timestamp: FAR_FUTURE },
        { id: room, type: 3, confirmation, confirmmessage: '' },
      );
    // Absent: it has accepted.
    const answers = async () =>
      Promise.all(
        [id, second, third].map(async (each) => {
          const { participants } = await read(ann, each);
          return participants.find(({ type }: any) => type === 3).confirm ?? 1;
        }),
      );
    expect(await answers()).toEqual([0, 0, 0]);
    expect((await answer(third, 2)).error).toBeUndefined();
    expect((await answer(id, 1)).error).toBeUndefined();
    expect(await answers()).toEqual([1, 1, 2]);
    expect((await answer(id, 2)).error).toBeUndefined();
    expect(await answers()).toEqual([2, 2, 2]);

    // Declined time is free for others: it is not booked again over them, neither for the series nor an exception.
    const other = await created(bob, {
      start_date: times.start_date + DAY,
      end_date: times.end_date + DAY,
      participants: [user(bob), { type: 3, id: room }],
    });
    expect((await answer(id, 1)).data.conflicts).toMatchObject([{ id: other, hard_conflict: true }]);
    expect(await answers()).toEqual([2, 2, 2]);
  });
});

describe('calendar: the next appointments', () => {
  it('limit is a number or a half-open range', async () => {
    const ann = await someone();
    for (const index of [0, 1, 2, 3])
      await created(ann, {
        title: `${index}`,
        start_date: times.start_date + index * HOUR,
        end_date: times.end_date + index * HOUR,
      });
    const range = { start: times.start_date - DAY, end: times.end_date + DAY, columns: '200' };
    const titles = async (limit: string) =>
      (await ann.get('calendar', 'newappointments', { ...range, limit })).data?.flat();
    expect(await titles('2')).toEqual(['0', '1']);
    expect(await titles('1,3')).toEqual(['1', '2']);
    expect(await titles('3,3')).toEqual([]);
    expect(await titles('2,9')).toEqual(['2', '3']);
    for (const limit of ['abc', '3,1', '-1', '1,2,3', '-2,1', ',', '99999999999999'])
      expect([limit, (await ann.get('calendar', 'newappointments', { ...range, limit })).code]).toEqual([
        limit,
        'SVL-0010',
      ]);
    expect((await ann.get('calendar', 'all', { ...ALL_TIME, columns: '1', folder: ann.folder })).data).toHaveLength(4);
  });
});
