import { fieldsOf, PersonData } from '@groupware/contracts';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const FAR = Number.MAX_SAFE_INTEGER;
/** Fields of a person that belong to the account. */
const OF_THE_ACCOUNT = new Set(['display_name', 'first_name', 'last_name', 'email1']);

let world: TestEnvironment;
let contextId: number;
let admin: AdminClient;
let ann: Client;
let bob: Client;
/** Does not have the global address book. */
let blind: Client;

async function newUser(name: string, parts: object = {}): Promise<Client> {
  const path = `/admin/v1/contexts/${contextId}/users`;
  const body = {
    name,
    password: PASSWORD,
    givenName: 'Gi',
    surname: name,
    primaryEmail: `${name}@c${contextId}.example`,
  };
  await admin.expect('POST', path, { ...body, displayName: `User ${name}`, ...parts });
  const client = new Client(world.publicUrl);
  expect(await client.login(`${name}@${contextId}`, PASSWORD)).toHaveProperty('session');
  return client;
}

beforeAll(async () => {
  world = await startTestEnvironment({ modules: ['identity', 'gateway'] });
  const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  contextId = await createContext(master, 'fields');
  admin = new AdminClient(world.internalUrl, 'admin', PASSWORD);
  ann = await newUser('ann');
  bob = await newUser('bob', { department: 'Secret service' });
  blind = await newUser('blind', { capabilities: { remove: ['gab'] } });
}, 120_000);
afterAll(() => world?.close());

const change = (client: Client, body: object) =>
  client.put('user', 'update', { id: client.userId, timestamp: FAR }, body);

describe('fields of users', () => {
  it('are kept, every one of a person, and go when they are null', async () => {
    const fields = fieldsOf(PersonData).filter(({ wireName }) => !OF_THE_ACCOUNT.has(wireName));
    const values = Object.fromEntries(
      fields.map(({ wireName, type }, index) => [wireName, type === 'date' ? index * 86_400_000 : `value ${index}`]),
    );
    for (const name of [
      'yomiFirstName',
      'yomiLastName',
      'yomiCompany',
      'addressHome',
      'addressBusiness',
      'addressOther',
    ])
      expect(values).toHaveProperty(name);
    expect(await change(ann, values)).not.toHaveProperty('error');
    expect((await bob.get('user', 'get', { id: ann.userId })).data).toMatchObject(values);
    expect(await change(ann, Object.fromEntries(Object.keys(values).map((name) => [name, null])))).not.toHaveProperty(
      'error',
    );
    const after = (await ann.get('user', 'get')).data;
    for (const name of Object.keys(values)) expect(after).not.toHaveProperty(name);
  });

  it.each([
    ['another primary address', { email1: 'other@c.example' }, 'CON-0173', 3],
    ['no display name', { display_name: null }, 'CON-0166', 1],
    ['an empty display name', { display_name: '' }, 'CON-0166', 1],
    ['the display name of somebody else', { display_name: 'user BOB' }, 'CON-0167', 4],
    ['no last name', { last_name: '' }, 'CON-0175', 1],
    ['a value that is too long', { nickname: 'x'.repeat(1025) }, 'CON-0154', 1],
    ['a control character', { company: 'a\u0001b' }, 'CON-0168', 1],
    ['no locale', { locale: '' }, 'USR-0023', 1],
    ['no time zone', { timezone: null }, 'USR-0024', 1],
  ])('are refused with %s', async (_what, body, code, category) => {
    const before = (await ann.get('user', 'get')).data;
    expect(await change(ann, { note: 'lost', ...body })).toMatchObject({ code, category });
    expect((await ann.get('user', 'get')).data).toEqual(before);
  });

  it('may come back as they were read', async () => {
    const { data } = await ann.get('user', 'get');
    expect(await change(ann, { ...data, email1: data.email1.toUpperCase() })).not.toHaveProperty('error');
    const { last_modified: _time, last_modified_utc: _utc, ...same } = data;
    expect((await ann.get('user', 'get')).data).toMatchObject(same);
  });

  it('tell which value is too long', async () => {
    const answer = await change(ann, { nickname: 'x'.repeat(1025) });
    expect(answer.error_params).toEqual(['nickname', '1024', '1025']);
    expect(answer.problematic).toEqual([{ id: 515, length: 1025, max_size: 1024 }]);
  });
});

describe('without the global address book', () => {
  const ids = async (body: object, query: object = {}) =>
    (await blind.put('user', 'search', { columns: '1', ...query }, body)).data.map(([id]: [string]) => Number(id));

  it('what is not seen of others cannot be searched for either', async () => {
    expect(await ids({ last_name: 'bob' })).toEqual([bob.userId]);
    expect(await ids({ email1: 'bob@*' })).toEqual([]);
    expect(await ids({ email1: '*', email2: '*', orSearch: true })).toContain(blind.userId);
    expect(await ids({ email1: 'blind@*' })).toEqual([blind.userId]);
    const found = await ann.put('user', 'search', { columns: '1' }, { email1: 'bob@*' });
    expect(found.data).toEqual([[String(bob.userId)]]);
  });

  it('nor does an order tell it', async () => {
    const order = (sort: string) => ids({}, { sort, order: 'desc' });
    expect(await order('502')).not.toEqual(await order('1'));
    const unordered = (await order('519')).filter((id: number) => id !== blind.userId);
    expect(unordered).toEqual([...unordered].sort((a, b) => a - b));
  });
});
