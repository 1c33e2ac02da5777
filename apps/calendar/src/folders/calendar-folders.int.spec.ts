import {
  calendar,
  calendarEvents,
  calendarFolders,
  type FolderKey,
  type OwnedFolder,
  type UserPrincipal,
} from '@groupware/contracts';
import { Bus, EventBus } from '@groupware/messaging';
import { codeOf, entity, person, runCalendar, type RunningCalendar } from '../testing/running-calendar';

const ALL = 403710016;
const VIEWER = 257;
const AUTHOR = 4227330;
const SUBFOLDERS = 4227332;
let running: RunningCalendar;
let next = 900;

beforeAll(async () => {
  running = await runCalendar();
}, 60_000);
afterAll(() => running?.close());

const someone = (options: Partial<UserPrincipal> = {}) => person((next += 1), options);
const as = (user: UserPrincipal) =>
  ({ kind: 'internal', service: 'folders', contextId: user.contextId, user }) as const;
const visible = (user: UserPrincipal): Promise<OwnedFolder[]> =>
  running.call(calendarFolders.visible, { principal: as(user), query: { parts: [{}] } }).then(([folders]) => folders);
const create = async (user: UserPrincipal, query: object): Promise<number> =>
  (
    await running.call(calendarFolders.create, {
      principal: as(user),
      query: { title: `F${(next += 1)}`, parent: 1, ...query },
    })
  ).id;
const change = (user: UserPrincipal, id: FolderKey, query: object): Promise<any> =>
  running.call(calendarFolders.update, { principal: as(user), query: { id, ...query } });
const get = (user: UserPrincipal, id: number): Promise<OwnedFolder> =>
  running.call(calendarFolders.get, { principal: as(user), query: { id } });
const remove = (user: UserPrincipal, id: FolderKey, query: object = {}) =>
  running.call(calendarFolders.remove, { principal: as(user), query: { ids: [id], strict: true, ...query } });
const grant = (user: UserPrincipal, ...others: [number | { group: number }, number][]) => [
  { entity: user.userId, group: false, bits: ALL },
  ...others.map(([who, bits]) =>
    typeof who === 'number' ? { entity: who, group: false, bits } : { entity: who.group, group: true, bits },
  ),
];
const appointmentIn = async (user: UserPrincipal, folder: number, body: object = {}): Promise<string> =>
  (
    await running.call(calendar.new, {
      principal: user,
      query: {},
      body: {
        title: 'T',
        folder_id: String(folder),
        start_date: 1588582800000,
        end_date: 1588586400000,
        ignore_conflicts: true,
        ...body,
      },
    })
  ).id;

