import { operations, opensToApp, PASSWORD_SCOPE, type Operation } from '@groupware/contracts';
import { generate } from 'otplib';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { callOperation, nameOf, sampleQuery } from '../samples';
import { keepOutOfLogs } from '../secrets';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

/** Checks of the edge come before any message, so the modules need not run. */
const withSession = operations
  .filter(({ kind, auth, module }) => kind === 'action' && auth === 'session' && module !== 'multiple')
  .map((operation): [string, Operation] => [nameOf(operation), operation]);
/** Kinds of applications, with what the operator's default makes of them. */
const APPS: Readonly<Record<string, string>> = {
  calendar: 'read_calendar write_calendar read_folders read_reminder write_reminder',
  mail: 'read_mail write_mail read_mailaccount read_contacts write_contacts read_folders write_userconfig',
  drive: 'read_files write_files read_drive write_drive read_folders write_folders',
  eas: 'eas',
};
const closed = withSession.filter(([, operation]) => !operation.beforeSecondFactor);

let world: TestEnvironment;
let pending: Client;
const apps = new Map<string, Client>();

beforeAll(async () => {
  world = await startTestEnvironment({
    modules: ['identity', 'gateway'],
    variables: { GATEWAY_LOGINS_PER_MINUTE: '1000', GROUPWARE_LOG_LEVEL: 'trace' },
  });
  const admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  const login = `admin@${await createContext(admin, 'restricted')}`;
  const first = new Client(world.publicUrl);
  await first.login(login, PASSWORD);
  await new Client(world.publicUrl).login(login, 'a wrong password');
  const passwords = new Map<string, string>();
  for (const appScope of Object.keys(APPS)) {
    const form = new URLSearchParams({ appScope, appName: 'Phone' });
    const made = await first.fetch('POST', '/appPasswords', { action: 'add', session: first.session }, { body: form });
    const { password } = ((await made.json()) as any).data;
    keepOutOfLogs(password);
    passwords.set(appScope, password);
  }
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
  for (const [kind, password] of passwords) {
    const app = new Client(world.publicUrl, 'Phone');
    const answer = await app.login(login, password, { rampup: 'true' });
    expect(answer).toHaveProperty('session');
    // Data that it may not ask for are not told at the login.
    expect(answer).not.toHaveProperty('rampup');
    apps.set(kind, app);
  }
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

describe('a session of an application password', () => {
  it.each(Object.entries(APPS))('for %s gets where its scopes are declared, and nowhere else', async (kind, scopes) => {
    const app = apps.get(kind)!;
    const differences: string[] = [];
    let opened = 0;
    for (const [name, operation] of withSession) {
      const isOpen = (await codeOf(app, operation)) !== 'ASP-0001';
      if (isOpen) opened++;
      if (isOpen !== opensToApp(operation, [...scopes.split(' '), PASSWORD_SCOPE]))
        differences.push(`${name} is ${isOpen ? 'open' : 'closed'}`);
    }
    expect(differences).toEqual([]);
    expect(opened).toBeGreaterThan(3);
    expect(opened).toBeLessThan(withSession.length / 2);
  });

  it('gets no further in a batch', async () => {
    const parts = withSession
      .filter(([, { reply, body }]) => reply.kind !== 'file' && reply.kind !== 'stream' && body?.kind !== 'upload')
      // Jobs are asked for one by one: no batch takes them, from any client.
      .filter(([, { appScopes, module }]) => appScopes === undefined && module !== 'jobs');
    expect(parts.length).toBeGreaterThan(30);
    const calls = parts.map(([, operation]) => ({
      ...sampleQuery(operation),
      module: operation.module,
      action: operation.action ?? undefined,
      ...(operation.body ? { data: {} } : {}),
    }));
    const app = apps.get('calendar')!;
    const answers = (await app.call('PUT', 'multiple', undefined as never, {}, calls)) as { code?: string }[];
    const passed = answers.flatMap(({ code }, index) => (code === 'ASP-0001' ? [] : [`${parts[index]![0]} ${code}`]));
    expect(passed).toEqual([]);
  });
});
