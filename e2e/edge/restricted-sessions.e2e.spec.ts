import { appScopeOf, operations, type Operation } from '@groupware/contracts';
import { generate } from 'otplib';
import { createContext, PASSWORD } from '../cast';
import { AdminClient, Client } from '../client';
import { callOperation, nameOf, sampleQuery } from '../samples';
import { keepOutOfLogs } from '../secrets';
import { startWorld, type World } from '../world';

/** Checks of the edge come before any message, so the modules need not run. */
const withSession = operations
  .filter(({ kind, auth, module }) => kind === 'action' && auth === 'session' && module !== 'multiple')
  .map((operation): [string, Operation] => [nameOf(operation), operation]);
const scoped = withSession.filter(([, operation]) => appScopeOf(operation) !== undefined);
const closed = withSession.filter(([, operation]) => !operation.beforeSecondFactor);

let world: World;
let pending: Client;
let app: Client;

beforeAll(async () => {
  world = await startWorld({
    modules: ['identity', 'gateway'],
    variables: { GATEWAY_LOGINS_PER_MINUTE: '1000', GROUPWARE_LOG_LEVEL: 'trace' },
  });
  const admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  const login = `admin@${await createContext(admin, 'restricted')}`;
  const first = new Client(world.publicUrl);
  await first.login(login, PASSWORD);
  await new Client(world.publicUrl).login(login, 'a wrong password');
  const made = await first.fetch(
    'POST',
    '/appPasswords',
    { action: 'add', session: first.session },
    { body: new URLSearchParams({ appScope: 'eas', appName: 'Phone' }) },
  );
  const { password } = ((await made.json()) as any).data;
  keepOutOfLogs(password);
  const start = await first.put('multifactor/device', 'startRegistration', {}, { providerName: 'TOTP' });
  const { deviceId, challenge } = start.data;
  const code = await generate({ secret: challenge.sharedSecret });
  const query = { providerName: 'TOTP', deviceId };
  expect(await first.put('multifactor/device', 'finishRegistration', query, { secret_code: code })).toHaveProperty(
    'data',
  );
  await first.get('token', 'acquireToken');
  await first.put(
    'passwordchange',
    'update',
    {},
    { old_password: 'a wrong password', new_password: 'another password' },
  );
  app = new Client(world.publicUrl, 'Phone');
  expect(await app.login(login, password)).toHaveProperty('session');
  pending = new Client(world.publicUrl, 'Browser');
  expect(await pending.login(login, PASSWORD)).toMatchObject({ requires_multifactor: true });
}, 120_000);
afterAll(() => world?.close());

const codeOf = async (client: Client, operation: Operation): Promise<string> =>
  (await callOperation(client, operation, sampleQuery(operation))).body?.code;

describe('a session whose second factor is to come', () => {
  it.each(closed)('%s is closed', async (_name, operation) => {
    expect(await codeOf(pending, operation)).toBe('MFA-0001');
  });

  it('opens nothing but logins, second factors and whose it is', () => {
    const open = withSession.filter(([, { beforeSecondFactor }]) => beforeSecondFactor).map(([, { module }]) => module);
    expect([...new Set(open)].sort()).toEqual(['login', 'multifactor/device', 'multifactor/provider', 'system']);
  });
});

describe('a session of an application password without the scope', () => {
  it('has operations to check', () => {
    expect(scoped.length).toBeGreaterThan(20);
  });

  it.each(scoped)('%s is closed', async (_name, operation) => {
    expect(await codeOf(app, operation)).toBe('ASP-0001');
  });
});
