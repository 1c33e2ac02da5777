import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { created } from '../calendar/calendar';
import { homeOf } from '../files/files';
import { until } from '@groupware/test-kit';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { ALL, AUTHOR, get, made, read, permissionsFor, VIEWER } from './folders';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `l${(count += 1)}`);
const times = { start_date: 1588582800000, end_date: 1588586400000 };
const participants = (...players: TestUser[]) => players.map((player) => ({ type: 1, id: player.userId }));
const appointment = async (player: TestUser, id: string, folder: string) =>
  (await player.get('calendar', 'get', { id, folder })).data;

/** Deletes a user and waits until a folder of his is no longer where it was. */
async function leave(leaver: TestUser, query: string, watcher: TestUser, folder: string): Promise<void> {
  const owner = async () => (await get(watcher, folder)).data?.created_by;
  const before = await owner();
  await cast.admin.expect('DELETE', `/admin/v1/contexts/${cast.contextId}/users/${leaver.userId}${query}`);
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await owner()) !== before) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the calendar did not hear of it');
}

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

describe('folders of users who leave', () => {
  it('go to the heir when others see them; everything else of theirs goes', async () => {
    const [leaver, heir, friend] = [await someone(), await someone(), await someone()];
    const common = await made(leaver, { title: 'Common', permissions: permissionsFor(leaver, [friend, VIEWER]) });
    await made(heir, { title: 'Common' });
    const below = await made(leaver, { permissions: permissionsFor(leaver) }, common);
    const secret = await made(leaver);
    const open = await made(leaver, { title: 'Open', permissions: permissionsFor(leaver, [friend, AUTHOR]) }, 2);
    const theirs = await made(friend, { permissions: permissionsFor(friend, [leaver, AUTHOR]) });
    const hers = await made(
      friend,
      {
        permissions: [
          { entity: leaver.userId, bits: ALL },
          { entity: friend.userId, bits: VIEWER },
        ],
      },
      2,
    );
    const kept = await created(leaver, { ...times, folder_id: common, participants: participants(leaver, friend) });
    const alone = await created(leaver, { ...times, folder_id: secret });
    const meeting = await created(leaver, { ...times, folder_id: secret, participants: participants(leaver, friend) });
    const series = await created(leaver, {
      ...times,
      folder_id: leaver.folder,
      recurrence_type: 1,
      interval: 1,
      occurrences: 3,
      participants: participants(leaver),
    });
    const { data: exception } = await leaver.put(
      'calendar',
      'update',
      { id: series, folder: leaver.folder, timestamp: Date.now() },
      {
        recurrence_position: 2,
        title: 'Together',
        participants: participants(leaver, friend),
        ...times,
        ignore_conflicts: true,
      },
    );
    const inOpen = await created(leaver, { ...times, folder_id: open });
    const alien = await created(friend, { ...times, participants: participants(leaver, friend) });
    const since = (await friend.get('folders', 'list', { parent: 1, columns: '1' })).timestamp!;

    await leave(leaver, `?reassignTo=${heir.userId}`, friend, common);

    expect(await read(heir, common)).toMatchObject({
      title: 'Common (1)',
      type: 1,
      created_by: String(heir.userId),
      own_rights: ALL,
      folder_id: '1',
      standard_folder: false,
    });
    expect(await read(friend, common)).toMatchObject({ own_rights: VIEWER, type: 3, folder_id: `u:${heir.userId}` });
    expect(await read(heir, open)).toMatchObject({ own_rights: ALL, type: 2, created_by: String(heir.userId) });
    expect(await read(friend, open)).toMatchObject({ own_rights: AUTHOR });
    for (const id of [secret, below, leaver.folder]) expect((await get(heir, id)).code).toBe('FLD-0008');
    const entities = async (player: TestUser, id: string) =>
      (await read(player, id)).permissions.map(({ entity }: { entity: number }) => entity);
    for (const id of [common, open]) expect(await entities(heir, id)).not.toContain(leaver.userId);
    expect(await entities(friend, theirs)).toEqual([friend.userId]);
    // A public folder that no user administrates any more.
    expect((await read(heir, hers)).own_rights).toBe(ALL);

    const inherited = await appointment(heir, kept, common);
    expect(inherited.users.map(({ id }: { id: number }) => id).sort()).toEqual([heir.userId, friend.userId].sort());
    const madeByHeir = { created_by: String(heir.userId), modified_by: String(heir.userId) };
    expect(inherited).toMatchObject({ organizer: heir.email, ...madeByHeir });
    const { display_name } = (await heir.get('user', 'get')).data;
    expect(inherited.users).toContainEqual({ id: heir.userId, display_name, confirm: 1 });
    expect(await appointment(heir, inOpen, open)).toMatchObject(madeByHeir);
    expect((await appointment(friend, kept, friend.folder)).id).toBe(kept);
    for (const player of [heir, friend]) expect(await appointment(player, alone, player.folder)).toBeUndefined();
    // Meetings in folders that go stay for the others, with the heir in place of who leaves.
    for (const id of [meeting, exception.id])
      for (const player of [heir, friend]) {
        const stays = await appointment(player, id, player.folder);
        expect(stays).toMatchObject({ organizer: heir.email, ...madeByHeir, folder_id: player.folder });
        expect(stays.users.map((one: { id: number }) => one.id).sort()).toEqual([heir.userId, friend.userId].sort());
      }
    expect(await appointment(heir, series, heir.folder)).toMatchObject({ occurrences: 3, ...madeByHeir });
    const other = await appointment(friend, alien, friend.folder);
    expect(other.users.map(({ id }: { id: number }) => id)).toEqual([friend.userId]);
    expect(other.participants.map(({ id }: { id: number }) => id)).not.toContain(leaver.userId);

    const updates = (parent: string) => friend.get('folders', 'updates', { parent, timestamp: since, columns: '1' });
    expect((await updates(`u:${leaver.userId}`)).data).toEqual([common]);
    expect((await updates(`u:${heir.userId}`)).data).toEqual([[common]]);
    expect((await updates('3')).data).toEqual([[`u:${heir.userId}`], `u:${leaver.userId}`]);
  });

  it('take their contacts with them, made by the heir from then on', async () => {
    const [leaver, heir, friend] = [await someone(), await someone(), await someone()];
    const book = await made(leaver, { module: 'contacts', permissions: permissionsFor(leaver, [friend, VIEWER]) });
    const { data } = await leaver.put('contacts', 'new', {}, { folder_id: book, last_name: 'Kept' });
    await leave(leaver, `?reassignTo=${heir.userId}`, friend, book);
    expect(await heir.get('contacts', 'get', { id: data.id, folder: book })).toMatchObject({
      data: { last_name: 'Kept', created_by: String(heir.userId), modified_by: String(heir.userId) },
    });
  });

  it.each([
    ['tasks', { title: 'Kept' }],
    ['contacts', { last_name: 'Kept' }],
    ['infostore', { file: { title: 'Kept', url: 'https://kept.example' } }],
  ])('leave what they made in %s of others to the heir', async (module, object) => {
    const [leaver, heir, friend] = [await someone(), await someone(), await someone()];
    const common = await made(leaver, { permissions: permissionsFor(leaver, [friend, VIEWER]) });
    const rights = permissionsFor(friend, [leaver, AUTHOR], [heir, VIEWER]);
    const parent = module === 'infostore' ? await homeOf(friend) : 1;
    const folder = await made(friend, { module, permissions: rights }, parent);
    const body = 'file' in object ? { file: { folder_id: folder, ...object.file } } : { folder_id: folder, ...object };
    const { data: answer } = await leaver.put(module, 'new', {}, body);
    const id = String(answer.id ?? answer);
    const before = await friend.get(module, 'get', { id, folder });
    expect(before.data).toMatchObject({ created_by: String(leaver.userId), modified_by: String(leaver.userId) });

    await leave(leaver, `?reassignTo=${heir.userId}`, friend, common);

    await until(async () => {
      const { data } = await friend.get(module, 'get', { id, folder });
      return data.created_by === String(heir.userId) && data.modified_by === String(heir.userId);
    });
    const updates = { folder, timestamp: before.timestamp!, columns: '1' };
    expect((await friend.get(module, 'updates', updates)).data).toEqual([[id]]);
  });

  it('are those of the heir when the deletion is answered', async () => {
    const [leaver, heir] = [await someone(), await someone()];
    const open = await made(leaver, { permissions: permissionsFor(leaver) }, 2);
    const { folder: gone } = leaver;
    const id = await created(leaver, { ...times, folder_id: open });
    expect((await get(heir, open)).code).toBe('FLD-0003');
    const path = `/admin/v1/contexts/${cast.contextId}/users/${leaver.userId}?reassignTo=${heir.userId}`;
    await cast.admin.expect('DELETE', path);
    expect(await read(heir, open)).toMatchObject({ created_by: String(heir.userId), own_rights: ALL });
    expect(await appointment(heir, id, open)).toMatchObject({ id });
    expect((await get(heir, gone)).code).toBe('FLD-0008');
  });

  it('all go when nobody is to have them', async () => {
    const [leaver, friend] = [await someone(), await someone()];
    const common = await made(leaver, { permissions: permissionsFor(leaver, [friend, VIEWER]) });
    const open = await made(leaver, { permissions: permissionsFor(leaver, [friend, ALL]) }, 2);
    const below = await made(friend, { title: 'Below', permissions: permissionsFor(friend) }, open);
    const kept = await created(leaver, { ...times, folder_id: open });
    await leave(leaver, '?reassignTo=none', friend, common);
    for (const id of [common, open]) expect((await get(friend, id)).code).toBe('FLD-0008');
    expect(await appointment(friend, kept, open)).toBeUndefined();
    // Subfolders of others move to the root of their kind.
    expect(await read(friend, below)).toMatchObject({
      title: 'Below',
      folder_id: '2',
      created_by: String(friend.userId),
    });
  });
});

