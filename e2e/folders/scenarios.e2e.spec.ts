import { createFixtures, createTestUser, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { created } from '../calendar/calendar';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  ALL,
  AUTHOR,
  below,
  freshName,
  get,
  made,
  make,
  permissionsFor,
  read,
  remove,
  update,
  VIEWER,
  warned,
} from './folders';

// Scenarios of the conformance list for the folder tree that other files do not have; D is a calendar.
let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `n${(count += 1)}`);
const times = { start_date: 1588582800000, end_date: 1588586400000 };
/** Creates objects and reads all, changes and deletes own ones. */
const OWN_OBJECTS = 2 + (2 << 7) + (1 << 14) + (1 << 21);
/** A small object of each module. */
const OBJECTS: Readonly<Record<string, object>> = {
  calendar: { title: 'Review', ...times },
  tasks: { title: 'Review' },
  contacts: { last_name: 'Moore' },
};
const visible = async (who: TestUser, query: object = {}) =>
  (await who.get('folders', 'allVisible', { content_type: 'calendar', columns: '1', ...query })).data;
const updatesOf = async (who: TestUser, timestamp: number, query: object = {}) =>
  (await who.get('folders', 'updates', { timestamp, columns: '1', ...query })).data;
const path = async (who: TestUser, id: string) => (await who.get('folders', 'path', { id, columns: '1' })).data.flat();

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

