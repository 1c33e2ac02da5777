import reference from '../../libs/contracts/reference/columns.json';
import { fieldsOf, FolderData } from '@groupware/contracts';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { AUTHOR, freshName, made, make, permissionsFor, update, VIEWER } from './folders';

/** Columns that the original's client sends (client-behaviour.md, "Folders"), with one of a later version. */
const OF_CLIENTS = [51, 52, 3010, 3020, 3030, 3031, 3050, 3201, 3203, 3204, 3205, 3220, 3301, 9999];
/** Columns that are the same everywhere while no module knows more: publications, errors of accounts, mail, CalDAV, a trash. */
const ALWAYS_THE_SAME = new Set([310, 311, 312, 313, 320, 3010, 3020, 3031, 3204, 3220, 3301, 9999]);

let world: TestEnvironment;
let cast: Fixtures;
let player: TestUser;
let other: TestUser;
const columns = [
  ...new Set([
    ...reference.folders.map(({ id }) => id),
    ...fieldsOf(FolderData).flatMap(({ column }) => column ?? []),
    ...OF_CLIENTS,
  ]),
].sort((left, right) => left - right);
/** Rows of folders of every kind, by what they are. */
const rows = new Map<string, unknown[]>();
const valueOf = (kind: string, column: number): any => rows.get(kind)![columns.indexOf(column)];

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
  player = await createTestUser(world, cast.admin, cast.contextId, 'p');
  other = await createTestUser(world, cast.admin, cast.contextId, 'o');
  const upper = await made(player, {
    title: 'Upper',
    permissions: permissionsFor(player, [other, VIEWER]),
    meta: { of: 'a client' },
    'com.openexchange.calendar.extendedProperties': { color: { value: '#ff0000' } },
  });
  const lower = await made(player, {}, upper);
  await update(player, lower, { subscribed: false, used_for_sync: { value: 'false' } });
  const open = await made(player, {}, 2);
  const shared = await made(other, { permissions: permissionsFor(other, [player, AUTHOR]) });
  const one = async (kind: string, id: string) => {
    const answer = await player.get('folders', 'path', { id, columns: columns.join() });
    rows.set(kind, answer.data?.[0] ?? []);
  };
  for (const [kind, id] of Object.entries({ private: '1', public: '2', shares: '3', sharing: `u:${other.userId}` }))
    await one(kind, id);
  for (const [kind, id] of Object.entries({ default: player.folder, upper, lower, open, shared })) await one(kind, id);
  await one('event', `cal://0/${upper}`);
}, 120_000);
afterAll(() => world?.close());

