import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let admin: AdminClient;
let service: AdminClient;
let contextId: number;
let serial = 0;

beforeAll(async () => {
  world = await startTestEnvironment({ modules: ['identity', 'gateway'] });
  const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  service = new AdminClient(world.internalUrl, world.service.login, world.service.password);
  contextId = await createContext(master, 'passwords');
  admin = new AdminClient(world.internalUrl, 'admin', PASSWORD);
}, 120_000);
afterAll(() => world?.close());

interface Person {
  id: number;
  login: string;
  path: string;
}

async function newUser(): Promise<Person> {
  const name = `u${++serial}`;
  const body = {
    name,
    password: PASSWORD,
    surname: 'P',
    displayName: name,
    primaryEmail: `${name}@c${contextId}.example`,
  };
  const { id } = await admin.expect('POST', `/admin/v1/contexts/${contextId}/users`, body);
  await admin.expect('PATCH', `/admin/v1/contexts/${contextId}/users/${id}`, {
    capabilities: { add: ['edit_password'] },
  });
  return { id, login: `${name}@${contextId}`, path: `/admin/v1/contexts/${contextId}/users/${id}` };
}

async function opened({ login }: Person, client = 'web', password = PASSWORD): Promise<Client> {
  const each = new Client(world.publicUrl, `Agent of ${client}`);
  expect(await each.login(login, password, { client })).toHaveProperty('session');
  return each;
}

const change = (client: Client, old_password?: string, new_password?: string) =>
  client.put('passwordchange', 'update', {}, { old_password, new_password });
const historyOf = async (user: Person, query = '') =>
  (await admin.request('GET', `${user.path}/passwd-changes${query}`)).body;

