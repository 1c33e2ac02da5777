import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let contextId: number;
let admin: AdminClient;
/** May edit groups and resources. */
let editor: Client;
let reader: Client;
let contextAdmin: Client;
let stranger: Client;
let serial = 0;
const FAR = Number.MAX_SAFE_INTEGER;

async function opened(login: string): Promise<Client> {
  const client = new Client(world.publicUrl);
  expect(await client.login(login, PASSWORD)).toHaveProperty('session');
  return client;
}

async function newUser(capabilities?: string[]): Promise<Client> {
  const name = `u${++serial}`;
  const body = {
    name,
    password: PASSWORD,
    givenName: 'Gi',
    surname: 'Ven',
    displayName: `User ${serial}`,
    primaryEmail: `${name}@c${contextId}.example`,
    ...(capabilities ? { capabilities: { add: capabilities } } : {}),
  };
  await admin.expect('POST', `/admin/v1/contexts/${contextId}/users`, body);
  return opened(`${name}@${contextId}`);
}

beforeAll(async () => {
  world = await startTestEnvironment({ modules: ['identity', 'gateway'] });
  const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  const other = await createContext(master, 'other');
  contextId = await createContext(master, 'directory');
  admin = new AdminClient(world.internalUrl, 'admin', PASSWORD);
  editor = await newUser(['edit_group', 'edit_resource']);
  reader = await newUser();
  contextAdmin = await opened(`admin@${contextId}`);
  stranger = await opened(`admin@${other}`);
}, 120_000);
afterAll(() => world?.close());

describe('system', () => {
  it('answers anybody, tells its time, and a session whose it is', async () => {
    const nobody = new Client(world.publicUrl);
    expect(await nobody.get('system', 'ping')).toEqual({ data: true });
    const before = Date.now();
    const { data: time } = await nobody.get('system', 'time');
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
    expect((await nobody.get('system', 'whoami')).code).toBe('SES-0201');
    expect((await nobody.get('system', 'reload')).code).toBe('SVL-0021');
    expect(await reader.get('system', 'whoami')).toEqual({
      data: {
        session: reader.session,
        user: expect.stringContaining('u'),
        user_id: String(reader.userId),
        context_id: String(contextId),
        locale: 'en_US',
      },
    });
  });
});