describe('columns of folders', () => {
  it.each(['1', '2', '3', '0'])('none is refused in a list of %s', async (parent) => {
    const answer = await player.get('folders', 'list', { parent, all: 1, columns: columns.join() });
    expect(answer.error).toBeUndefined();
    for (const row of answer.data) expect(row).toHaveLength(columns.length);
  });

  it('each has a value in folders of every kind', () => {
    expect([...rows.values()].map(({ length }) => length)).toEqual(Array(10).fill(columns.length));
  });

  it.each(columns.filter((column) => !ALWAYS_THE_SAME.has(column)))('%i is not the same everywhere', (column) => {
    const values = new Set([...rows.keys()].map((kind) => JSON.stringify(valueOf(kind, column))));
    expect(values.size).toBeGreaterThan(1);
  });

  it.each([...ALWAYS_THE_SAME])('%i tells nothing where nothing is known', (column) => {
    for (const kind of rows.keys()) expect([null, false]).toContain(valueOf(kind, column));
  });

  it('tell the truth', () => {
    expect(valueOf('upper', 51)).toEqual({ entity: player.userId, type: 'user', display_name: expect.any(String) });
    expect(valueOf('shared', 52)).toMatchObject({ entity: other.userId });
    expect(valueOf('private', 51)).toBeNull();
    expect(valueOf('upper', 23)).toEqual({ of: 'a client' });
    expect([valueOf('upper', 304), valueOf('upper', 315)]).toEqual([true, false]);
    expect([valueOf('lower', 304), valueOf('lower', 314)]).toEqual([false, false]);
    expect(['upper', 'lower', 'open', 'shared'].map((kind) => valueOf(kind, 3050))).toEqual([true, true, false, true]);
    expect(valueOf('default', 321)).toEqual({ value: 'true', protected: true });
    expect(valueOf('lower', 321)).toEqual({ value: 'false', protected: false });
    expect(valueOf('event', 301)).toBe('event');
    expect(valueOf('event', 3201)).toMatchObject({ color: { value: '#ff0000' }, scheduleTransp: { value: 'OPAQUE' } });
    expect(valueOf('event', 3203)).toBe('chronos');
    expect(valueOf('private', 3203)).toBeNull();
    expect([valueOf('default', 309), valueOf('private', 309)]).toEqual([0, null]);
    expect([valueOf('private', 319), valueOf('upper', 319)]).toEqual(['private', 'Upper']);
    expect([valueOf('upper', 318), valueOf('public', 318)]).toEqual(['cal://0', null]);
  });

  it('PU-15, PU-16 are written: colours and data of clients are merged, what is protected stays without an error', async () => {
    const id = (await make(player, { title: freshName(), module: 'event', meta: { a: 1 } }, 1)).data;
    const properties = 'com.openexchange.calendar.extendedProperties';
    const get = async (who: TestUser, folder: string) => (await who.get('folders', 'get', { id: folder })).data;
    await update(player, id, { meta: { b: 2 }, [properties]: { color: { value: '#00ff00' } } });
    expect(await get(player, id)).toMatchObject({
      meta: { a: 1, b: 2 },
      [properties]: { color: { value: '#00ff00' } },
    });
    const transp = (value: unknown) => update(player, id, { [properties]: { scheduleTransp: value } });
    expect((await transp('TRANSPARENT')).code).toBeUndefined();
    for (const bad of ['NIX', { value: 'opaque' }, { value: 7 }, []]) expect((await transp(bad)).code).toBe('FLD-0058');
    expect((await update(player, id, { [properties]: { color: { value: 7 } } })).code).toBe('FLD-0058');
    const shown = { scheduleTransp: { value: 'TRANSPARENT', protected: false } };
    const color = { value: '#00ff00', protected: false };
    expect((await get(player, id))[properties]).toMatchObject({ ...shown, color });
    await update(player, id, { [properties]: { color: { value: null }, scheduleTransp: null } });
    const bare = { color: { protected: false }, scheduleTransp: { value: 'OPAQUE', protected: false } };
    expect((await get(player, id))[properties]).toMatchObject(bare);
    expect((await get(player, id))[properties].color).toEqual({ protected: false });
    const standard = `cal://0/${player.folder}`;
    const changed = await update(player, standard, {
      [properties]: { color: { value: '#0000ff' }, usedForSync: { value: 'false' } },
    });
    expect(changed.data).toBe(standard);
    expect(await get(player, standard)).toMatchObject({
      [properties]: { color: { value: '#0000ff' }, usedForSync: { value: 'true', protected: true } },
    });
  });

  it('a colour that somebody gives a calendar of others is his own', async () => {
    const properties = 'com.openexchange.calendar.extendedProperties';
    const id = await made(player, { permissions: permissionsFor(player, [other, VIEWER]) });
    expect((await update(other, id, { [properties]: { color: { value: '#abcdef' } } })).data).toBe(id);
    const colourOf = async (who: TestUser) => (await who.get('folders', 'get', { id })).data[properties].color.value;
    expect([await colourOf(other), await colourOf(player)]).toEqual(['#abcdef', undefined]);
    expect((await update(other, id, { meta: { a: 1 } })).code).toBe('FLD-0010');
    expect((await update(player, id, { used_for_sync: 'perhaps' })).code).toBe('FLD-0058');
  });
});
