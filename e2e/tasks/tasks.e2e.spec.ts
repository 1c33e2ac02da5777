import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  all,
  BITS,
  change,
  create,
  createFolder,
  createTaskFixtures,
  dataOf,
  DAY,
  FAR,
  idsOf,
  read,
  remove,
  tryCreate,
  updates,
  type TaskFixtures,
} from './tasks';

let world: TestEnvironment;
let cast: TaskFixtures;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createTaskFixtures(world);
}, 60_000);
afterAll(() => world?.close());

const user = (id: number) => ({ type: 1, id });
const HALF_HOUR = 1_800_000;
const day = (month: number, date: number, hour = 0) => Date.UTC(2031, month - 1, date, hour);
const property = (userId: number, key: string, value: string) =>
  cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${userId}/config/${key}`, { value });

describe('objects', () => {
  it('TA-01 keep what was stored', async () => {
    const { U1, T1 } = cast;
    const body = {
      title: 'Tax form',
      categories: 'home,money',
      companies: 'Office',
      priority: 1,
      status: 2,
      percent_completed: 25,
      target_costs: 80,
      currency: 'EUR',
      note: 'n',
      billing_information: 'b',
      trip_meter: '7 km',
      after_complete: day(1, 1),
      color_label: 3,
      date_completed: day(1, 2),
      organizer: 'o@example.org',
      principal: 'p@example.org',
      notification: true,
    };
    const { id, timestamp } = await create(U1, T1, body);
    const { notification: _, ...stored } = body;
    expect(await dataOf(U1, T1, id)).toMatchObject({
      ...stored,
      id,
      folder_id: T1,
      created_by: String(U1.userId),
      last_modified_utc: timestamp,
    });
  });

  it('name who gave them to others, for whom, and how often they were revised', async () => {
    const { U1, U2, U3, T1 } = cast;
    const shared = await createFolder(U2, { rights: [[U1.userId, BITS.author]] });
    const participants = [{ type: 1, id: U3.userId }];
    const own = await create(U1, T1, { title: 'own', participants });
    expect(await dataOf(U1, T1, own.id)).toMatchObject({ organizer: U1.email, organizerId: U1.userId, sequence: 0 });
    const behalf = await create(U1, shared, { title: 'behalf', participants });
    expect(await dataOf(U2, shared, behalf.id)).toMatchObject({
      ...{ organizer: U1.email, organizerId: U1.userId, principal: U2.email, principalId: U2.userId },
    });
    await change(U1, T1, own.id, { note: 'revised', end_date: day(6, 7) });
    await change(U1, T1, own.id, { status: 2, percent_completed: 10 });
    const columns = '224,225,227,228,229';
    const rows = await U1.put<any[][]>('tasks', 'list', { columns }, [
      ...[{ id: own.id, folder: T1 }],
      ...[{ id: behalf.id, folder: shared }],
    ]);
    expect(rows.data).toEqual([
      [U1.email, 1, U1.userId, null, null],
      [U1.email, 0, U1.userId, U2.email, U2.userId],
    ]);
    // Another organizer, of whom no user is known.
    await change(U1, T1, own.id, { organizer: 'chief@example.org' });
    const told = await dataOf(U1, T1, own.id);
    expect(told).toMatchObject({ organizer: 'chief@example.org' });
    expect(told).not.toHaveProperty('organizerId');
    // A task of one person has no organizer.
    const { id } = await create(U1, T1, { title: 'alone' });
    for (const name of ['organizer', 'organizerId', 'principal', 'principalId', 'sequence'])
      expect(await dataOf(U1, T1, id)).not.toHaveProperty(name);
  });

  it('TA-02 leave out what was never set', async () => {
    const { U1, T1 } = cast;
    const { id } = await create(U1, T1, { title: 'x' });
    const data = await dataOf(U1, T1, id);
    for (const name of [
      'note',
      'alarm',
      'start_time',
      'end_date',
      'percent_completed',
      'users',
      'participants',
      'full_time',
    ])
      expect(data).not.toHaveProperty(name);
    expect(data.status).toBe(1);
  });

  it('TA-03 TA-04 have a unique id of their own, or the one they came with', async () => {
    const { U1, T1 } = cast;
    const [a, b, c] = [
      await create(U1, T1, { title: 'same' }),
      await create(U1, T1, { title: 'same' }),
      await create(U1, T1, { uid: 'abc@host' }),
    ];
    const uids = await Promise.all([a, b, c].map(async ({ id }) => (await dataOf(U1, T1, id)).uid));
    expect(uids[0]).not.toBe(uids[1]);
    expect(uids[2]).toBe('abc@host');
    expect(await change(U1, T1, c.id, { uid: 'other' })).toMatchObject({ code: 'TSK-0053' });
    expect(await change(U1, T1, c.id, { uid: 'abc@host' })).not.toHaveProperty('code');
  });

  it('TA-05 TA-06 TA-07 TA-08 clear empty texts, refuse long ones and control characters, ignore what clients do not set', async () => {
    const { U1, T1 } = cast;
    const { id } = await create(U1, T1, { title: 'short' });
    expect(await change(U1, T1, id, { title: 'x'.repeat(400) })).toMatchObject({
      code: 'TSK-0041',
      category: 12,
      truncated: [200],
      problematic: [{ id: 200, max_size: 256, length: 400 }],
    });
    expect((await dataOf(U1, T1, id)).title).toBe('short');
    expect(await change(U1, T1, id, { unknown: 1, created_by: 1 })).toMatchObject({ data: { id } });
    expect((await dataOf(U1, T1, id)).created_by).toBe(String(U1.userId));
    await change(U1, T1, id, { title: '' });
    expect(await dataOf(U1, T1, id)).not.toHaveProperty('title');
    const before = await idsOf(U1, T1);
    expect(await tryCreate(U1, T1, { note: 'a\u0000b' })).toMatchObject({ code: 'TSK-0058' });
    expect(await idsOf(U1, T1)).toEqual(before);
  });

  it('TA-09 TA-10 TA-11 TA-12 TA-13 check priorities, amounts, durations and colours', async () => {
    const { U1, T1 } = cast;
    const { id } = await create(U1, T1, {
      priority: 1,
      actual_costs: 19.99,
      target_duration: '90',
      actual_duration: 7,
    });
    expect(await change(U1, T1, id, { priority: 5 })).toMatchObject({ code: 'TSK-0057' });
    expect(await change(U1, T1, id, { priority: 0 })).toMatchObject({ code: 'TSK-0057' });
    expect(await dataOf(U1, T1, id)).toMatchObject({
      priority: 1,
      actual_costs: 19.99,
      target_duration: '90',
      actual_duration: '7',
    });
    for (const [sent, kept] of [
      ['7.005', 7.01],
      [11.5, 11.5],
      [0.1, 0.1],
      ['-9999999999.99', -9999999999.99],
    ]) {
      await change(U1, T1, id, { actual_costs: sent });
      expect((await dataOf(U1, T1, id)).actual_costs).toBe(kept);
    }
    expect(await change(U1, T1, id, { actual_costs: 'much' })).toMatchObject({ code: 'TSK-0055' });
    expect(await change(U1, T1, id, { actual_costs: '9999999999.995' })).toMatchObject({ code: 'TSK-0047' });
    expect(await change(U1, T1, id, { actual_costs: { much: 1 } })).toMatchObject({ code: 'TSK-0055' });
    expect(await tryCreate(U1, T1, { target_duration: '12a' })).toMatchObject({
      code: 'TSK-0055',
      error_params: ['12a', 'target_duration'],
    });
    await change(U1, T1, id, { target_duration: null, actual_costs: null });
    expect(await dataOf(U1, T1, id)).not.toHaveProperty('target_duration');
    expect(await tryCreate(U1, T1, { color_label: 11 })).toHaveProperty('code');
  });

  it('need a folder of tasks in which the user may create', async () => {
    const { U1, U2, T1 } = cast;
    expect(await U1.put('tasks', 'new', {}, { title: 'x' })).toMatchObject({ code: 'TSK-0027' });
    expect(await tryCreate(U1, U1.folder, {})).toMatchObject({ code: 'TSK-0006' });
    expect(await tryCreate(U1, '999999991', {})).toHaveProperty('code');
    expect(await tryCreate(U2, T1, {})).toMatchObject({ code: 'TSK-0059' });
    const readable = await createFolder(U1, { rights: [[U2.userId, BITS.reader]] });
    expect(await tryCreate(U2, readable, {})).toMatchObject({ code: 'TSK-0025' });
    expect(await tryCreate(U1, 'x/y', {})).toMatchObject({ code: 'FLD-1025' });
  });
});

describe('dates', () => {
  const columns = '201,202,316,317,401';
  const row = async (id: string, timezone: string) =>
    (await cast.U1.put('tasks', 'list', { columns, timezone }, [{ id, folder: cast.T1 }])).data[0];

  it('TA-14 TA-18 TA-20 of older clients are never shifted', async () => {
    const { U1, T1 } = cast;
    const { id } = await create(U1, T1, { end_date: day(7, 3) }, { timezone: 'Asia/Tokyo' });
    for (const zone of ['Asia/Tokyo', 'UTC', 'America/Denver'])
      expect(await row(id, zone)).toEqual([null, day(7, 3), null, day(7, 3), true]);
    const odd = await create(U1, T1, { start_date: day(7, 3, 13), end_date: day(7, 4) });
    expect(await row(odd.id, 'UTC')).toEqual([day(7, 3, 13), day(7, 4), day(7, 3), day(7, 4), true]);
    await create(U1, T1, { start_date: day(7, 3), end_date: day(7, 3) });
  });

  it('TA-15 TA-16 TA-17 TA-19 of newer clients are on their clock, or days', async () => {
    const { U1, T1 } = cast;
    for (const [month, offset] of [
      [7, 2],
      [1, 1],
    ] as const) {
      const { id } = await create(
        U1,
        T1,
        { start_time: day(month, 15, 10), end_time: day(month, 15, 12), full_time: false, start_date: 5 },
        { timezone: 'Europe/Berlin' },
      );
      const [start, end] = [day(month, 15, 10 - offset), day(month, 15, 12 - offset)];
      expect(await row(id, 'UTC')).toEqual([start, end, start, end, false]);
      expect(await row(id, 'Europe/Berlin')).toEqual([
        start,
        end,
        start + offset * 3_600_000,
        end + offset * 3_600_000,
        false,
      ]);
      await change(
        U1,
        T1,
        id,
        { full_time: true, start_time: day(7, 1), end_time: day(7, 2) },
        { timezone: 'Asia/Tokyo' },
      );
      expect(await row(id, 'Asia/Tokyo')).toEqual([day(7, 1), day(7, 2), day(7, 1), day(7, 2), true]);
      await change(U1, T1, id, { title: 'dates stay' }, { timezone: 'Asia/Tokyo' });
      expect((await row(id, 'UTC'))[4]).toBe(true);
    }
    const { id } = await create(U1, T1, { end_time: day(7, 15, 9), full_time: false }, { timezone: 'Asia/Tokyo' });
    expect(await row(id, 'UTC')).toEqual([null, day(7, 15), null, day(7, 15), false]);
  });

  it('TA-21 are compared after merging', async () => {
    const { U1, T1 } = cast;
    const { id } = await create(U1, T1, { end_date: day(5, 4) });
    expect(await change(U1, T1, id, { start_date: day(5, 5) })).toMatchObject({ code: 'TSK-0040' });
    expect(await change(U1, T1, id, { start_date: day(5, 5), end_date: day(5, 6) })).toMatchObject({ data: { id } });
    expect(await change(U1, T1, id, { start_date: 1e300 })).toHaveProperty('code');
    await change(U1, T1, id, { start_date: null, end_date: null });
    expect(await dataOf(U1, T1, id)).not.toHaveProperty('end_date');
  });

  it('TZ-05 do not shift the last change, so that a client can send it back', async () => {
    const { UB } = cast;
    const T = await createFolder(UB);
    const { id, timestamp } = await create(UB, T, { title: 'a' });
    for (const timezone of ['Asia/Tokyo', 'America/New_York']) {
      const { data } = await UB.get('tasks', 'get', { id, folder: T, timezone });
      expect(data).toMatchObject({ last_modified: timestamp, last_modified_utc: timestamp });
      expect((await all(UB, T, '5,6', { timezone })).data).toEqual([[timestamp, timestamp]]);
    }
  });

  it('TA-22 shift alarms', async () => {
    const { UB } = cast;
    const T = await createFolder(UB);
    const { id } = await create(UB, T, { alarm: day(7, 15, 8) });
    expect((await dataOf(UB, T, id, { timezone: 'UTC' })).alarm).toBe(day(7, 15, 6));
    await change(UB, T, id, { alarm: null });
    expect(await dataOf(UB, T, id)).not.toHaveProperty('alarm');
  });

  it('TA-23 sort by what is stored, undated ones first', async () => {
    const { U1 } = cast;
    const T = await createFolder(U1);
    const timed = await create(U1, T, { title: 'timed', end_time: day(7, 3, 5), full_time: false });
    const whole = await create(U1, T, { title: 'whole', end_date: day(7, 3) });
    const none = await create(U1, T, { title: 'none' });
    for (const sort of ['202', '317']) {
      const { data } = await all(U1, T, '1,317', { sort, timezone: 'Asia/Tokyo' });
      expect(data).toEqual([
        [none.id, null],
        [whole.id, day(7, 3)],
        [timed.id, day(7, 3, 14)],
      ]);
    }
  });
});

describe('state', () => {
  it('TA-24 TA-25 TA-26 TA-27 TA-28 is checked as a whole', async () => {
    const { U1, T1 } = cast;
    const { id } = await create(U1, T1, { status: 1, percent_completed: 0 });
    expect(await change(U1, T1, id, { percent_completed: 40 })).toMatchObject({ code: 'TSK-0031' });
    expect(await change(U1, T1, id, { percent_completed: 101, status: 2 })).toMatchObject({ code: 'TSK-0030' });
    expect(await change(U1, T1, id, { status: 6 })).toMatchObject({ code: 'TSK-0039' });
    await change(U1, T1, id, { status: 2, percent_completed: 70 });
    await change(U1, T1, id, { status: 1, percent_completed: 0 });
    await change(U1, T1, id, { status: 2, percent_completed: 70 });
    await change(U1, T1, id, { status: 3 });
    const done = await dataOf(U1, T1, id);
    expect(done).toMatchObject({ status: 3, percent_completed: 70 });
    expect(done).not.toHaveProperty('date_completed');
    await change(U1, T1, id, { date_completed: day(5, 5, 13) + 754_321 });
    expect(await dataOf(U1, T1, id)).toMatchObject({ date_completed: day(5, 5) });
    await change(U1, T1, id, { status: 2, date_completed: null });
    expect(await dataOf(U1, T1, id)).not.toHaveProperty('date_completed');
    const text = await create(U1, T1, { status: 2, percent_completed: '50' });
    expect((await dataOf(U1, T1, text.id)).percent_completed).toBe(50);
  });
});

describe('participants', () => {
  it('TA-29 TA-30 TA-31 TA-33 are users and groups', async () => {
    const { U1, U2, U3, X1, T1, H2, H3, G, admin, contextId } = cast;
    const { id } = await create(U1, T1, { title: 'g', participants: [{ type: 2, id: G }, user(U2.userId)] });
    const data = await dataOf(U1, T1, id);
    expect(data.participants.map(({ type, id: entity }: any) => [type, entity])).toEqual([
      [2, G],
      [1, U2.userId],
    ]);
    expect(data.users.map((each: any) => [each.id, each.confirm])).toEqual([
      [U2.userId, 0],
      [U3.userId, 0],
    ]);
    expect((await dataOf(U2, H2, id)).folder_id).toBe(H2);
    expect((await dataOf(U3, H3, id)).created_by).toBe(String(U1.userId));
    const empty = await admin.expect('POST', `/admin/v1/contexts/${contextId}/groups`, {
      name: 'nobody',
      displayName: 'Nobody',
      members: [],
    });
    const before = await idsOf(U1, T1);
    expect(await tryCreate(U1, T1, { participants: [{ type: 2, id: empty.id }] })).toMatchObject({ code: 'TSK-0052' });
    expect(await tryCreate(U1, T1, { participants: [user(999_999)] })).toMatchObject({ code: 'TSK-0018' });
    expect(await tryCreate(U1, T1, { participants: [user(X1.userId + 5_000_000)] })).toHaveProperty('code');
    for (const type of [3, 4, 9])
      expect(await tryCreate(U1, T1, { participants: [{ type, id: 1 }] })).toMatchObject({ code: 'TSK-0049' });
    expect(await tryCreate(U1, T1, { participants: [{ type: 5 }] })).toMatchObject({ code: 'TSK-0044' });
    expect(await idsOf(U1, T1)).toEqual(before);
  });

  it('TA-34 TA-35 TA-36 see the task in their own folder, and delete it for everybody', async () => {
    const { U1, U2, T1, H2 } = cast;
    const { id, timestamp } = await create(U1, T1, { title: 'd', participants: [user(U2.userId)] });
    const { data } = await all(U2, H2, '1,20,2');
    expect(data).toContainEqual([id, H2, String(U1.userId)]);
    await remove(U1, T1, [id]);
    expect((await updates(U2, H2, timestamp)).data).toContain(Number(id));
    const other = await create(U1, T1, { participants: [user(U2.userId)] });
    expect(await remove(U2, H2, [other.id])).toMatchObject({ data: [] });
    expect(await read(U1, T1, other.id)).toMatchObject({ code: 'TSK-0019' });
  });

  it('leave a task only, where the property says so', async () => {
    const { U1, U3, T1, H3 } = cast;
    await property(U3.userId, 'com.example.tasks.participantDelete', 'self');
    const { id } = await create(U1, T1, { participants: [user(U3.userId)] });
    await remove(U3, H3, [id]);
    expect(await idsOf(U3, H3)).not.toContain(id);
    expect((await dataOf(U1, T1, id)).users).toBeUndefined();
  });

  it('TA-37 TA-38 TA-39 TA-40 follow the task where it goes', async () => {
    const { U1, U2, T1, T2, H2, KP } = cast;
    const { id } = await create(U1, T1, { participants: [user(U1.userId), user(U2.userId)] });
    await change(U1, T1, id, { participants: [user(U2.userId)] });
    const own = await dataOf(U1, T1, id);
    expect(own.users.map((each: any) => each.id)).toEqual([U2.userId]);
    const moved = await change(U1, T1, id, { folder_id: T2 });
    expect((await updates(U1, T1, moved.timestamp! - 1)).data).toContain(Number(id));
    expect((await dataOf(U2, H2, id)).users).toHaveLength(1);
    const published = await change(U1, T2, id, { folder_id: KP });
    expect((await updates(U2, H2, published.timestamp! - 1)).data).toContain(Number(id));
    expect((await dataOf(U1, KP, id)).users.map((each: any) => each.id)).toEqual([U2.userId]);
    expect(await U2.put('tasks', 'confirm', { id }, { confirmation: 1 })).toMatchObject({ data: {} });
    await change(U1, KP, id, { folder_id: T1 });
    expect((await dataOf(U2, H2, id)).users[0].confirm).toBe(1);
    const there = await create(U1, KP, { participants: [user(U2.userId)] });
    expect(await idsOf(U2, H2)).not.toContain(there.id);
  });

  it('TA-41 may be external; the address of a user is that user', async () => {
    const { U1, U2, T1 } = cast;
    const external = { type: 5, mail: 'Ext@elsewhere.example', display_name: 'Ext' };
    const { id } = await create(U1, T1, { participants: [external, { type: 5, mail: U2.email.toUpperCase() }] });
    const data = await dataOf(U1, T1, id);
    expect(data.participants[0]).toEqual(external);
    expect(data.participants[1]).toMatchObject({ type: 1, id: U2.userId });
    expect(data.users.map((each: any) => each.id)).toEqual([U2.userId]);
    expect(data.confirmations).toMatchObject([{ type: 5, mail: external.mail, status: 0 }]);
  });

  it('TA-42 TA-43 TA-44 TA-45 answer; answers stay with who stays and return with who returns', async () => {
    const { U1, U2, U3, T1, H2 } = cast;
    const { id, timestamp } = await create(U1, T1, { participants: [user(U2.userId)] });
    const confirm = (body: object, query: Record<string, string | number> = { id, folder: H2, timestamp: 1 }) =>
      U2.put('tasks', 'confirm', query, body);
    expect(await confirm({})).toHaveProperty('code');
    const answered = await confirm({ confirmation: 2, confirmmessage: 'ill' });
    expect(answered).toMatchObject({ data: {} });
    expect(answered.timestamp).toBeGreaterThan(timestamp);
    expect(await change(U1, T1, id, { title: 'x' }, { timestamp })).toMatchObject({ code: 'TSK-0007' });
    await change(U1, T1, id, { participants: [user(U2.userId), user(U3.userId)] });
    const [second, third] = (await dataOf(U1, T1, id)).users;
    expect(second).toMatchObject({ id: U2.userId, confirm: 2, confirmmessage: 'ill' });
    expect(third).toMatchObject({ id: U3.userId, confirm: 0 });
    const left = await change(U1, T1, id, { participants: [] });
    expect((await updates(U2, H2, left.timestamp! - 1)).data).toContain(Number(id));
    expect(await confirm({ confirmation: 1 })).toMatchObject({ code: 'TSK-0018' });
    await change(U1, T1, id, { participants: [user(U2.userId)] });
    expect((await dataOf(U2, H2, id)).users[0]).toMatchObject({ confirm: 2, confirmmessage: 'ill' });
    expect((await updates(U2, H2, left.timestamp! - 1)).data).not.toContain(Number(id));
    expect(await confirm({ id, confirmation: 1 }, {})).toMatchObject({ data: {} });
    expect((await dataOf(U2, H2, id)).users[0]).toMatchObject({ confirm: 1, confirmmessage: 'ill' });
    expect(await confirm({ confirmation: 1 }, {})).toMatchObject({ code: 'SVL-0002' });
    expect(await confirm({ id: '99999999', confirmation: 1 }, {})).toMatchObject({ code: 'TSK-0019' });
    expect(await confirm({ confirmation: 1, confirmmessage: '\u0000' })).toMatchObject({ code: 'TSK-0058' });
  });

  it('TA-46 PR-01 PR-02 have alarms of their own, among the reminders', async () => {
    const { U1, U2, T1, H2 } = cast;
    const alarm = day(1, 5, 9);
    const { id, timestamp } = await create(U1, T1, { title: 'own alarms', alarm, participants: [user(U2.userId)] });
    await change(U2, H2, id, { alarm: alarm + 5 });
    expect((await dataOf(U1, T1, id)).alarm).toBe(alarm);
    expect((await dataOf(U2, H2, id)).alarm).toBe(alarm + 5);
    expect((await updates(U1, T1, timestamp)).data).toContainEqual([id, 'own alarms']);
    const reminders = async (end = alarm + DAY) =>
      (await U2.get<any[]>('reminder', 'range', { end, timezone: 'UTC' })).data!.filter(
        (each) => each.module === 4 && String(each.target_id) === id,
      );
    expect(await reminders(alarm + 4)).toEqual([]);
    const [reminder] = await reminders(alarm + 5);
    expect(reminder).toMatchObject({ alarm: alarm + 5, folder: Number(H2), user_id: U2.userId });
    const again = await U2.put('reminder', 'remindAgain', { id: reminder.id }, { alarm: alarm + 10 });
    expect(again.data).toMatchObject({ id: reminder.id, alarm: alarm + 10 });
    expect(await reminders(alarm + 9)).toEqual([]);
    expect(await reminders(alarm + 10)).toHaveLength(1);
    expect(await U2.put('reminder', 'delete', {}, { id: reminder.id })).toMatchObject({ data: [] });
    expect(await reminders()).toEqual([]);
    await change(U1, T1, id, { participants: [] });
    expect(await reminders()).toEqual([]);
  });
});

describe('series', () => {
  const series = { title: 's', note: 'n', start_date: day(6, 1), end_date: day(6, 2), recurrence_type: 1, interval: 2 };
  const complete = (folder: string, id: string) => change(cast.U1, folder, id, { status: 3 });
  const others = async (folder: string, ids: string[]) =>
    (await idsOf(cast.U1, folder)).filter((id) => !ids.includes(id));

  it('TA-47 TA-52 TA-53 make the next instance when one is done, until the last', async () => {
    const { U1 } = cast;
    const T = await createFolder(U1);
    const first = await create(U1, T, { ...series, occurrences: 3, alarm: day(5, 31), percent_completed: 0 });
    await change(U1, T, first.id, { status: 2, percent_completed: 50, date_completed: day(6, 2) });
    await complete(T, first.id);
    const [second] = await others(T, [first.id]);
    const data = await dataOf(U1, T, second!);
    expect(data).toMatchObject({
      title: 's',
      note: 'n',
      start_date: day(6, 3),
      end_date: day(6, 4),
      status: 1,
      percent_completed: 0,
      occurrences: 2,
      recurrence_type: 1,
      interval: 2,
    });
    for (const name of ['alarm', 'date_completed', 'number_of_attachments']) expect(data[name] ?? 0).toBe(0);
    expect(data.uid).not.toBe((await dataOf(U1, T, first.id)).uid);
    await complete(T, second!);
    const [third] = await others(T, [first.id, second!]);
    expect((await dataOf(U1, T, third!)).occurrences).toBe(1);
    await complete(T, third!);
    await change(U1, T, first.id, { status: 2 });
    await complete(T, first.id);
    expect(await idsOf(U1, T)).toHaveLength(3);
  });

  it('TA-48 TA-49 TA-50 follow their plan', async () => {
    const { U1 } = cast;
    const next = async (body: object) => {
      const T = await createFolder(U1);
      const { id } = await create(U1, T, body);
      await complete(T, id);
      const [other] = await others(T, [id]);
      return (await dataOf(U1, T, other!)).start_date;
    };
    const dates = (ms: number) => ({ start_date: ms, end_date: ms });
    const christmas = Date.UTC(2031, 11, 24);
    const yearly = { recurrence_type: 4, interval: 1, day_in_month: 24, month: 11 };
    expect(await next({ ...dates(christmas), ...yearly })).toBe(Date.UTC(2032, 11, 24));
    const monday = day(6, 2);
    expect(await next({ ...dates(monday), recurrence_type: 2, interval: 1, days: 18 })).toBe(day(6, 5));
    const past = Date.UTC(2001, 0, 1);
    expect(await next({ ...dates(past), recurrence_type: 3, interval: 1, day_in_month: 1 })).toBe(Date.UTC(2001, 1, 1));
    expect(await next({ ...dates(day(6, 3)), recurrence_type: 2, interval: 1, days: 2 })).toBe(day(6, 16));
  });

  it('TA-51 TA-54 keep participants without answers; only a change to done counts', async () => {
    const { U1, U2, H2 } = cast;
    const T = await createFolder(U1);
    const { id } = await create(U1, T, { ...series, participants: [user(U2.userId)] });
    await U2.put('tasks', 'confirm', { id }, { confirmation: 1 });
    await change(U2, H2, id, { status: 3 });
    const [next] = await others(T, [id]);
    const data = await dataOf(U2, H2, next!);
    expect(data.users).toMatchObject([{ id: U2.userId, confirm: 0 }]);
    expect(data.created_by).toBe(String(U1.userId));
    const done = await createFolder(U1);
    await create(U1, done, { ...series, status: 3 });
    expect(await idsOf(U1, done)).toHaveLength(1);
  });

  it('TA-55 TA-58 TA-59 have valid rules', async () => {
    const { U1 } = cast;
    const T = await createFolder(U1);
    const { id } = await create(U1, T, { ...series, occurrences: 5 });
    await change(U1, T, id, { until: day(9, 1), occurrences: 3 });
    const data = await dataOf(U1, T, id);
    expect(data.until).toBe(day(9, 1));
    expect(data).not.toHaveProperty('occurrences');
    await change(U1, T, id, { occurrences: 4 });
    expect(await dataOf(U1, T, id)).not.toHaveProperty('until');
    await change(U1, T, id, { occurrences: 0 });
    expect(await dataOf(U1, T, id)).not.toHaveProperty('occurrences');
    expect(await change(U1, T, id, { end_date: null })).toMatchObject({
      code: 'TSK-0037',
      error_params: ['202', 'end_date'],
    });
    expect(await tryCreate(U1, T, { ...series, recurrence_type: 2 })).toMatchObject({
      code: 'TSK-0037',
      error_params: ['212', 'days'],
    });
    expect(await tryCreate(U1, T, { ...series, recurrence_type: 9 })).toMatchObject({ code: 'TSK-0036' });
    expect(await tryCreate(U1, T, { ...series, start_date: null })).toMatchObject({ code: 'TSK-0037' });
    expect((await all(U1, T, '1,207')).data).toEqual([[id, null]]);
    await change(U1, T, id, { interval: 3 });
    expect(await dataOf(U1, T, id)).toMatchObject({ recurrence_type: 1, interval: 3 });
    await change(U1, T, id, { recurrence_type: 0 });
    expect(await dataOf(U1, T, id)).not.toHaveProperty('interval');
    await complete(T, id);
    expect(await idsOf(U1, T)).toEqual([id]);
  });

  it('TA-56 keep their wall clock over a change of the clocks', async () => {
    const { UB } = cast;
    const T = await createFolder(UB);
    const body = { start_time: day(3, 24, 9), end_time: day(3, 24, 10), full_time: false };
    const { id } = await create(UB, T, { ...body, recurrence_type: 2, interval: 1, days: 2 });
    await change(UB, T, id, { status: 3 });
    const next = (await idsOf(UB, T)).find((each) => each !== id)!;
    expect(await dataOf(UB, T, next)).toMatchObject({ start_time: day(3, 31, 9), start_date: day(3, 31, 7) });
  });

  it('TA-56 are at their time again after a day on which the clocks skip it', async () => {
    const { UB } = cast;
    const T = await createFolder(UB);
    const night = { start_time: day(3, 29, 2) + HALF_HOUR, end_time: day(3, 29, 4), full_time: false };
    let { id } = await create(UB, T, { ...night, recurrence_type: 1, interval: 1 });
    const shown: number[][] = [];
    for (const _done of [1, 2]) {
      const known = await idsOf(UB, T);
      await change(UB, T, id, { status: 3 });
      id = (await idsOf(UB, T)).find((each) => !known.includes(each))!;
      const { start_time, end_time } = await dataOf(UB, T, id);
      shown.push([start_time, end_time]);
    }
    expect(shown).toEqual([
      [day(3, 30, 3) + HALF_HOUR, day(3, 30, 4)],
      [day(3, 31, 2) + HALF_HOUR, day(3, 31, 4)],
    ]);
  });
});

describe('reading', () => {
  it('TA-60 TA-61 TA-62 TA-70 sorts, and answers parts', async () => {
    const { U1 } = cast;
    const T = await createFolder(U1);
    const ids: Record<string, string> = {};
    for (const title of ['d', 'B', 'a', 'C'])
      ids[title] = (await create(U1, T, { title, status: title === 'a' ? 2 : 1 })).id;
    const titles = async (parameters: object) => (await all(U1, T, '200', parameters)).data!.flat();
    expect(await titles({ sort: 200, left_hand_limit: 1, right_hand_limit: 3 })).toEqual(['B', 'C']);
    expect(await titles({ sort: 200, limit: 2 })).toEqual(['a', 'B']);
    expect(await titles({ sort: 200, limit: '1,3' })).toEqual(['B', 'C']);
    expect(await titles({ sort: 200, order: 'desc' })).toEqual(['d', 'C', 'B', 'a']);
    expect((await titles({ sort: 300 })).at(-1)).toBe('a');
    expect(await titles({})).toEqual(['d', 'B', 'a', 'C']);
    expect(await titles({ order: 'desc' })).toEqual(['C', 'a', 'B', 'd']);
    for (const sort of ['1', '2', '20', '201', '302', '303', '316', 'title', 'uid'])
      expect(await titles({ sort })).toHaveLength(4);
    for (const parameters of [
      { sort: 'x' },
      { sort: '220' },
      { left_hand_limit: 3, right_hand_limit: 1 },
      { limit: 'x' },
      { timezone: 'No/Where' },
    ])
      expect(await all(U1, T, '1', parameters)).toMatchObject({ code: 'SVL-0010' });
    expect(await all(U1, T, '1,no')).toMatchObject({ code: 'SVL-0010' });
    expect((await all(U1, T, 'all,list,777')).data![0]).toHaveLength(19);
    const found = await U1.put<any[][]>('tasks', 'search', { columns: '20' }, {});
    expect(found.data!.filter(([folder]) => folder === T)).toHaveLength(4);
  });

  it('TA-63 TA-64 TA-65 answers each task in its folder', async () => {
    const { U1, T1, T2 } = cast;
    for (const unknown of ['999999', '999999991', String(Number(T1) + 8_000_000)])
      expect(await all(U1, unknown, '1')).toMatchObject({ code: 'FLD-0008' });
    expect(await all(U1, U1.folder, '1')).toMatchObject({ code: 'TSK-0006' });
    const [a, b] = [await create(U1, T1), await create(U1, T2)];
    const references = [
      { id: b.id, folder: T2 },
      { id: a.id, folder: T1 },
      { id: a.id, folder: T2 },
      { id: 'x', folder: T1 },
      { id: a.id, folder: U1.folder },
    ];
    const { data } = await U1.put('tasks', 'list', { columns: '1,20' }, references);
    expect(data).toEqual([
      [b.id, T2],
      [a.id, T1],
    ]);
  });

  it('TA-66 TA-67 tells what changed, deletions only when asked', async () => {
    const { U1 } = cast;
    const T = await createFolder(U1);
    const first = await create(U1, T, { title: 'one' });
    expect((await updates(U1, T, first.timestamp)).data).toEqual([]);
    await create(U1, T, { title: 'two' });
    await remove(U1, T, [first.id]);
    const rows = [[expect.any(String), 'two']];
    expect((await updates(U1, T, first.timestamp, {})).data).toEqual(rows);
    expect((await updates(U1, T, first.timestamp, { ignore: 'deleted' })).data).toEqual(rows);
    expect((await updates(U1, T, first.timestamp)).data).toEqual([...rows, Number(first.id)]);
    expect((await updates(U1, T, 0)).data).toContainEqual(rows[0]);
  });

  it('TA-68 TA-69 TA-71 finds text anywhere, and due times', async () => {
    const { U1, U2 } = cast;
    const T = await createFolder(U1, { rights: [[U2.userId, BITS.reader]] });
    await create(U1, T, { title: 'Rent 2031', end_date: day(5, 5), note: 'deep' });
    await create(U1, T, { title: 'rental car', end_date: day(6, 5), categories: 'Trips', status: 2 });
    const zoe = { type: 5, mail: 'zoe@outside.test' };
    await create(U1, T, { title: 'other', participants: [{ type: 1, id: U2.userId }, { type: 2, id: cast.G }, zoe] });
    const search = async (body: object, query: Record<string, number> = {}) =>
      (await U1.put<any[][]>('tasks', 'search', { columns: '200', ...query }, { folder: T, ...body })).data!.flat();
    expect(await search({ pattern: 'RENT' })).toEqual(['Rent 2031', 'rental car']);
    expect(await search({ pattern: 'rent 2' })).toEqual(['Rent 2031']);
    expect(await search({ pattern: 'r?nt*2' })).toEqual(['Rent 2031']);
    expect(await search({ pattern: 'deep' })).toEqual(['Rent 2031']);
    expect(await search({ pattern: 'deep', searchinnote: false })).toEqual([]);
    expect(await search({ title: 'rent', categories: 'trip', status: 2 })).toEqual(['rental car']);
    const other = await createFolder(U1);
    await create(U1, other, { title: 'Clean C:\\ drive', categories: 'D:\\' });
    for (const body of [{ pattern: 'C:\\' }, { pattern: 'c:\\*drive' }, { title: 'C:\\', categories: 'D:\\' }])
      expect(await search({ ...body, folder: other })).toEqual(['Clean C:\\ drive']);
    expect(await search({}, { start: day(5, 6) })).toEqual(['rental car']);
    expect(await search({ start: day(5, 5), end: day(6, 5) })).toEqual(['Rent 2031']);
    const user = { type: 1, id: U2.userId };
    const who = (...participants: object[]) => search({ participants });
    expect(await who(user, { type: 5, mail: 'ZOE@outside.test' })).toEqual(['other']);
    expect(await who(user, { type: 2, id: cast.G })).toEqual(['other']);
    expect(await who({ type: 5, mail: U2.email })).toEqual(['other']);
    expect(await who(user, { type: 5, mail: 'joe@outside.test' })).toEqual([]);
    expect(await who({ type: 1, id: U1.userId })).toEqual([]);
    const refused = async (participant: object) =>
      (await U1.put('tasks', 'search', { columns: '1' }, { folder: T, participants: [participant] })).code;
    expect([await refused({ type: 3, id: 1 }), await refused({ type: 5 })]).toEqual(['TSK-0049', 'TSK-0044']);
    await property(U2.userId, 'com.example.minimumSearchCharacters', '2');
    expect(await U2.put('tasks', 'search', { columns: '1' }, { pattern: 'r', folder: T })).toMatchObject({
      code: 'TSK-0051',
    });
    expect((await U2.put<any[]>('tasks', 'search', { columns: '1' }, { folder: T })).data).toHaveLength(3);
  });
});

describe('rights', () => {
  it('TA-73 TA-74 are those of the folder in which the user sees the task', async () => {
    const { U1, U2 } = cast;
    const seen = await createFolder(U1, { rights: [[U2.userId, BITS.see]] });
    const { id } = await create(U1, seen, { title: 'hidden' });
    expect(await read(U2, seen, id)).toMatchObject({ code: 'TSK-0023' });
    expect((await U2.put('tasks', 'list', { columns: '1' }, { id, folder: seen })).data).toEqual([]);
    const own = await createFolder(U1, { rights: [[U2.userId, BITS.own]] });
    const foreign = await create(U1, own, { title: 'of U1' });
    const mine = await create(U2, own, { title: 'of U2' });
    expect(await change(U2, own, foreign.id, { title: 'x' })).toMatchObject({ code: 'TSK-0033' });
    expect(await read(U2, own, foreign.id)).toMatchObject({ code: 'TSK-0023' });
    expect(await remove(U2, own, [foreign.id])).toMatchObject({ code: 'TSK-0014' });
    expect(await idsOf(U2, own)).toEqual([mine.id]);
    expect(await change(U2, own, mine.id, { title: 'y' })).toMatchObject({ data: { id: mine.id } });
    expect(await change(U2, own, mine.id, { folder_id: cast.H2 })).toMatchObject({ code: 'TSK-0034' });
    expect(await change(U1, own, mine.id, { private_flag: true })).toMatchObject({ code: 'TSK-0043' });
    expect(await remove(U2, own, [mine.id])).toMatchObject({ data: [] });
  });

  it('TA-75 TA-76 hide private tasks, which are alone and at home', async () => {
    const { U1, U2, KP } = cast;
    const T = await createFolder(U1, { rights: [[U2.userId, BITS.author]] });
    const { id, timestamp } = await create(U1, T, { title: 'secret', private_flag: true });
    expect(await idsOf(U2, T)).toEqual([]);
    expect(await read(U2, T, id)).toMatchObject({ code: 'TSK-0046' });
    expect(await change(U2, T, id, { title: 'x' })).toMatchObject({ code: 'TSK-0048' });
    expect(await change(U1, T, id, { participants: [user(U2.userId)] })).toMatchObject({ code: 'TSK-0028' });
    expect(await change(U1, T, id, { folder_id: KP })).toMatchObject({ code: 'TSK-0042' });
    expect(await tryCreate(U2, T, { private_flag: true })).toMatchObject({ code: 'TSK-0008' });
    expect(await tryCreate(U1, KP, { private_flag: true })).toMatchObject({ code: 'TSK-0008' });
    await change(U1, T, id, { private_flag: false });
    expect(await idsOf(U2, T)).toEqual([id]);
    const hidden = await change(U1, T, id, { private_flag: true });
    expect((await updates(U2, T, hidden.timestamp! - 1)).data).toEqual([Number(id)]);
    expect((await updates(U2, T, timestamp - 1)).data).not.toContainEqual([id, 'secret']);
  });

  it('TA-77 end at the context', async () => {
    const { U1, X1, T1 } = cast;
    const { id } = await create(U1, T1, { title: 'of C1' });
    expect(JSON.stringify(await read(X1, T1, id))).not.toContain('of C1');
    expect(await read(X1, T1, id)).toHaveProperty('code');
  });

  it('TA-78 end a deletion at the first error', async () => {
    const { U1 } = cast;
    const T = await createFolder(U1);
    const ids = [(await create(U1, T)).id, (await create(U1, T)).id];
    const third = await create(U1, T);
    const stale = third.timestamp;
    await change(U1, T, ids[1]!, { title: 'changed' });
    expect(await remove(U1, T, [...ids, third.id], stale)).toMatchObject({ code: 'TSK-0007' });
    expect(await idsOf(U1, T)).toEqual([ids[1], third.id]);
    expect(await remove(U1, T, ['99999999'])).toMatchObject({ code: 'TSK-0019' });
    expect(await remove(U1, cast.T1, [third.id])).toMatchObject({ code: 'TSK-0048' });
    expect(await remove(U1, T, [])).toMatchObject({ data: [] });
    expect(await U1.put('tasks', 'delete', { timestamp: FAR }, { id: third.id, folder: T })).toMatchObject({
      data: [],
    });
  });

  it('are told anew when they change', async () => {
    const { U1, U2 } = cast;
    const T = await createFolder(U1, { rights: [[U2.userId, BITS.reader]] });
    const { id } = await create(U1, T, { title: 'seen' });
    const { timestamp } = await updates(U2, T, 0);
    const permissions = [
      { entity: U1.userId, group: false, bits: 403710016 },
      { entity: U2.userId, group: false, bits: BITS.own },
    ];
    await U1.put('folders', 'update', { id: T, timestamp: FAR }, { permissions });
    expect((await updates(U2, T, timestamp!)).data).toEqual([Number(id)]);
  });
});