describe('the folder tree', () => {
  it('PF-01, PF-02 root lists 1, 2, 3 as strings, and 9 only with files', async () => {
    const { data } = await cast.U1.get('folders', 'root', { columns: '1' });
    expect(data).toEqual([['1'], ['2'], ['3'], ['9']]);
  });

  it('PF-03 default folders stand before others, by module', async () => {
    const who = await someone();
    await made(who, { title: 'A' });
    const { data } = await who.get('folders', 'list', { parent: 1, columns: '301,308' });
    expect(data).toEqual([
      ['calendar', true],
      ['contacts', true],
      ['tasks', true],
      ['calendar', false],
    ]);
  });

  it('PF-04 nobody shares: no folder below 3, and it says so', async () => {
    const [one] = [await createTestUser(world, cast.admin, cast.otherContextId, 'lonely')];
    expect(await below(one, '3')).toEqual([]);
    expect(await read(one, '3')).toMatchObject({ id: '3', subfolders: false, module: 'system' });
  });

  it('PF-05, PF-06 one folder for each who shares; paths lead through it', async () => {
    const [owner, viewer] = [await someone(), await someone()];
    const permissions = permissionsFor(owner, [viewer, VIEWER]);
    const [D, E] = [await made(owner, { title: 'D', permissions }), await made(owner, { title: 'E', permissions })];
    const above = `u:${owner.userId}`;
    const { data } = await viewer.get('folders', 'list', { parent: 3, columns: '1,300,304,315' });
    expect(data).toEqual([[above, `${owner.loginName.split('@')[0]} of ${cast.contextId}`, true, true]]);
    expect(await below(viewer, above)).toEqual([D, E]);
    expect(await path(owner, D)).toEqual([D, '1']);
    expect(await path(viewer, D)).toEqual([D, above, '3']);
    expect(await read(viewer, above)).toMatchObject({ folder_id: '3', subfolders: true });
  });

  it('PF-07 rows have the columns that were asked for, twice if asked twice', async () => {
    const { data } = await cast.U1.get('folders', 'list', { parent: 1, columns: '1,1,316,5,6' });
    expect(data[0]).toEqual([cast.U1.folder, cast.U1.folder, 2, expect.any(Number), expect.any(Number)]);
  });

  it('PF-10, PF-11, PF-12 subscriptions are for their user only; default folders stay', async () => {
    const [owner, viewer] = [await someone(), await someone()];
    const D = await made(owner, { permissions: permissionsFor(owner, [viewer, VIEWER]) });
    await update(viewer, D, { subscribed: false });
    expect((await visible(viewer)).shared).toBeUndefined();
    expect((await visible(viewer, { all: 1 })).shared).toEqual([[D]]);
    expect((await visible(owner)).private).toContainEqual([D]);
    await update(owner, D, { subscribed: false });
    expect(await below(owner, '1')).not.toContain(D);
    expect(await below(owner, '1', { all: 1 })).toContain(D);
    expect((await update(owner, owner.folder, { subscribed: false })).code).toBe('FLD-1016');
  });

  it.each(['calendar', 'tasks', 'contacts'])(
    'a viewer hides the shared default folder of %s, and leaves it out of synchronization, for himself',
    async (module) => {
      const [owner, viewer] = [await someone(), await someone()];
      const { private: own } = await visible(owner, { content_type: module });
      const D = String(own[0][0]);
      await update(owner, D, { permissions: permissionsFor(owner, [viewer, VIEWER]) });
      expect(await visible(viewer, { content_type: module })).toMatchObject({ shared: [[D]] });
      expect((await update(viewer, D, { subscribed: false, used_for_sync: { value: 'false' } })).error).toBeUndefined();
      expect((await visible(viewer, { content_type: module })).shared).toBeUndefined();
      expect((await visible(viewer, { content_type: module, all: 1 })).shared).toEqual([[D]]);
      const hidden = { subscribed: false, used_for_sync: { value: 'false', protected: false } };
      expect(await read(viewer, D)).toMatchObject(hidden);
      const kept = { subscribed: true, used_for_sync: { value: 'true', protected: true } };
      expect(await read(owner, D)).toMatchObject(kept);
      expect((await update(viewer, D, { subscribed: true })).error).toBeUndefined();
      expect((await visible(viewer, { content_type: module })).shared).toEqual([[D]]);
    },
  );

  it('PF-13 all contacts folders: the address book of all users is a public one; kinds without folders are absent', async () => {
    const { data } = await (await someone()).get('folders', 'allVisible', { content_type: 'contacts', columns: '1' });
    expect(data).toEqual({ private: [[expect.any(String)]], public: [['6']] });
  });

  it('PF-14 unknown trees are refused', async () => {
    for (const tree of ['99', 'x'])
      expect((await cast.U1.get('folders', 'root', { columns: '1', tree })).code).toBe('FLD-1031');
  });

  it('PF-15 a shared folder below a hidden one is found, the hidden one is not', async () => {
    const [owner, viewer] = [await someone(), await someone()];
    const P = await made(owner);
    const C = await made(owner, { permissions: permissionsFor(owner, [viewer, VIEWER]) }, P);
    expect((await visible(viewer)).shared).toEqual([[C]]);
    expect(await path(viewer, C)).toEqual([C, `u:${owner.userId}`, '3']);
    expect(await below(viewer, `u:${owner.userId}`)).toEqual([C]);
    expect((await get(viewer, P)).code).toBe('FLD-0003');
  });

  it('PF-16 a public folder below a hidden one stands below 12', async () => {
    const [owner, viewer] = [await someone(), await someone()];
    const P = await made(owner, { permissions: permissionsFor(owner) }, 2);
    const C = await made(owner, { permissions: permissionsFor(owner, [viewer, VIEWER]) }, P);
    expect(await below(viewer, '2')).toContain('12');
    expect(await below(viewer, '12')).toEqual([C]);
    expect(await path(viewer, C)).toEqual([C, '12', '2']);
    expect(await read(viewer, C)).toMatchObject({ folder_id: '12', type: 2 });
    expect(await path(owner, C)).toEqual([C, P, '2']);
    expect(await below(viewer, '2', { tree: 1 })).toContain(C);
    expect(await below(owner, '12')).toEqual([]);
  });

  it('PF-17 a folder of another context is like none', async () => {
    // Each context counts its own: the other one must be ahead.
    const newest = await made(cast.U1);
    let foreign = await made(cast.X1);
    while (Number(foreign) <= Number(newest)) foreign = await made(cast.X1);
    const [one, none] = [await get(cast.U1, foreign), await get(cast.U1, '99986')];
    expect([one.code, none.code]).toEqual(['FLD-0008', 'FLD-0008']);
    expect(one.error!.replace(foreign, '')).toBe(none.error!.replace('99986', ''));
  });

  it('PF-18 shares lists D, after it is revoked no more', async () => {
    const [owner, viewer] = [await someone(), await someone()];
    const D = await made(owner, { permissions: permissionsFor(owner, [viewer, VIEWER]) });
    const shares = async () =>
      (await owner.get('folders', 'shares', { content_type: 'event', columns: '1,3050' })).data;
    expect(await shares()).toEqual([[`cal://0/${D}`, true]]);
    await update(owner, D, { permissions: permissionsFor(owner) });
    expect(await shares()).toEqual([]);
  });

  it('PF-19 names are sorted as people read them', async () => {
    const who = await someone();
    const D = await made(who);
    await made(who, { title: 'b' }, D);
    await made(who, { title: 'A' }, D);
    const { data } = await who.get('folders', 'list', { parent: D, columns: '300' });
    expect(data).toEqual([['A'], ['b']]);
  });
});