describe('appointments that move between folders', () => {
  const ids = async (player: TestUser, folder: string): Promise<string[]> =>
    (await player.get('calendar', 'all', { folder, start: 0, end: 4e12, columns: '1' })).data?.flat() ?? [];

  it('are seen by those who see the folder they are in, and are deletions for all others', async () => {
    const [owner, viewer] = [await someone(), await someone()];
    const [closed, common] = [
      await made(owner),
      await made(owner, { permissions: permissionsFor(owner, [viewer, VIEWER]) }),
    ];
    const open = await made(owner, { permissions: permissionsFor(owner, [viewer, VIEWER]) }, 2);
    const id = await created(owner, { ...times, folder_id: closed });
    const move = async (from: string, to: string) => {
      const body = { folder_id: to, ignore_conflicts: true };
      const answer = await owner.put('calendar', 'update', { id, folder: from, timestamp: 9e12 }, body);
      expect(answer.error).toBeUndefined();
    };
    const since = async () =>
      (await viewer.get('calendar', 'updates', { folder: common, timestamp: 0, columns: '1' })).timestamp!;
    expect((await viewer.get('calendar', 'get', { id, folder: closed })).code).toBe('FLD-0003');
    const first = await since();
    await move(closed, common);
    expect(await ids(viewer, common)).toEqual([id]);
    expect((await viewer.get('calendar', 'updates', { folder: common, timestamp: first, columns: '1' })).data).toEqual([
      [id],
    ]);
    const second = await since();
    await move(common, open);
    expect(await ids(viewer, common)).toEqual([]);
    expect(await ids(viewer, open)).toEqual([id]);
    expect(
      (await viewer.get('calendar', 'updates', { folder: common, timestamp: second, columns: '1' })).data,
    ).toMatchObject([{ id, folder: common }]);
    await move(open, closed);
    expect(await ids(viewer, open)).toEqual([]);
    expect(await ids(owner, closed)).toEqual([id]);
  });

  it('are gone for all with the folder they moved into, and stay when the one they left goes', async () => {
    const owner = await someone();
    const [first, second] = [await made(owner), await made(owner)];
    const id = await created(owner, { ...times, folder_id: first });
    const body = { folder_id: second, ignore_conflicts: true };
    await owner.put('calendar', 'update', { id, folder: first, timestamp: 9e12 }, body);
    expect((await owner.put('folders', 'delete', {}, [first])).data).toEqual([]);
    expect(await ids(owner, second)).toEqual([id]);
    expect((await owner.put('folders', 'delete', {}, [second])).data).toEqual([]);
    expect((await owner.get('calendar', 'get', { id, folder: second })).error).toBeTruthy();
  });
});