describe('groups', () => {
  const create = async (name: string, members: number[] = []) =>
    (await editor.put('group', 'new', {}, { name, display_name: `Group ${name}`, members })).data.id as number;

  it('are created, read, listed, found, changed and deleted', async () => {
    const id = await create('g1', [editor.userId]);
    const read = await reader.get('group', 'get', { id });
    expect(read.data).toEqual({
      id,
      name: 'g1',
      display_name: 'Group g1',
      members: [editor.userId],
      last_modified_utc: expect.any(Number),
    });
    expect(read.timestamp).toBe(read.data.last_modified_utc);
    expect((await reader.put('group', 'list', {}, [{ id }, { id: 0 }])).data.map((each: any) => each.id)).toEqual([
      id,
      0,
    ]);
    expect((await reader.put('group', 'search', {}, { pattern: 'group g' })).data).toEqual([read.data]);
    expect((await reader.put('group', 'search', {}, { pattern: '*' })).data.length).toBeGreaterThan(2);
    const all = await reader.call('PUT', 'group', 'all', { columns: '1,700' });
    expect(all.data.map((each: any) => each.id)).toEqual(expect.arrayContaining([0, 1, id]));
    const timestamp = read.timestamp;
    expect(await editor.put('group', 'update', { id, timestamp }, { members: [reader.userId] })).not.toHaveProperty(
      'error',
    );
    expect((await reader.get('group', 'get', { id })).data.members).toEqual([reader.userId]);
    expect((await reader.get('user', 'get')).data.groups).toContain(id);
    expect(await editor.put('group', 'update', { id, timestamp }, { name: 'late' })).toMatchObject({
      code: 'GRP-0010',
    });
    const kept = await editor.put('group', 'delete', { timestamp }, [{ id }]);
    expect(kept.data).toEqual([expect.objectContaining({ id })]);
    expect((await editor.put('group', 'delete', { timestamp: FAR }, { id })).data).toEqual([]);
    const unknown = { code: 'GRP-0017' };
    expect(await reader.get('group', 'get', { id })).toMatchObject(unknown);
    expect(await reader.put('group', 'list', {}, [{ id }])).toMatchObject(unknown);
    expect(await editor.put('group', 'update', { id, timestamp: FAR }, { name: 'x' })).toMatchObject(unknown);
    expect(await editor.put('group', 'delete', { timestamp: FAR }, [{ id }])).toMatchObject(unknown);
    expect((await reader.get('user', 'get')).data.groups).not.toContain(id);
  });

  it('tell what changed since a stamp', async () => {
    const [old, gone] = [await create('old'), await create('gone')];
    const { timestamp } = await reader.get('group', 'get', { id: gone });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const fresh = await create('fresh');
    await editor.put('group', 'update', { id: old, timestamp: FAR }, { display_name: 'Changed' });
    await editor.put('group', 'delete', { timestamp: FAR }, [{ id: gone }]);
    const { data, timestamp: newest } = await reader.get('group', 'updates', { timestamp });
    expect(data.new.map((each: any) => each.id)).toEqual([fresh]);
    expect(data.modified).toEqual([expect.objectContaining({ id: old, display_name: 'Changed' })]);
    expect(data.deleted).toEqual([{ id: gone }]);
    const again = await reader.get('group', 'updates', { timestamp: newest! });
    expect(again.data).toEqual({ new: [], modified: [], deleted: [] });
  });

  it('tell which ones changed with users who come and go', async () => {
    const id = await create('team');
    const stampOf = async () => (await reader.get('group', 'get', { id: 0 })).timestamp!;
    const modified = async (timestamp: number) =>
      (await reader.get('group', 'updates', { timestamp })).data.modified.map((each: any) => [each.id, each.members]);
    const person = await newUser();
    await editor.put('group', 'update', { id, timestamp: FAR }, { members: [person.userId] });
    const joined = await stampOf();
    await admin.expect('DELETE', `/admin/v1/contexts/${contextId}/users/${person.userId}`);
    const changed = new Map<number, number[]>(await modified(joined));
    expect([...changed.keys()].sort()).toEqual([0, 1, id]);
    for (const members of changed.values()) expect(members).not.toContain(person.userId);
    const next = await newUser();
    const added = new Map<number, number[]>(await modified(joined));
    for (const group of [0, 1]) expect(added.get(group)).toContain(next.userId);
  });

  it('are changed by those who may only', async () => {
    const id = await create('closed');
    expect(await reader.put('group', 'new', {}, { name: 'x' })).toMatchObject({ code: 'GRP-0009' });
    expect(await reader.put('group', 'update', { id, timestamp: FAR }, { name: 'x' })).toMatchObject({
      code: 'GRP-0011',
    });
    expect(await reader.put('group', 'delete', { timestamp: FAR }, [{ id }])).toMatchObject({ code: 'GRP-0012' });
    expect(await editor.put('group', 'update', { id: 0, timestamp: FAR }, { name: 'x' })).toMatchObject({
      code: 'GRP-0014',
    });
    expect(await editor.put('group', 'delete', { timestamp: FAR }, [{ id: 1 }])).toMatchObject({ code: 'GRP-0013' });
  });

  it('refuse bad data', async () => {
    await create('taken');
    expect(await editor.put('group', 'new', {}, {})).toMatchObject({ code: 'GRP-0004' });
    expect(await editor.put('group', 'new', {}, { name: 'a/b' })).toMatchObject({ code: 'GRP-0005' });
    expect(await editor.put('group', 'new', {}, { name: 'TAKEN' })).toMatchObject({ code: 'GRP-0006' });
    expect(await editor.put('group', 'new', {}, { name: 'm', members: [99_999] })).toMatchObject({ code: 'GRP-0007' });
  });

  it('of another tenant look like missing ones', async () => {
    const id = await create('private');
    const [foreign, missing] = [
      await stranger.get('group', 'get', { id }),
      await stranger.get('group', 'get', { id: id + 77_777 }),
    ];
    expect([foreign.code, missing.code]).toEqual(['GRP-0017', 'GRP-0017']);
    expect((await stranger.put('group', 'search', {}, { pattern: 'private' })).data).toEqual([]);
  });
});

