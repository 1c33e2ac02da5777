import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { created } from '../calendar/calendar';
import { SENT_TWICE, startTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  ALL,
  AUTHOR,
  below,
  freshName,
  get,
  made,
  make,
  read,
  remove,
  permissionsFor,
  SUBFOLDERS,
  update,
  VIEWER,
  warned,
} from './folders';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `f${(count += 1)}`);
const times = { start_date: 1588582800000, end_date: 1588586400000 };

beforeAll(async () => {
  world = await startTestEnvironment({ variables: SENT_TWICE });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

describe('folders: reading', () => {
  it('root lists private, public and shared folders; the flat tree only the private ones', async () => {
    const { data } = await cast.U1.get('folders', 'root', { columns: '1,20,300,301,302,305' });
    expect(data).toEqual([
      ['1', '0', 'Private folders', 'system', 5, 4],
      ['2', '0', 'Public folders', 'system', 5, 4],
      ['3', '0', 'Shared folders', 'system', 5, 1],
      ['9', '0', 'Files', 'infostore', 5, 1],
    ]);
    const flat = await cast.U1.get('folders', 'root', { columns: '1', tree: '1' });
    expect(flat.data).toEqual([['1']]);
    const german = await cast.U1.get('folders', 'root', { columns: '300', language: 'de_DE' });
    expect(german.data[0]).toEqual(['Private Ordner']);
  });

  it('names the folders at the top of files in the language of the request, and in none', async () => {
    const columnsOf = async (action: string, query: Record<string, string>) =>
      (await cast.U1.get('folders', action, { columns: '300,319', ...query })).data;
    expect(await columnsOf('root', { language: 'de_DE' })).toContainEqual(['Dateien', 'infostore']);
    for (const [language, title] of [
      ['de_DE', 'Öffentliche Dateien'],
      ['en_US', 'Public files'],
    ] as const) {
      expect(await columnsOf('list', { parent: '9', language })).toContainEqual([title, 'public_infostore']);
      expect((await get(cast.U1, '15', { language })).data).toMatchObject({ title, folder_name: 'public_infostore' });
    }
  });

  it('list gives rows in the order of the columns, the default folder first, and a timestamp', async () => {
    const player = await someone();
    const [b, a] = [await made(player, { title: 'b' }), await made(player, { title: 'a' })];
    const { data, timestamp } = await player.get('folders', 'list', {
      ...{ parent: 1, allowed_modules: 'calendar' },
      columns: '300,1,302,305,308,316,2',
    });
    expect(data).toEqual([
      ['Calendar', player.folder, 1, ALL, true, 2, String(player.userId)],
      ['a', a, 1, ALL, false, 0, String(player.userId)],
      ['b', b, 1, ALL, false, 0, String(player.userId)],
    ]);
    expect(timestamp).toBe((await read(player, a)).last_modified_utc);
  });

  it('new takes flags and numbers in every form that clients of all ages send', async () => {
    const { U1, U2 } = cast;
    const permissions = [
      { entity: String(U1.userId), bits: String(ALL), group: 'false' },
      { entity: U2.userId, bits: VIEWER, group: 0 },
    ];
    const { data, ...rest } = await U1.put(
      'folders',
      'new',
      { folder_id: 1 },
      { module: 'calendar', title: freshName(), subscribed: 1, permissions },
    );
    expect(rest).not.toHaveProperty('error');
    expect(await read(U1, data)).toMatchObject({
      subscribed: true,
      permissions: expect.arrayContaining([
        expect.objectContaining({ entity: U1.userId, bits: ALL, group: false }),
        expect.objectContaining({ entity: U2.userId, bits: VIEWER, group: false }),
      ]),
    });
    expect(
      (await U1.put('folders', 'new', { folder_id: 1 }, { module: 'calendar', title: 'x', subscribed: 2 })).code,
    ).toBe('SVL-0031');
  });

  it('list leaves out what is not subscribed unless all of them are asked for', async () => {
    const player = await someone();
    const id = await made(player, { subscribed: false });
    const calendars = { allowed_modules: 'calendar' };
    expect(await below(player, '1', calendars)).toEqual([player.folder]);
    expect(await below(player, '1', { ...calendars, all: 1 })).toEqual([player.folder, id]);
    expect((await read(player, id)).subscribed).toBe(false);
    await update(player, id, { subscribed: true });
    expect(await below(player, '1')).toContain(id);
  });

  it('list gives folders of the allowed modules only, by name or number', async () => {
    const player = await someone();
    const child = await made(player, {}, player.folder);
    expect(await below(player, '1', { allowed_modules: 'infostore,mail' })).toEqual([]);
    expect(await below(player, '1', { allowed_modules: '2' })).toEqual([player.folder]);
    expect(await below(player, player.folder, { allowed_modules: 'calendar' })).toEqual([child]);
    expect(await below(player, '0', { allowed_modules: 'contacts' })).toEqual(['1', '2', '3']);
  });

  it('changes nothing in modules that the client leaves out', async () => {
    const player = await someone();
    const id = await made(player, {});
    const leavesOut = { allowed_modules: 'contacts,tasks' };
    const outside = { id, ...leavesOut };
    expect(
      (await player.put('folders', 'new', { folder_id: 1, ...leavesOut }, { module: 'calendar', title: 'x' })).code,
    ).toBe('FLD-0014');
    expect((await player.put('folders', 'update', outside, { title: 'y' })).code).toBe('FLD-0008');
    expect((await player.put('folders', 'clear', leavesOut, [id])).data).toEqual([id]);
    expect((await player.put('folders', 'delete', leavesOut, [id])).data).toEqual([id]);
    expect((await player.put('folders', 'delete', { allowed_modules: 'calendar,tasks' }, [id])).data).toEqual([]);
  });

  it('names the folders at the top in a shorter way when asked to', async () => {
    const short = await cast.U1.get('folders', 'root', { columns: '300', altNames: true });
    expect(short.data).toEqual([['Private'], ['Public'], ['Shared'], ['Files']]);
  });

  it('get gives all fields, times in the asked zone', async () => {
    const player = await someone();
    const id = await made(player, {
      title: 'Team',
      permissions: permissionsFor(player, [cast.U2, VIEWER], { entity: cast.team, group: true, bits: AUTHOR }),
      'com.openexchange.calendar.extendedProperties': { color: { value: '#ff0000' } },
    });
    const { data, timestamp } = await get(player, id, { timezone: 'Europe/Berlin' });
    expect(data).toMatchObject({
      id,
      folder_id: '1',
      title: 'Team',
      folder_name: 'Team',
      module: 'calendar',
      type: 1,
      created_by: String(player.userId),
      modified_by: String(player.userId),
      own_rights: ALL,
      subfolders: false,
      standard_folder: false,
      standard_folder_type: 0,
      subscribed: true,
      subscr_subflds: false,
      supported_capabilities: ['permissions'],
      permissions: [
        { entity: cast.U2.userId, group: false, bits: VIEWER, type: 'user' },
        { entity: player.userId, group: false, bits: ALL, type: 'user' },
        { entity: cast.team, group: true, bits: AUTHOR, type: 'group' },
      ],
      'com.openexchange.calendar.extendedProperties': { color: { value: '#ff0000' } },
    });
    expect(data['com.openexchange.share.extendedPermissions'][2]).toMatchObject({ display_name: 'Team' });
    expect(timestamp).toBe(data.last_modified_utc);
    expect(data.creation_date - data.last_modified_utc).toBeGreaterThan(3_500_000);
    expect(data.last_modified).toBe(data.last_modified_utc);
  });

  it('path goes from the folder up to the top, in both trees', async () => {
    const player = await someone();
    const upper = await made(player);
    const lower = await made(player, {}, upper);
    const ids = async (query: object) =>
      (await player.get('folders', 'path', { id: lower, columns: '1', ...query })).data.flat();
    expect(await ids({})).toEqual([lower, upper, '1']);
    expect(await ids({ tree: 1 })).toEqual([lower, upper, '1']);
  });

  it('shows shared folders below their owner, in the flat tree directly', async () => {
    const [owner, viewer] = [await someone(), await someone()];
    const id = await made(owner, { permissions: permissionsFor(owner, [viewer, VIEWER]) });
    const child = await made(owner, { permissions: permissionsFor(owner, [viewer, AUTHOR]) }, id);
    const parents = await viewer.get('folders', 'list', { parent: 3, columns: '1,300,302' });
    expect(parents.data).toEqual([[`u:${owner.userId}`, expect.stringContaining('f'), 5]]);
    expect(await below(viewer, `u:${owner.userId}`)).toEqual([id]);
    expect(await below(viewer, id)).toEqual([child]);
    const data = await read(viewer, child);
    expect(data).toMatchObject({ type: 3, own_rights: AUTHOR, created_by: String(owner.userId) });
    expect(data['com.openexchange.folderstorage.displayName']).toBe(
      `${owner.loginName.split('@')[0]} of ${cast.contextId}`,
    );
    expect(await below(viewer, '1', { tree: 1, allowed_modules: 'calendar' })).toEqual([viewer.folder]);
    expect(await below(viewer, '3', { tree: 1 })).toEqual([id]);
    const path = await viewer.get('folders', 'path', { id: child, columns: '1' });
    expect(path.data.flat()).toEqual([child, id, `u:${owner.userId}`, '3']);
  });

  it('allVisible sorts the folders of a module by kind and leaves out empty kinds', async () => {
    const [player, other] = [await someone(), await someone()];
    const open = await made(player, {}, 2);
    const seen = await made(other, { permissions: permissionsFor(other, [player, VIEWER]) });
    const { data } = await player.get('folders', 'allVisible', { content_type: 'calendar', columns: '1' });
    expect(data.private).toEqual([[player.folder]]);
    expect(data.public).toContainEqual([open]);
    expect(data.shared).toEqual([[seen]]);
    expect((await player.get('folders', 'allVisible', { content_type: 'mail', columns: '1' })).data).toEqual({});
    await update(player, open, { subscribed: false });
    const rows = async (all: object) =>
      (await player.get('folders', 'allVisible', { content_type: 2, columns: '1', ...all })).data.public ?? [];
    expect(await rows({})).not.toContainEqual([open]);
    expect(await rows({ all: 1 })).toContainEqual([open]);
  });

  it('shares lists the folders that the user shares, private and public ones', async () => {
    const player = await someone();
    await made(player);
    const mine = await made(player, { title: 'a', permissions: permissionsFor(player, [cast.U2, VIEWER]) });
    const open = await made(player, { title: 'b', permissions: permissionsFor(player, [cast.U2, VIEWER]) }, 2);
    const { data } = await player.get('folders', 'shares', { content_type: 'calendar', columns: '1,300' });
    expect(data).toEqual([
      [mine, 'a'],
      [open, 'b'],
    ]);
    expect((await cast.U2.get('folders', 'shares', { content_type: 'calendar', columns: '1' })).data).toEqual([]);
    expect((await player.get('folders', 'shares', { content_type: 'file', columns: '1' })).data).toEqual([]);
  });

  it('answers nothing for numbers of columns that do not exist, unless the operator wants them rejected', async () => {
    const player = await someone();
    const list = { parent: 1, columns: '1,9999,300', allowed_modules: 'calendar' };
    expect((await player.get('folders', 'list', list)).data).toEqual([[player.folder, null, 'Calendar']]);
    const path = `/admin/v1/contexts/${cast.contextId}/users/${player.userId}/config/com.example.folder.unknownColumns`;
    await cast.admin.expect('PUT', path, { value: 'reject' });
    expect((await player.get('folders', 'list', list)).code).toBe('FLD-0059');
  });

  it('PF-08 refuses names of columns that do not exist, and no columns', async () => {
    const list = (columns: string) => cast.U1.get('folders', 'list', { parent: 1, columns });
    expect((await list('1,abc')).code).toBe('FLD-0059');
    expect((await list('')).code).toBe('SVL-0002');
  });

  it('PF-09 names calendars by their account where the client does', async () => {
    const { U1 } = cast;
    const event = `cal://0/${U1.folder}`;
    const list = async (allowed_modules: string) =>
      (await U1.get('folders', 'list', { parent: 1, columns: '1,20,301', allowed_modules })).data[0];
    expect(await list('calendar')).toEqual([U1.folder, '1', 'calendar']);
    expect(await list('event')).toEqual([event, '1', 'event']);
    const visible = await U1.get('folders', 'allVisible', { content_type: 'event', tree: 1, columns: '1,301' });
    expect(visible.data.private).toContainEqual([event, 'event']);
    expect((await get(U1, event)).data).toMatchObject({ id: event, module: 'event', standard_folder: true });
    const child = await make(U1, { module: 'event' }, event);
    expect(child.data).toMatch(/^cal:\/\/0\/\d+$/);
    const path = await U1.get('folders', 'path', { id: child.data, columns: '1' });
    expect(path.data.flat()).toEqual([child.data, event, '1']);
    expect((await update(U1, child.data, { title: freshName() })).data).toBe(child.data);
    expect(await below(U1, event)).toEqual([child.data]);
    expect((await remove(U1, [child.data, 'cal://0/99986'])).data).toEqual(['cal://0/99986']);
    for (const id of [`cal://7/${U1.folder}`, `con://0/${U1.folder}`])
      expect((await get(U1, id)).code).toBe('FLD-0008');
  });

  it('allVisible is known by PUT too', async () => {
    const query = { content_type: 'calendar', columns: '1,300' };
    const { data } = await cast.U1.get('folders', 'allVisible', query);
    expect(data.private).toContainEqual([cast.U1.folder, 'Calendar']);
    expect((await cast.U1.put('folders', 'allVisible', query, {})).data).toEqual(data);
    expect((await cast.U1.call('PUT', 'folders', 'allVisible', query)).data).toEqual(data);
  });

  it('takes names for sets of columns', async () => {
    const all = await cast.U1.get('folders', 'list', { parent: 1, columns: 'all' });
    expect(all.data[0].length).toBeGreaterThan(25);
    const few = await cast.U1.get('folders', 'list', { parent: 1, columns: 'list' });
    expect(few.data[0].slice(0, 2)).toEqual([cast.U1.folder, '1']);
  });
});

describe('folders: writing', () => {
  it('new takes the folder as body or inside of it, and numbers names when asked to', async () => {
    const player = await someone();
    const title = freshName();
    const first = await make(player, { title });
    expect(first).toMatchObject({ data: expect.any(String), timestamp: expect.any(Number) });
    const inside = await player.put(
      'folders',
      'new',
      { folder_id: 1 },
      { folder: { title: freshName(), module: '2' } },
    );
    expect(await read(player, inside.data)).toMatchObject({ module: 'calendar', folder_id: '1' });
    const [second, third] = [
      await make(player, { title: title.toUpperCase() }, 1, { autorename: true }),
      await make(player, { title }, 1, { autorename: true }),
    ];
    expect((await read(player, second.data)).title).toBe(`${title.toUpperCase()} (1)`);
    expect((await read(player, third.data)).title).toBe(`${title} (2)`);
  });

  it('new below a folder has the type of its place, whatever the client says', async () => {
    const player = await someone();
    const typeOf = async (type: number, parent: number) =>
      (await read(player, await made(player, { type }, parent))).type;
    expect([await typeOf(2, 1), await typeOf(3, 1), await typeOf(1, 2), await typeOf(5, 2)]).toEqual([1, 1, 2, 2]);
  });

  it('new takes the number of a module, too', async () => {
    const player = await someone();
    expect((await read(player, await made(player, { module: 2 }))).module).toBe('calendar');
  });

  it('says how long a name may be, and that an unknown entity is for the user to correct', async () => {
    expect(await make(cast.U1, { title: 'x'.repeat(300) })).toMatchObject({
      code: 'FLD-0064',
      truncated: [300],
      problematic: [{ id: 300, length: 300, max_size: 255 }],
    });
    expect(
      await make(cast.U1, { permissions: permissionsFor(cast.U1, { entity: 424242, bits: VIEWER }) }),
    ).toMatchObject({
      code: 'FLD-0044',
      category: 1,
      error: expect.stringContaining('424242'),
    });
  });

  it('new below a folder takes its module and its permissions', async () => {
    const player = await someone();
    const upper = await made(player, { permissions: permissionsFor(player, [cast.U2, VIEWER]) });
    const lower = await player.put('folders', 'new', { folder_id: upper }, { title: freshName() });
    expect(await read(cast.U2, lower.data)).toMatchObject({ own_rights: VIEWER, type: 3, module: 'calendar' });
    expect(await read(player, upper)).toMatchObject({ subfolders: true, subscr_subflds: true });
  });

  it('a folder made below a shared one belongs to the owner of that one', async () => {
    const [owner, guest] = [await someone(), await someone()];
    const upper = await made(owner, { permissions: permissionsFor(owner, [guest, SUBFOLDERS]) });
    const lower = await made(guest, {}, upper);
    expect(await read(owner, lower)).toMatchObject({
      type: 1,
      created_by: String(owner.userId),
      modified_by: String(guest.userId),
      own_rights: ALL,
    });
  });

  it('update renames, shares, colours and moves; the timestamp moves with it', async () => {
    const player = await someone();
    const [id, goal] = [await made(player), await made(player)];
    const before = await read(player, id);
    const renamed = await update(player, id, { title: 'renamed' }, { timestamp: before.last_modified_utc });
    expect(renamed).toMatchObject({ data: id });
    expect(renamed.timestamp).toBeGreaterThan(before.last_modified_utc);
    await update(player, id, { folder: { permissions: permissionsFor(player, [cast.U2, VIEWER]) } });
    expect((await read(cast.U2, id)).own_rights).toBe(VIEWER);
    const properties = 'com.openexchange.calendar.extendedProperties';
    await update(player, id, { [properties]: { description: { value: 'd' } } });
    await update(player, id, { folder_id: goal });
    expect(await read(player, id)).toMatchObject({
      title: 'renamed',
      folder_id: goal,
      [properties]: { description: { value: 'd' } },
    });
    expect(await below(player, goal)).toEqual([id]);
    // The place in which a client sees the folder is no move.
    expect((await update(player, id, { folder_id: goal, title: 'again' })).data).toBe(id);
  });

  it('update with autorename numbers a name that is taken', async () => {
    const player = await someone();
    const [, second] = [await made(player, { title: 'same' }), await made(player)];
    await update(player, second, { title: 'same' }, { autorename: true });
    expect((await read(player, second)).title).toBe('same (1)');
  });

  it('update of a subscription concerns one user only and needs no administrator', async () => {
    const [owner, viewer] = [await someone(), await someone()];
    const id = await made(owner, { permissions: permissionsFor(owner, [viewer, VIEWER]) });
    const before = await read(owner, id);
    expect((await update(viewer, id, { subscribed: false })).data).toBe(id);
    expect((await read(viewer, id)).subscribed).toBe(false);
    expect(await read(owner, id)).toEqual(before);
  });

  it('update with cascadePermissions reaches what the user administrates, nothing else', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const upper = await made(ann, { permissions: permissionsFor(ann, [bob, SUBFOLDERS]) }, 2);
    const hers = await made(ann, {}, upper);
    const his = await made(bob, { permissions: permissionsFor(bob, [ann, VIEWER]) }, upper);
    await update(
      ann,
      upper,
      { permissions: permissionsFor(ann, [cast.U2, AUTHOR], [bob, VIEWER]) },
      { cascadePermissions: true },
    );
    expect((await read(cast.U2, hers)).own_rights).toBe(AUTHOR);
    expect((await read(bob, his)).own_rights).toBe(ALL);
    expect((await get(cast.U2, his)).code).toBe('FLD-0003');
  });

  it('delete removes folders with all below and their appointments; answers those that stay', async () => {
    const player = await someone();
    const upper = await made(player);
    const lower = await made(player, {}, upper);
    const other = await made(player);
    const appointment = await created(player, { ...times, folder_id: lower });
    const answer = await remove(player, [lower, upper, player.folder, '1', '99986', other]);
    expect(answer.data).toEqual([player.folder, '1', '99986']);
    expect(warned(answer).sort()).toEqual(['FLD-0008', 'FLD-0031', 'FLD-0090']);
    const ids = (answer.warnings as any[]).map(({ error_id }) => error_id);
    expect(new Set([answer.error_id, ...ids])).toEqual(new Set(ids));
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain('');
    for (const id of [upper, lower, other]) expect((await get(player, id)).code).toBe('FLD-0008');
    expect((await player.get('calendar', 'get', { id: appointment, folder: lower })).error).toBeTruthy();
  });

  it('delete leaves alone what was changed after the timestamp', async () => {
    const player = await someone();
    const [old, young] = [await made(player), await made(player)];
    const { last_modified_utc: timestamp } = await read(player, old);
    const answer = await remove(player, [old, young], { timestamp });
    expect(answer.data).toEqual([young]);
    expect(warned(answer)).toEqual(['FLD-0009']);
    expect((await get(player, old)).code).toBe('FLD-0008');
  });

  it('PD-02 delete with failOnError answers the error of the one that stays; the others are gone', async () => {
    const player = await someone();
    const id = await made(player);
    const answer = await remove(player, [id, player.folder], { failOnError: true });
    expect(answer).toMatchObject({ code: 'FLD-0031' });
    expect((await get(player, id)).code).toBe('FLD-0008');
  });

  it('delete tells what happened to each folder when asked to', async () => {
    const player = await someone();
    const [id, name] = [await made(player, { title: 'gone soon' }), 'Private folders'];
    const answer = await remove(player, [id, player.folder], { extendedResponse: true, hardDelete: true });
    const inPlace = { isSupported: true, trashed: false, isTrashed: false };
    expect(answer.data).toEqual([
      { id, path: `/${name}/gone soon`, hasFailed: false, ...inPlace },
      { id: player.folder, path: `/${name}/Calendar`, hasFailed: true, ...inPlace },
    ]);
  });

  it('clear deletes the appointments of a folder and leaves those below', async () => {
    const player = await someone();
    const upper = await made(player);
    const lower = await made(player, {}, upper);
    const gone = await created(player, { ...times, folder_id: upper });
    const kept = await created(player, { ...times, folder_id: lower });
    const answer = await player.put('folders', 'clear', {}, [upper, '2', 'abc']);
    expect(answer.data).toEqual(['2', 'abc']);
    expect(warned(answer).sort()).toEqual(['FLD-0032', 'FLD-1025']);
    expect((await player.get('calendar', 'get', { id: gone, folder: upper })).code).toBe('OX-0001');
    expect((await player.get('calendar', 'get', { id: kept, folder: lower })).data.id).toBe(kept);
    expect((await read(player, upper)).id).toBe(upper);
  });

  it('clear tells synchronizing clients about every appointment, also those others see', async () => {
    const [owner, guest] = [await someone(), await someone()];
    const id = await made(owner);
    const participants = [{ type: 1, id: guest.userId }];
    const appointment = await created(owner, { ...times, folder_id: id, participants });
    const since = (await guest.get('calendar', 'updates', { folder: guest.folder, timestamp: 0, columns: '1' }))
      .timestamp!;
    expect((await owner.put('folders', 'clear', {}, [id])).data).toEqual([]);
    const { data } = await guest.get('calendar', 'updates', { folder: guest.folder, timestamp: since, columns: '1' });
    expect(data).toEqual([expect.objectContaining({ id: appointment })]);
  });

  it('clearing his own calendar takes a guest out of the appointments of others, which stay', async () => {
    const [owner, guest] = [await someone(), await someone()];
    const appointment = await created(owner, { ...times, participants: [{ type: 1, id: guest.userId }] });
    expect((await guest.put('folders', 'clear', {}, [guest.folder])).data).toEqual([]);
    expect((await guest.get('calendar', 'get', { id: appointment, folder: guest.folder })).error).toBeTruthy();
    const { data } = await owner.get('calendar', 'get', { id: appointment, folder: owner.folder });
    expect(data.users.map((user: any) => user.id)).toEqual([owner.userId]);
  });

  it('notify tells those who have rights, and names the others', async () => {
    const player = await someone();
    const id = await made(player, { permissions: permissionsFor(player, [cast.U2, VIEWER]) });
    const body = {
      entities: [cast.U2.userId, String(cast.U3.userId)],
      notification: { transport: 'mail', message: 'Hi' },
    };
    const { data } = await player.put('folders', 'notify', { id }, body);
    expect(data.warnings).toMatchObject([{ code: 'FLD-0044', error_params: [String(cast.U3.userId)] }]);
  });

  it('new and update take the wish to tell those who got permissions', async () => {
    const player = await someone();
    const notification = { transport: 'mail', message: 'look' };
    const answer = await player.put(
      'folders',
      'new',
      { folder_id: 1 },
      {
        folder: { title: freshName(), module: 'calendar', permissions: permissionsFor(player, [cast.U2, VIEWER]) },
        notification,
      },
    );
    expect(answer.data).toEqual(expect.any(String));
    const permissions = permissionsFor(player, [cast.U2, VIEWER], [cast.U3, VIEWER]);
    expect((await update(player, answer.data, { folder: { permissions }, notification })).data).toBe(answer.data);
    const wrong = await update(player, answer.data, { folder: { permissions }, notification: { transport: 'pigeon' } });
    expect(wrong.code).toBe('FLD-0058');
  });

  it('PD-14 checklimits finds none in a calendar, and none without a folder', async () => {
    const check = (id: string) =>
      cast.U1.put('folders', 'checklimits', { id, type: 'filestorage' }, { files: [{ name: 'a.txt', size: 2 ** 40 }] });
    expect((await check(cast.U1.folder)).data).toEqual({ errors: [] });
    for (const unknown of ['99999', '20000']) expect((await check(unknown)).code).toBe('FILE_STORAGE-0029');
  });

  it('restore answers nothing for nothing, and says why a folder cannot be moved back', async () => {
    expect((await cast.U1.put('folders', 'restore', {}, [])).data).toEqual([]);
    expect(await cast.U1.put('folders', 'restore', {}, [cast.U1.folder])).toMatchObject({ code: 'FLD-1013' });
  });

  it('writes are possible in a multiple request', async () => {
    const player = await someone();
    const response = await player.fetch(
      'PUT',
      '/multiple',
      { session: player.session },
      {
        body: JSON.stringify([
          { module: 'folders', action: 'new', folder_id: '1', data: { title: 'm', module: 'calendar' } },
          { module: 'folders', action: 'list', parent: '1', columns: '300' },
        ]),
      },
    );
    const [first, second] = (await response.json()) as any[];
    expect(first.data).toEqual(expect.any(String));
    expect(second.data).toContainEqual(['m']);
  });
});