describe('folder writes', () => {
  it('PN-01, PN-02 a new folder is its maker’s, of the module of the one above', async () => {
    const who = await someone();
    const D = await made(who, { title: 'X' });
    expect(await read(who, D)).toMatchObject({
      permissions: [{ entity: who.userId, bits: ALL }],
      type: 1,
      standard_folder: false,
    });
    const { data } = await who.put('folders', 'new', { folder_id: D }, { title: 'Y' });
    expect(await read(who, data)).toMatchObject({ module: 'calendar' });
  });

  it('PN-03 refuses names that are none', async () => {
    const codes = await Promise.all(
      ['', '   ', 'x'.repeat(256), 'a\nb'].map(async (title) => (await make(cast.U1, { title })).code),
    );
    expect(codes).toEqual(['FLD-0007', 'FLD-0007', 'FLD-0064', 'FLD-0092']);
  });

  it('PN-04, PN-05 a name is taken in whatever case and form', async () => {
    const who = await someone();
    const D = await made(who, { title: 'Work' });
    expect((await make(who, { title: 'WORK' })).code).toBe('FLD-0012');
    const numbered = await make(who, { title: 'WORK' }, 1, { autorename: true });
    expect((await read(who, numbered.data)).title).toBe('WORK (1)');
    expect((await make(who, { title: 'Work' }, D)).data).toEqual(expect.any(String));
    await made(who, { title: 'caf\u00e9' });
    expect((await make(who, { title: 'cafe\u0301' })).code).toBe('FLD-0012');
  });

  it('PN-06 nothing is made at the root and below others', async () => {
    for (const parent of ['0', '3', '10', '12', `u:${cast.U2.userId}`])
      expect((await make(cast.U1, {}, parent)).error).toBeTruthy();
  });

  it('PN-07 a public folder needs the right to make some, and belongs to its maker', async () => {
    const [who, other] = [await someone(), await someone()];
    const D = await made(who, {}, 2);
    expect(await read(who, D)).toMatchObject({ type: 2, permissions: [{ entity: who.userId, bits: ALL }] });
    await cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${other.userId}/module-access`, {
      flags: { editpublicfolders: false },
    });
    await other.login(other.loginName, PASSWORD);
    expect((await make(other, {}, 2)).code).toBe('FLD-0005');
    expect((await make(other)).code).toBeUndefined();
  });

  it('PN-08, PN-09, PN-10, PN-11, PN-12 refuse permissions that cannot be', async () => {
    const { U1, U2, X1 } = cast;
    const own = { entity: U1.userId, bits: ALL };
    const codeOf = async (...others: object[]) => (await make(U1, { permissions: others })).code;
    for (const bits of [5, -1, 2 ** 31]) expect(await codeOf(own, { entity: U2.userId, bits })).toBe('FLD-0061');
    expect(await codeOf()).toBe('FLD-0018');
    expect(await codeOf({ entity: U2.userId, bits: ALL })).toMatch(/^FLD-001[5-8]$/);
    const asMember = { entity: cast.team, group: true, bits: AUTHOR };
    expect(await codeOf(own, { entity: U2.userId, bits: VIEWER }, asMember)).toBeUndefined();
    expect(await codeOf(own, { entity: U2.userId, bits: 1 }, { entity: U2.userId, bits: VIEWER })).toBe('FLD-0079');
    expect(await codeOf(own, { entity: X1.userId + 4_000_000, bits: VIEWER })).toBe('FLD-0044');
  });

  it('PU-01, PU-02, PU-14 a change moves the timestamp, an empty one does not', async () => {
    const who = await someone();
    const D = await made(who);
    const { timestamp: ts } = await get(who, D);
    expect(await update(who, D, {})).toMatchObject({ data: D, timestamp: ts });
    const answer = await update(who, D, { title: freshName() }, { timestamp: ts! });
    expect(answer.data).toBe(D);
    expect(answer.timestamp).toBeGreaterThan(ts!);
    expect(await updatesOf(who, ts!)).toEqual([[D]]);
    expect((await update(who, D, { title: freshName() }, { timestamp: ts! })).code).toBe('FLD-1022');
  });

  it('PU-03, PD-10 a viewer changes nothing', async () => {
    const [owner, viewer] = [await someone(), await someone()];
    const D = await made(owner, { permissions: permissionsFor(owner, [viewer, VIEWER]) });
    const appointment = await created(owner, { ...times, folder_id: D });
    const before = await read(owner, D);
    for (const body of [{ title: 'x' }, { permissions: permissionsFor(viewer) }, { folder_id: '1' }])
      expect((await update(viewer, D, body)).error).toBeTruthy();
    expect((await remove(viewer, [D])).data).toEqual([D]);
    expect((await viewer.put('folders', 'clear', {}, [D])).data).toEqual([D]);
    expect(await read(owner, D)).toEqual(before);
    expect((await owner.get('calendar', 'get', { id: appointment, folder: D })).data.id).toBe(appointment);
  });

  it('PU-04, PU-05, PU-06, PU-07 a folder moves with all it has, not below itself, not onto a name', async () => {
    const who = await someone();
    const [D, A] = [await made(who, { title: 'x' }), await made(who)];
    const B = await made(who, { title: 'x' }, A);
    expect((await update(who, D, { folder_id: A })).code).toBe('FLD-0012');
    await update(who, B, { title: 'y' });
    expect((await update(who, D, { folder_id: A })).data).toBe(D);
    expect((await read(who, D)).folder_id).toBe(A);
    expect((await update(who, A, { folder_id: B })).code).toBe('FLD-0045');
    expect((await update(who, A, { folder_id: A })).code).toBe('FLD-0028');
    expect((await update(who, D, { folder_id: '2' })).code).toBe('FLD-0026');
    expect((await update(who, who.folder, { folder_id: A })).code).toBe('FLD-0021');
    expect((await update(who, '3', { folder_id: A })).code).toBe('FLD-0025');
  });

  it('PU-08 the module stays', async () => {
    const D = await made(cast.U1);
    expect((await update(cast.U1, D, { module: 'contacts' })).code).toBe('FLD-0084');
  });

  it('PU-09 permissions go down only when asked to', async () => {
    const [owner, viewer] = [await someone(), await someone()];
    const D = await made(owner);
    const K = await made(owner, {}, D);
    const L = await made(owner, {}, K);
    const permissions = permissionsFor(owner, [viewer, VIEWER]);
    await update(owner, D, { permissions });
    expect((await visible(viewer)).shared).toEqual([[D]]);
    await update(owner, D, { permissions }, { cascadePermissions: true });
    expect((await visible(viewer)).shared.flat().sort()).toEqual([D, K, L].sort());
  });

  it('PU-10, PU-11 rights of groups count, also for those who come later', async () => {
    const owner = await someone();
    const D = await made(owner, {
      permissions: permissionsFor(owner, [cast.U2, VIEWER], { entity: cast.team, group: true, bits: AUTHOR }),
    });
    expect((await read(cast.U2, D)).own_rights).toBe(AUTHOR);
    const all = await made(owner, { permissions: permissionsFor(owner, { entity: 0, group: true, bits: VIEWER }) });
    expect((await read(await someone(), all)).own_rights).toBe(VIEWER);
  });

  it('PU-12, PU-13 who loses a right is told of an id, who gets one of a row', async () => {
    const [owner, one, two] = [await someone(), await someone(), await someone()];
    const D = await made(owner, { permissions: permissionsFor(owner, [one, VIEWER]) });
    const { timestamp: since } = await get(owner, D);
    await update(owner, D, { permissions: permissionsFor(owner, [two, VIEWER]) });
    expect(await updatesOf(one, since!)).toEqual([D, `u:${owner.userId}`]);
    expect(await updatesOf(two, since!)).toEqual([[D], [`u:${owner.userId}`]]);
    expect(await updatesOf(one, since!, { ignore: 'deleted' })).toEqual([]);
  });
});

describe('deleting folders', () => {
  it('PD-01 those that stay are named, with a warning', async () => {
    const who = await someone();
    const [D, K] = [await made(who), await made(who)];
    const answer = await remove(who, [D, '99986', K]);
    expect(answer).toMatchObject({ data: ['99986'], code: 'FLD-0008', category: 13 });
    expect(warned(answer)).toEqual(['FLD-0008']);
    for (const id of [D, K]) expect((await get(who, id)).code).toBe('FLD-0008');
  });

  it('PD-03, PD-12 what is below goes along, and updates tell of all', async () => {
    const who = await someone();
    const D = await made(who);
    const K = await made(who, {}, D);
    const appointment = await created(who, { ...times, folder_id: K });
    const { timestamp } = await get(who, K);
    expect((await remove(who, [D])).data).toEqual([]);
    expect((await updatesOf(who, timestamp!)).sort()).toEqual([D, K].sort());
    expect(await updatesOf(who, timestamp!, { ignore: 'deleted' })).toEqual([]);
    expect((await who.get('calendar', 'get', { id: appointment, folder: who.folder })).error).toBeTruthy();
  });

  it('PD-04 default and system folders stay', async () => {
    const ids = [cast.U1.folder, '1', '3', '6', 'con://0/6'];
    expect(await remove(cast.U1, ids)).toMatchObject({ data: ids, timestamp: expect.any(Number) });
    expect(await remove(cast.U1, ['1'])).toMatchObject({ data: ['1'], timestamp: expect.any(Number) });
    expect((await read(cast.U1, cast.U1.folder)).id).toBe(cast.U1.folder);
  });

  it('PD-05, PD-06 the owner deletes with it what others made in it', async () => {
    const [owner, member] = [await someone(), await someone()];
    const bits = 4227332;
    const D = await made(owner, { permissions: permissionsFor(owner, [member, bits]) });
    await created(member, { ...times, folder_id: D });
    const K = await made(member, {}, D);
    const { timestamp } = await get(member, K);
    expect((await remove(owner, [D])).data).toEqual([]);
    expect(await updatesOf(member, timestamp!)).toEqual(expect.arrayContaining([D, K]));
  });

  it('PD-09 clear leaves folders below alone', async () => {
    const who = await someone();
    const D = await made(who);
    const K = await made(who, {}, D);
    const kept = await created(who, { ...times, folder_id: K });
    for (let turn = 0; turn < 3; turn += 1)
      await created(who, {
        start_date: times.start_date + turn * 86_400_000,
        end_date: times.end_date + turn * 86_400_000,
        folder_id: D,
      });
    expect((await read(who, D)).total).toBe(3);
    expect((await who.put('folders', 'clear', {}, [D])).data).toEqual([]);
    expect([(await read(who, D)).total, (await read(who, K)).total]).toEqual([0, 1]);
    expect((await who.get('calendar', 'get', { id: kept, folder: K })).data.id).toBe(kept);
  });

  it('the total of a shared calendar counts what its viewer may read: no private events of others', async () => {
    const [owner, viewer] = [await someone(), await someone()];
    const D = owner.folder;
    await update(owner, D, { permissions: permissionsFor(owner, [viewer, VIEWER]) });
    const classes = ['PUBLIC', 'CONFIDENTIAL', 'PRIVATE'];
    const make = async (fields: object): Promise<void> => {
      const event = { startDate: { value: '20300601T080000Z' }, endDate: { value: '20300601T090000Z' }, ...fields };
      expect((await owner.put('chronos', 'new', { folder: `cal://0/${D}` }, event)).error).toBeUndefined();
    };
    for (const each of classes) await make({ class: each });
    await make({ class: 'PRIVATE', rrule: 'FREQ=DAILY;COUNT=3' });
    expect([(await read(owner, D)).total, (await read(viewer, D)).total]).toEqual([4, 2]);
    await make({ class: 'PRIVATE', attendees: [{ entity: viewer.userId }] });
    expect([(await read(owner, D)).total, (await read(viewer, D)).total]).toEqual([5, 3]);
    const range = { rangeStart: '20300101T000000Z', rangeEnd: '20310101T000000Z', expand: false };
    expect((await viewer.get('chronos', 'all', { folder: `cal://0/${D}`, ...range })).data).toHaveLength(3);
    // Events to which the owner is invited stand in the calendar, too.
    const invited = { class: 'PRIVATE', attendees: [{ entity: owner.userId }] };
    const time = { startDate: { value: '20300602T080000Z' }, endDate: { value: '20300602T090000Z' } };
    await viewer.put('chronos', 'new', { folder: `cal://0/${viewer.folder}` }, { ...time, ...invited });
    const third = await someone();
    await third.put('chronos', 'new', { folder: `cal://0/${third.folder}` }, { ...time, ...invited });
    expect([(await read(owner, D)).total, (await read(viewer, D)).total]).toEqual([7, 4]);
  });

  it.each(['calendar', 'tasks', 'contacts'])('PD-11 who may delete own %s clears those alone', async (module) => {
    const [owner, member] = [await someone(), await someone()];
    const D = await made(owner, { module, permissions: permissionsFor(owner, [member, OWN_OBJECTS]) });
    const make = async (who: TestUser): Promise<string> =>
      String((await who.put(module, 'new', {}, { ...OBJECTS[module], folder_id: Number(D) })).data.id);
    const [kept, gone] = [await make(owner), await make(member)];
    expect((await member.put('folders', 'clear', {}, [D])).data).toEqual([]);
    expect((await owner.get(module, 'get', { id: kept, folder: D })).data.id).toBeTruthy();
    expect((await owner.get(module, 'get', { id: gone, folder: D })).data).toBeUndefined();
    expect((await read(owner, D)).total).toBe(1);
  });

  it('PD-13 tells the path of each folder when asked to', async () => {
    const who = await someone();
    const D = await made(who, { title: 'Top' });
    const K = await made(who, { title: 'Low' }, D);
    const answer = await remove(who, [K], { extendedResponse: true });
    expect(answer.data).toMatchObject([{ id: K, path: '/Private folders/Top/Low', hasFailed: false }]);
  });

  it('PD-15 nobody without rights is told', async () => {
    const D = await made(cast.U1);
    const { data } = await cast.U1.put('folders', 'notify', { id: D }, { entities: [cast.U3.userId] });
    expect(data.warnings).toMatchObject([{ code: 'FLD-0044' }]);
  });
});