describe('passwordchange', () => {
  it('changes the password, keeps this session and ends the others', async () => {
    const user = await newUser();
    const [client, other] = [await opened(user), await opened(user, 'phone')];
    const answer = await change(client, PASSWORD, 'another password');
    expect(answer).not.toHaveProperty('error');
    expect(answer.data ?? null).toBeNull();
    expect(await client.get('user', 'get')).toHaveProperty('data');
    expect(await other.get('user', 'get')).toMatchObject({ code: 'SES-0203' });
    expect(await new Client(world.publicUrl).login(user.login, PASSWORD)).toMatchObject({ code: 'LGI-0006' });
    await opened(user, 'web', 'another password');
  });

  it('takes one of several changes at once: the others name a password that is the former one by then', async () => {
    const user = await newUser();
    const client = await opened(user);
    const passwords = ['the first of them', 'the second of them', 'the third of them'];
    const answers = await Promise.all(passwords.map((each) => change(client, PASSWORD, each)));
    expect(answers.map(({ code }) => code).sort()).toEqual(['USR-0027', 'USR-0027', undefined]);
    const taken = passwords[answers.findIndex(({ code }) => code === undefined)]!;
    await opened(user, 'phone', taken);
    expect(await historyOf(user)).toHaveLength(1);
  });

  it('takes one of several renewals at once', async () => {
    const user = await newUser();
    await admin.expect('PUT', `${user.path}/password`, { password: PASSWORD, mustChange: true });
    const passwords = ['the first of them', 'the second of them', 'the third of them'];
    const renew = (new_password: string) =>
      new Client(world.publicUrl).put(
        'passwordchange',
        'renew',
        {},
        {
          name: user.login,
          old_password: PASSWORD,
          new_password,
        },
      );
    const answers = await Promise.all(passwords.map(renew));
    expect(answers.map(({ code }) => code).sort()).toEqual(['LGI-0006', 'LGI-0006', undefined]);
    await opened(user, 'web', passwords[answers.findIndex(({ code }) => code === undefined)]);
  });

  it.each([
    [undefined, 'another password', 'USR-0028'],
    [PASSWORD, undefined, 'USR-0029'],
    ['wrong', 'another password', 'USR-0027'],
    [PASSWORD, 'short', 'USR-0020'],
    [PASSWORD, 'x'.repeat(1025), 'USR-0021'],
    [PASSWORD, 'bell\u0007 rings twice', 'USR-0015'],
  ])('with %j and %j is refused: %3$s', async (old, fresh, code) => {
    const user = await newUser();
    const client = await opened(user);
    const answer = await change(client, old, fresh);
    expect(answer).toMatchObject({ code });
    expect(JSON.stringify(answer)).not.toContain(PASSWORD);
    await opened(user);
    expect(await historyOf(user)).toEqual([]);
  });

  it('needs the capability', async () => {
    const user = await newUser();
    await admin.expect('PATCH', user.path, { capabilities: { remove: ['edit_password'] } });
    expect(await change(await opened(user), PASSWORD, 'another password')).toMatchObject({ code: 'SVL-0016' });
  });

  it('limits guessing of the current password', async () => {
    const client = await opened(await newUser());
    for (let attempt = 0; attempt < 20; attempt++) await change(client, 'wrong', 'another password');
    expect(await change(client, PASSWORD, 'another password')).toMatchObject({ code: 'LGI-0028' });
  });

  it('limits guessing of one that has expired', async () => {
    const { login, path } = await newUser();
    await admin.expect('PUT', `${path}/password`, { password: PASSWORD, mustChange: true });
    const renew = async (old_password: string) => {
      const body = { name: login, old_password, new_password: 'another password' };
      return (await new Client(world.publicUrl).put('passwordchange', 'renew', {}, body)).code;
    };
    for (let attempt = 0; attempt < 20; attempt++) expect(await renew('wrong')).toBe('LGI-0006');
    expect(await renew(PASSWORD)).toBe('LGI-0028');
  });

  it('keeps to the form of passwords that the context wants, and says what it is', async () => {
    const user = await newUser();
    const properties = `/admin/v1/contexts/${contextId}/config/com.example.passwordchange`;
    const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
    await master.expect('PUT', `${properties}.regexp`, { value: '.*[0-9].*' });
    await master.expect('PUT', `${properties}.special`, { value: 'a digit' });
    try {
      const client = await opened(user);
      const refused = { code: 'USR-0026', error_params: ['a digit'] };
      expect(await change(client, PASSWORD, 'without any number')).toMatchObject(refused);
      expect(await change(client, PASSWORD, 'with the number 7')).not.toHaveProperty('error');
    } finally {
      for (const name of ['regexp', 'special']) await master.request('DELETE', `${properties}.${name}`);
    }
  });

  it('ends application passwords, or where so configured only the own password that they kept', async () => {
    const user = await newUser();
    const property = `${user.path}/config/com.example.passwordchange.endAppPasswords`;
    await admin.expect('PUT', property, { value: 'false' });
    const client = await opened(user);
    const form = new URLSearchParams({ appScope: 'mail', appName: 'x' });
    const made = await client.fetch(
      'POST',
      '/appPasswords',
      { action: 'add', session: client.session },
      { body: form },
    );
    const { login, password } = ((await made.json()) as any).data;
    await change(client, PASSWORD, 'another password');
    const phone = new Client(world.publicUrl);
    expect(await phone.login(login, password)).toHaveProperty('session');
    await admin.expect('PUT', property, { value: 'true' });
    await change(client, 'another password', 'a third password');
    expect(await phone.get('user', 'get')).toMatchObject({ code: 'SES-0203' });
    expect(await phone.login(login, password)).toMatchObject({ code: 'LGI-0006' });
  });
});