describe('calendar folders', () => {
  it('makes folders whose ids tell their module, below private, public and calendar folders', async () => {
    const ann = someone();
    const first = await create(ann, {});
    const second = await create(ann, { parent: first });
    const third = await create(ann, { parent: 2 });
    for (const id of [first, second, third]) expect(id % 16).toBe(2);
    expect(await get(ann, third)).toMatchObject({ type: 2, createdBy: ann.userId, ownRights: ALL });
    expect(await get(ann, second)).toMatchObject({ type: 1, parent: first });
  });

  it('shows folders to whom they are shared, directly or by group, with the highest of their rights', async () => {
    const [ann, bob, eve] = [someone(), someone({ groups: [0, 7001] }), someone()];
    entity({ kind: 'group', id: 7001, displayName: 'G', members: [bob.userId] });
    const id = await create(ann, { permissions: grant(ann, [bob.userId, VIEWER], [{ group: 7001 }, AUTHOR]) });
    expect((await visible(bob)).find((folder) => folder.id === id)).toMatchObject({ ownRights: AUTHOR, type: 1 });
    expect((await visible(eve)).map((folder) => folder.id)).not.toContain(id);
    expect(await codeOf(get(eve, id))).toBe('FLD-0003');
    expect(await codeOf(get(eve, 99_986))).toBe('FLD-0008');
  });

  it('finds none below what is no id of a folder', async () => {
    const principal = as(someone());
    for (const below of ['9007199254740993', '2147483648', '-1', '1.5', 'u:9999999999'])
      expect(await running.call(calendarFolders.visible, { principal, query: { parts: [{ below }] } })).toEqual([[]]);
  });

  it('keeps names unique below a parent, whatever their case, and per user at the top', async () => {
    const [ann, bob] = [someone(), someone()];
    await create(ann, { title: 'Work' });
    expect(await codeOf(create(ann, { title: 'WORK' }))).toBe('FLD-0012');
    await create(bob, { title: 'Work' });
    const other = await create(ann, { title: 'Other' });
    expect(await codeOf(change(ann, other, { title: 'work' }))).toBe('FLD-0012');
    expect(await codeOf(create(ann, { title: '  ' }))).toBe('FLD-0007');
    expect(await codeOf(create(ann, { title: 'Public folders' }))).toBe('FLD-1033');
  });

  it('refuses what the rights do not cover', async () => {
    const [ann, bob, limited] = [someone(), someone(), someone({ capabilities: ['calendar'] })];
    const id = await create(ann, { permissions: grant(ann, [bob.userId, AUTHOR], [limited.userId, AUTHOR]) });
    expect(await codeOf(create(bob, { parent: id }))).toBe('FLD-0006');
    expect(await codeOf(change(bob, id, { title: 'x' }))).toBe('FLD-0010');
    expect(await codeOf(remove(bob, id))).toBe('FLD-0030');
    expect(await codeOf(get(limited, id))).toBe('FLD-0003');
    expect(await codeOf(create(limited, { parent: 2 }))).toBe('FLD-0005');
    expect(await codeOf(create(limited, { permissions: grant(limited, [bob.userId, VIEWER]) }))).toBe('FLD-0072');
    expect(await codeOf(create(ann, { permissions: grant(ann, [424242, VIEWER]) }))).toBe('FLD-0044');
    expect(await codeOf(create(ann, { permissions: [{ entity: bob.userId, group: false, bits: ALL }] }))).toBe(
      'FLD-0017',
    );
  });

  it('gives a folder below a shared one to the owner of that one', async () => {
    const [ann, bob] = [someone(), someone()];
    const id = await create(ann, { permissions: grant(ann, [bob.userId, SUBFOLDERS]) });
    const below = await create(bob, { parent: id });
    expect(await get(ann, below)).toMatchObject({ createdBy: ann.userId, ownRights: ALL });
    expect(await get(bob, below)).toMatchObject({ ownRights: SUBFOLDERS });
  });

  it('moves private folders among private ones only, never below themselves', async () => {
    const ann = someone();
    const [one, two, open] = [await create(ann, {}), await create(ann, {}), await create(ann, { parent: 2 })];
    await change(ann, two, { parent: one });
    expect((await get(ann, two)).parent).toBe(one);
    expect(await codeOf(change(ann, one, { parent: two }))).toBe('FLD-0045');
    expect(await codeOf(change(ann, one, { parent: 2 }))).toBe('FLD-0026');
    expect(await codeOf(change(ann, open, { parent: 1 }))).toBe('FLD-0027');
    const [standard] = (await visible(ann)).filter(({ isDefault }) => isDefault);
    expect(await codeOf(change(ann, standard!.id, { parent: one }))).toBe('FLD-0021');
    expect(await codeOf(change(ann, standard!.id, { title: 'x' }))).toBe('FLD-0011');
    expect(await codeOf(remove(ann, standard!.id))).toBe('FLD-0031');
  });

  it('refuses changes of what was changed in the meantime', async () => {
    const ann = someone();
    const id = await create(ann, {});
    const { lastModified } = await get(ann, id);
    const written = await change(ann, id, { title: `N${id}`, timestamp: lastModified });
    expect(written.lastModified).toBeGreaterThan(lastModified);
    expect(await codeOf(change(ann, id, { title: 'late', timestamp: lastModified }))).toBe('FLD-1022');
    expect(await codeOf(remove(ann, id, { timestamp: lastModified }))).toBe('FLD-0009');
  });

  it('deletes a folder with its appointments and those below, and takes others out of appointments they see there', async () => {
    const [ann, bob] = [someone(), someone()];
    const [home] = await visible(bob);
    const top = await create(ann, {});
    const below = await create(ann, { parent: top });
    const own = await appointmentIn(ann, below, { participants: [{ type: 1, id: bob.userId }] });
    expect(await running.sql('select 1 from attendee where folder_id = $1', [home!.id])).toHaveLength(1);
    await remove(ann, top);
    expect(await running.sql('select id from appointment where id = $1', [Number(own)])).toEqual([]);
    expect(await running.sql('select 1 from tombstone where folder_id = $1', [home!.id])).toHaveLength(1);
    expect(await codeOf(get(ann, below))).toBe('FLD-0008');
    expect(await running.sql('select 1 from folder_loss where folder_id in ($1, $2)', [top, below])).toHaveLength(2);
  });

  it('deletes nothing when something below must not be deleted', async () => {
    const [ann, bob] = [someone(), someone()];
    const admin = (user: UserPrincipal, remove: number) => ({
      entity: user.userId,
      group: false,
      bits: 64 | (64 << 7) | (64 << 14) | (remove << 21) | (1 << 28),
    });
    const open = await create(ann, { parent: 2, permissions: [admin(ann, 64), admin(bob, 1)] });
    await appointmentIn(ann, open);
    expect(await codeOf(remove(bob, open))).toBe('FLD-0032');
    expect((await get(ann, open)).id).toBe(open);
  });

  it('hides a folder from the lists of one user only', async () => {
    const [ann, bob] = [someone(), someone()];
    const id = await create(ann, { permissions: grant(ann, [bob.userId, VIEWER]) });
    await change(bob, id, { subscribed: false });
    expect((await get(bob, id)).subscribed).toBe(false);
    expect((await get(ann, id)).subscribed).toBe(true);
  });

  it('gives all folders below the same permissions when asked to', async () => {
    const [ann, bob] = [someone(), someone()];
    const top = await create(ann, {});
    const below = await create(ann, { parent: top });
    await change(ann, top, { permissions: grant(ann, [bob.userId, VIEWER]), cascade: true });
    expect((await get(bob, below)).ownRights).toBe(VIEWER);
  });

  it('keeps free attributes, also those that Postgres refuses as they are', async () => {
    const ann = someone();
    const id = await create(ann, { properties: { color: { value: '#ff0000' }, odd: 'a\u0000\ud800' } });
    expect((await get(ann, id)).properties).toEqual({ color: { value: '#ff0000' }, odd: 'a\ufffd' });
    await change(ann, id, { properties: { odd: null } });
    expect((await get(ann, id)).properties).toEqual({ color: { value: '#ff0000' } });
  });

  it('publishes whom to tell about a folder: those who got rights and those who are named', async () => {
    const [ann, bob, eve] = [someone(), someone(), someone()];
    const bus = await Bus.connect({ url: process.env.NATS_URL!, prefix: running.environment.GROUPWARE_BUS_PREFIX! });
    const events = new EventBus(bus);
    try {
      await events.open();
      const told: unknown[] = [];
      await events.subscribe('watcher', calendarEvents['folder.shared'], async ({ payload }) => {
        if ((payload as { userId: number }).userId === ann.userId) told.push(payload);
      });
      const notice = { message: 'Look at this' };
      const id = await create(ann, { permissions: grant(ann, [bob.userId, VIEWER]), notice });
      await change(ann, id, { permissions: grant(ann, [bob.userId, AUTHOR], [eve.userId, VIEWER]), notice: {} });
      // No new user, no notice.
      await change(ann, id, { permissions: grant(ann, [eve.userId, VIEWER]), notice });
      const notify = (entities: number[]) =>
        running.call(calendarFolders.notify, { principal: as(ann), query: { id, entities } });
      expect(await notify([eve.userId, bob.userId, ann.userId])).toEqual([bob.userId]);
      for (let tries = 0; told.length < 3 && tries < 100; tries += 1) await new Promise((next) => setTimeout(next, 30));
      const share = { folderId: id, userId: ann.userId, title: expect.any(String) };
      expect(told).toEqual([
        { ...share, entities: [bob.userId], message: 'Look at this' },
        { ...share, entities: [eve.userId] },
        { ...share, entities: [eve.userId] },
      ]);
    } finally {
      await events.close();
      await bus.close();
    }
  });

  it('tells what a user may do in folders, by id', async () => {
    const [ann, bob] = [someone(), someone()];
    const id = await create(ann, { permissions: grant(ann, [bob.userId, AUTHOR]) });
    expect(await running.call(calendarFolders.rights, { principal: as(bob), query: { ids: [id, 99_986] } })).toEqual([
      { id, rights: AUTHOR, type: 1, owner: ann.userId },
    ]);
  });

  it('applies the rights of a shared calendar to its appointments', async () => {
    const [ann, bob] = [someone(), someone()];
    const id = await create(ann, { permissions: grant(ann, [bob.userId, 2 | (1 << 7) | (1 << 14) | (1 << 21)]) });
    const hers = await appointmentIn(ann, id);
    const his = await appointmentIn(bob, id);
    const rows = await running.call(calendar.all, {
      principal: bob,
      query: { start: 0, end: 2e12, columns: ['1'], folder: String(id) },
    });
    expect(rows).toEqual([[his]]);
    expect(await codeOf(running.call(calendar.get, { principal: bob, query: { id: hers, folder: String(id) } }))).toBe(
      'APP-0062',
    );
    expect(await running.call(calendar.get, { principal: ann, query: { id: his, folder: String(id) } })).toMatchObject({
      created_by: String(bob.userId),
      organizer: bob.email,
      principal: ann.email,
      users: [{ id: ann.userId, confirm: 1 }],
    });
  });

  it('writes for whoever owns the calendar now, with the rights of now, whatever it was at the last write', async () => {
    const [ann, bob, carl] = [someone(), someone(), someone()];
    const id = await create(ann, { permissions: grant(ann, [bob.userId, AUTHOR]) });
    const ownerOf = async (appointment: string) => {
      const query = { id: appointment, folder: String(id) };
      const { users, principal } = await running.call<any>(calendar.get, { principal: bob, query });
      return [users.map((each: { id: number }) => each.id), principal];
    };
    expect(await ownerOf(await appointmentIn(bob, id))).toEqual([[ann.userId], ann.email]);
    // As when the owner was deleted and another user inherits.
    await running.sql('update folder set created_by = $2 where id = $1', [id, carl.userId]);
    expect(await ownerOf(await appointmentIn(bob, id))).toEqual([[carl.userId], carl.email]);
    await running.sql('update folder_permission set bits = 257 where folder_id = $1 and entity = $2', [id, bob.userId]);
    expect(await codeOf(appointmentIn(bob, id))).toBe('CAL-4031');
    await running.sql('update folder_permission set bits = $3 where folder_id = $1 and entity = $2', [
      id,
      bob.userId,
      AUTHOR,
    ]);
    expect(await ownerOf(await appointmentIn(bob, id))).toEqual([[carl.userId], carl.email]);
  });

  it('shows others no private appointments in a shared calendar', async () => {
    const [ann, bob] = [someone(), someone()];
    const id = await create(ann, { permissions: grant(ann, [bob.userId, VIEWER]) });
    const secret = await appointmentIn(ann, id, { private_flag: true });
    const query = { start: 0, end: 2e12, columns: ['1', '200', '400'], folder: String(id) };
    expect(await running.call(calendar.all, { principal: bob, query })).toEqual([]);
    expect(await running.call(calendar.all, { principal: bob, query: { ...query, showPrivate: true } })).toEqual([
      [secret, 'Private', null],
    ]);
    expect(
      await running.call(calendar.get, { principal: bob, query: { id: secret, folder: String(id) } }),
    ).toMatchObject({ title: 'Private' });
  });
});
