import { ALL_GUESTS } from '@groupware/contracts';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client, type Envelope } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const FAR = Number.MAX_SAFE_INTEGER;

let world: TestEnvironment;
let contextId: number;
/** May edit groups and resources. */
let editor: Client;

beforeAll(async () => {
  world = await startTestEnvironment({ modules: ['identity', 'gateway'] });
  const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  contextId = await createContext(master, 'groups');
  const body = { name: 'editor', password: PASSWORD, surname: 'E', primaryEmail: `editor@c${contextId}.example` };
  const capabilities = { add: ['edit_group', 'edit_resource'] };
  await new AdminClient(world.internalUrl, 'admin', PASSWORD).expect('POST', `/admin/v1/contexts/${contextId}/users`, {
    ...body,
    capabilities,
  });
  editor = new Client(world.publicUrl);
  await editor.login(`editor@${contextId}`, PASSWORD);
}, 120_000);
afterAll(() => world?.close());

const create = async (module: string, body: object): Promise<number> =>
  (await editor.put(module, 'new', {}, body)).data.id;
const update = (module: string, id: number, body: object): Promise<Envelope> =>
  editor.put(module, 'update', { id, timestamp: FAR }, body);
const read = async (module: string, id: number) => (await editor.get(module, 'get', { id })).data;

describe('changes of groups', () => {
  it.each([
    ['an empty name', { name: '' }, 'GRP-0004'],
    ['no name', { name: null }, 'GRP-0004'],
    ['an empty display name', { display_name: '' }, 'GRP-0004'],
    ['a bad name', { name: 'a/b' }, 'GRP-0005'],
    ['the name of another group', { name: 'OTHER' }, 'GRP-0006'],
    ['an unknown member', { members: [987_654] }, 'GRP-0007'],
  ])('are refused with %s', async (what, body, code) => {
    await editor.put('group', 'new', {}, { name: 'other' });
    const id = await create('group', { name: `group ${what}`, display_name: what });
    const before = await read('group', id);
    expect(await update('group', id, body)).toMatchObject({ code });
    expect(await read('group', id)).toEqual(before);
  });

  it('a new group has a display name, by default its name', async () => {
    expect(await editor.put('group', 'new', {}, { name: 'x', display_name: '' })).toMatchObject({ code: 'GRP-0004' });
    const id = await create('group', { name: 'plain' });
    expect(await read('group', id)).toMatchObject({ name: 'plain', display_name: 'plain', members: [] });
  });
});

describe('the group of all guests', () => {
  const guests = { id: ALL_GUESTS, display_name: 'Guests', members: [] };

  it('is there for those who find it in permission lists', async () => {
    expect(await read('group', ALL_GUESTS)).toMatchObject(guests);
    expect((await editor.put('group', 'list', {}, [{ id: 1 }, { id: ALL_GUESTS }])).data[1]).toMatchObject(guests);
    const all = async (columns: string) =>
      (await editor.put('group', 'all', { columns }, undefined)).data.find(
        ({ id }: { id: number }) => id === ALL_GUESTS,
      );
    expect(await all('1,700,701,702')).toMatchObject(guests);
    expect(await all('1')).toEqual({ id: ALL_GUESTS });
    expect(await all('members,nosuch')).toEqual({ id: ALL_GUESTS, members: [] });
    expect(Object.keys(await all('6,name')).sort()).toEqual(['id', 'last_modified_utc', 'name']);
    const found = async (pattern: string) =>
      (await editor.put('group', 'search', {}, { pattern })).data.map(({ id }: { id: number }) => id);
    for (const pattern of ['*', 'gue', 'G?ests', '*st']) expect(await found(pattern)).toContain(ALL_GUESTS);
    for (const pattern of ['uests', 'guests and more', '(', '*'.repeat(1000) + 'x'])
      expect(await found(pattern)).not.toContain(ALL_GUESTS);
  });

  it('is nobody to change or to delete', async () => {
    expect(await update('group', ALL_GUESTS, { name: 'mine' })).toMatchObject({ code: 'GRP-0014' });
    const removal = await editor.put('group', 'delete', { timestamp: FAR }, [{ id: ALL_GUESTS }]);
    expect(removal).toMatchObject({ code: 'GRP-0013' });
  });
});

describe('changes of resources', () => {
  const resource = (name: string) => ({ name, display_name: name, mailaddress: `${name}@c${contextId}.example` });

  it.each([
    ['an empty name', { name: '' }, 'RES-0008'],
    ['no address', { mailaddress: null }, 'RES-0008'],
    ['an empty display name', { display_name: '' }, 'RES-0008'],
    ['a bad name', { name: 'a/b' }, 'RES-0011'],
    ['no mail address', { mailaddress: 'nobody' }, 'RES-0012'],
    ['the name of another one', { name: 'TAKEN' }, 'RES-0006'],
    ['the address of another one', { mailaddress: 'TAKEN' }, 'RES-0010'],
  ])('are refused with %s', async (what, change, code) => {
    await editor.put('resource', 'new', {}, resource('taken'));
    const id = await create('resource', resource(`r-${what.replaceAll(' ', '-')}`));
    const before = await read('resource', id);
    const body =
      'mailaddress' in change && change.mailaddress === 'TAKEN'
        ? { mailaddress: resource('taken').mailaddress }
        : change;
    expect(await update('resource', id, body)).toMatchObject({ code });
    expect(await read('resource', id)).toEqual(before);
  });

  it('a new resource has a display name, by default its name', async () => {
    expect(await editor.put('resource', 'new', {}, { ...resource('y'), display_name: '' })).toMatchObject({
      code: 'RES-0008',
    });
    const id = await create('resource', { ...resource('bare'), display_name: undefined, availability: false });
    expect(await read('resource', id)).toMatchObject({ display_name: 'bare', availability: false });
  });
});