describe('history of passwords (conformance scenarios)', () => {
  it('RX-04 answers as many entries as wanted, 0 all', async () => {
    const user = await newUser();
    const client = await opened(user);
    let password = PASSWORD;
    for (let time = 0; time < 5; time++) {
      await change(client, password, `password number ${time}`);
      password = `password number ${time}`;
    }
    expect(await historyOf(user, '?limit=1')).toHaveLength(1);
    expect(await historyOf(user, '?limit=0')).toHaveLength(5);
    expect(await historyOf(user, '?limit=-1')).toHaveLength(5);
    for (let time = 5; time < 12; time++) {
      await change(client, password, `password number ${time}`);
      password = `password number ${time}`;
    }
    expect(await historyOf(user)).toHaveLength(10);
  });

  it('RX-05 sorts by date and client', async () => {
    const user = await newUser();
    await change(await opened(user, 'b'), PASSWORD, 'password two');
    await change(await opened(user, 'a', 'password two'), 'password two', 'password three');
    await change(await opened(user, 'b', 'password three'), 'password three', 'password four');
    const dates = (await historyOf(user, '?sort=-date')).map((entry: any) => entry.date);
    expect(dates).toEqual([...dates].sort((x, y) => y - x));
    const sorted = await historyOf(user, '?sort=client_id,-date');
    expect(sorted.map((entry: any) => entry.client_id)).toEqual(['a', 'b', 'b']);
    expect(sorted[1].date).toBeGreaterThan(sorted[2].date);
    expect((await admin.request('GET', `${user.path}/passwd-changes?sort=name`)).status).toBe(400);
  });

  it('RX-06 tells when, by which client and from where', async () => {
    const user = await newUser();
    await change(await opened(user, 'web'), PASSWORD, 'password two');
    const [entry] = await historyOf(user);
    expect(entry).toEqual({
      date: expect.any(Number),
      client_id: 'web',
      client_address: expect.stringMatching(/127|::1/),
    });
    expect(Math.abs(Date.now() - entry.date)).toBeLessThan(10_000);
    await admin.expect('PUT', `${user.path}/password`, { password: 'password three' });
    expect((await historyOf(user))[0]).toMatchObject({
      client_id: 'provisioning-api',
      client_name: 'Provisioning API',
    });
  });

  it('is a 404 for unknown users and where it is switched off', async () => {
    const user = await newUser();
    const status = async (path: string) => (await admin.request('GET', `${path}/passwd-changes`)).status;
    expect(await status(`/admin/v1/contexts/${contextId}/users/99999`)).toBe(404);
    await admin.expect('PUT', `${user.path}/config/com.example.passwordchange.history.enabled`, { value: 'false' });
    expect(await status(user.path)).toBe(404);
  });
});

describe('login statistics', () => {
  const stats = '/admin/v1/login-statistics';

  it('tell the last login with each client', async () => {
    const user = await newUser();
    const before = Date.now();
    await opened(user, 'a');
    await opened(user, 'b');
    const path = `${stats}/contexts/${contextId}/users/${user.id}/last-logins`;
    const { timestamps } = (await service.request('GET', path)).body;
    expect(timestamps.map((each: any) => each.client)).toEqual(['a', 'b']);
    for (const { timestamp } of timestamps) expect(timestamp).toBeGreaterThanOrEqual(before - 1);
    expect((await service.request('GET', `${path}?client=b`)).body.timestamps).toHaveLength(1);
    expect((await service.request('GET', `${path}?client=none`)).body).toEqual({ timestamps: [] });
    expect((await service.request('GET', `${stats}/contexts/${contextId}/users/99999/last-logins`)).status).toBe(404);
    for (const ids of [`${contextId}/users/x`, '0/users/1', `${contextId}/users/2147483648`])
      expect((await service.request('GET', `${stats}/contexts/${ids}/last-logins`)).status).toBe(400);
  });

  it('count last logins within a span, each client or each user once', async () => {
    const start = Date.now() - 1;
    const [one, two] = [await newUser(), await newUser()];
    await opened(one, 'count-a');
    await opened(one, 'count-b');
    await opened(one, 'count-b');
    await opened(two, 'count-b');
    const ask = async (query: string) => service.request('GET', `${stats}/counts?${query}`);
    const span = `startDate=${start}&endDate=${Date.now() + 1000}`;
    expect((await ask(span)).body).toEqual({
      sum: 3,
      clients: [
        { client: 'count-a', count: 1 },
        { client: 'count-b', count: 2 },
      ],
    });
    expect((await ask(`${span}&aggregate=true`)).body).toEqual({ sum: 2, clients: [] });
    for (const bad of ['', `startDate=${start}`, 'startDate=5&endDate=5', 'startDate=x&endDate=5'])
      expect((await ask(bad)).status).toBe(400);
  });
});