describe('resources', () => {
  const create = async (name: string) => {
    const body = { name, display_name: `Res ${name}`, mailaddress: `${name}@c${contextId}.example`, description: 'd' };
    return (await editor.put('resource', 'new', {}, body)).data.id as number;
  };

  it('are created, read, listed, found, changed and deleted', async () => {
    const id = await create('beamer');
    const read = await reader.get('resource', 'get', { id });
    expect(read.data).toEqual({
      id,
      name: 'beamer',
      display_name: 'Res beamer',
      mailaddress: `beamer@c${contextId}.example`,
      availability: true,
      description: 'd',
      last_modified: String(read.timestamp),
      last_modified_utc: String(read.timestamp),
    });
    expect((await reader.get('resource', 'all')).data).toContain(id);
    expect((await reader.put('resource', 'list', {}, [{ id }])).data).toEqual([read.data]);
    expect((await reader.put('resource', 'search', {}, { pattern: 'res b*r' })).data).toEqual([read.data]);
    const { timestamp } = read;
    const change = { availability: false, description: null };
    expect(await editor.put('resource', 'update', { id, timestamp }, change)).not.toHaveProperty('error');
    const after = (await reader.get('resource', 'get', { id })).data;
    expect(after).toMatchObject({ availability: false });
    expect(after).not.toHaveProperty('description');
    expect(await editor.put('resource', 'update', { id, timestamp }, change)).toMatchObject({ code: 'RES-0013' });
    expect((await editor.put('resource', 'delete', { timestamp }, [{ id }])).data).toHaveLength(1);
    expect((await editor.put('resource', 'delete', { timestamp: FAR }, [{ id }])).data).toEqual([]);
    const unknown = { code: 'RES-0005' };
    expect(await reader.get('resource', 'get', { id })).toMatchObject(unknown);
    expect(await editor.put('resource', 'update', { id, timestamp: FAR }, change)).toMatchObject(unknown);
    expect(await editor.put('resource', 'delete', { timestamp: FAR }, [{ id }])).toMatchObject(unknown);
    const { data } = await reader.get('resource', 'updates', { timestamp });
    expect(data.deleted).toContainEqual({ id });
  });

  it('refuse bad data and those who may not', async () => {
    const id = await create('one');
    const body = { name: 'two', mailaddress: `two@c${contextId}.example` };
    const send = async (client: Client, parts: object) =>
      (await client.put('resource', 'new', {}, { ...body, ...parts })).code;
    expect(await send(reader, {})).toBe('RES-0009');
    expect(await send(editor, { name: null })).toBe('RES-0008');
    expect(await send(editor, { mailaddress: null })).toBe('RES-0008');
    expect(await send(editor, { name: 'ONE' })).toBe('RES-0006');
    expect(await send(editor, { mailaddress: `one@c${contextId}.example` })).toBe('RES-0010');
    expect(await send(editor, { name: 'a/b' })).toBe('RES-0011');
    expect(await send(editor, { mailaddress: 'nobody' })).toBe('RES-0012');
    expect(await reader.put('resource', 'delete', { timestamp: FAR }, [{ id }])).toMatchObject({ code: 'RES-0009' });
    expect(await stranger.get('resource', 'get', { id })).toMatchObject({ code: 'RES-0005' });
  });
});

describe('users', () => {
  it('change their own data, and nobody the data of others but the administrator', async () => {
    const user = await newUser();
    const id = String(user.userId);
    const { data, timestamp } = await user.get('user', 'get');
    expect(timestamp).toBe(data.last_modified_utc);
    const change = {
      first_name: 'New',
      telephone_home1: '+49 1',
      note: 'n',
      locale: 'de_DE',
      timezone: 'Europe/Berlin',
    };
    expect(await user.put('user', 'update', { id, timestamp: timestamp! }, change)).not.toHaveProperty('error');
    expect((await user.get('user', 'get')).data).toMatchObject({
      ...change,
      email1: data.email1,
      display_name: data.display_name,
    });
    expect(await user.put('user', 'update', { id, timestamp: 1 }, { note: 'x' })).toMatchObject({ code: 'SVL-0017' });
    expect(await reader.put('user', 'update', { id, timestamp: FAR }, { note: 'x' })).toMatchObject({
      code: 'SVL-0016',
    });
    expect(await contextAdmin.put('user', 'update', { id, timestamp: FAR }, { note: null })).not.toHaveProperty(
      'error',
    );
    expect((await user.get('user', 'get')).data).not.toHaveProperty('note');
    expect(await stranger.put('user', 'update', { id: id + '9', timestamp: FAR }, { note: 'x' })).toMatchObject({
      code: 'USR-0010',
    });
  });

  it('refuse locales and zones that are none', async () => {
    const id = reader.userId;
    expect(await reader.put('user', 'update', { id, timestamp: FAR }, { locale: 'nonsense locale' })).toMatchObject({
      code: 'USR-0023',
    });
    expect(await reader.put('user', 'update', { id, timestamp: FAR }, { timezone: 'Mars/Olympus' })).toMatchObject({
      code: 'USR-0024',
    });
  });

  it('keep free attributes', async () => {
    const id = String(reader.userId);
    const get = async (client = reader) => client.get('user', 'getAttribute', { id, name: 'colour' });
    const set = async (value: string | null, setIfAbsent?: boolean) =>
      (await reader.put('user', 'setAttribute', { id, setIfAbsent }, { name: 'colour', value })).data;
    expect((await get()).data).toEqual({ name: 'colour' });
    expect(await set('red', true)).toBe(true);
    expect(await set('blue', true)).toBe(false);
    expect((await get()).data).toEqual({ name: 'colour', value: 'red' });
    expect(await set('blue')).toBe(true);
    expect((await get(contextAdmin)).data.value).toBe('blue');
    expect(await get(editor)).toMatchObject({ code: 'USR-0010' });
    expect(await set(null)).toBe(true);
    expect(await set(null)).toBe(false);
  });
});
