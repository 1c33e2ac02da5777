import { createContext, createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { AdminClient, Client } from '../client';
import { keepOutOfLogs } from '../secrets';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let admin: AdminClient;
let contextId: number;
let user: TestUser;
let serial = 0;

beforeAll(async () => {
  world = await startTestEnvironment();
  admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  contextId = await createContext(admin, 'apps');
}, 120_000);
afterAll(() => world?.close());
beforeEach(async () => {
  user = await createTestUser(world, admin, contextId, `u${++serial}`);
});

const send = async (client: Client, action: string, form: Record<string, string>) =>
  (await (
    await client.fetch(
      'POST',
      '/appPasswords',
      { action, session: client.session },
      { body: new URLSearchParams(form) },
    )
  ).json()) as any;
const add = async (appScope: string, appName = 'My phone') => (await send(user, 'add', { appScope, appName })).data;
const list = async () => (await user.get('appPasswords', 'list')).data;
async function opened(login: string, password: string, client = 'app'): Promise<Client> {
  const each = new Client(world.publicUrl, 'Phone/1.0');
  expect(await each.login(login, password, { client })).toHaveProperty('session');
  return each;
}

/** Calls of several modules; the answers' codes. */
async function probes(client: Client): Promise<Record<string, string>> {
  const calls = {
    calendar: () => client.get('calendar', 'all', { columns: '1', start: 0, end: 86_400_000 }),
    calendarWrite: () => client.put('calendar', 'delete', { timestamp: 1 }, []),
    folders: () => client.get('folders', 'root', { columns: '1' }),
    account: () => client.get('account', 'all', { columns: '1001' }),
    user: () => client.get('user', 'get'),
    me: () => client.get('user/me', undefined as never),
    appPasswords: () => client.get('appPasswords', 'list'),
    multifactor: () => client.get('multifactor/device', 'all'),
  };
  return Object.fromEntries(
    await Promise.all(
      Object.entries(calls).map(async ([name, call]) => [name, (await call()).code ?? 'open'] as const),
    ),
  );
}

describe('application passwords (conformance scenarios)', () => {
  it('AP-01 lists kinds of applications in their order', async () => {
    const { data } = await user.get('appPasswords', 'getApps');
    expect(data.length).toBeGreaterThan(1);
    expect(data[0]).toEqual({ name: 'mail', displayName: 'E-Mail', sort: 0 });
    expect(data.map((app: any) => app.sort)).toEqual(data.map((_app: any, index: number) => index));
  });

  it('AP-02 makes a password of 19 characters', async () => {
    const made = await add('calendar');
    expect(made).toEqual({ login: user.loginName, password: expect.stringMatching(/^.{19}$/), newLogin: false });
  });

  it('AP-03 a session opened with it does what its scope covers', async () => {
    const mail = await add('mail');
    const calendar = await add('calendar');
    const caldav = await add('caldav');
    const refused = { appPasswords: 'ASP-0001', multifactor: 'ASP-0001', user: 'open', me: 'open' };
    expect(await probes(await opened(mail.login, mail.password))).toEqual({
      ...refused,
      calendar: 'ASP-0001',
      calendarWrite: 'ASP-0001',
      folders: 'open',
      account: 'open',
    });
    expect(await probes(await opened(calendar.login, calendar.password))).toEqual({
      ...refused,
      calendar: 'open',
      calendarWrite: expect.not.stringMatching(/^ASP/),
      folders: 'open',
      account: 'ASP-0001',
    });
    const dav = await opened(caldav.login, caldav.password);
    expect(await probes(dav)).toMatchObject({
      ...{ calendar: 'ASP-0001', folders: 'ASP-0001', account: 'ASP-0001', user: 'ASP-0001' },
    });
    const refusal = await dav.get('calendar', 'all', { columns: '1', start: 0, end: 1 });
    expect(refusal).toMatchObject({ error_params: ['read_calendar'] });
  });

  it('a batch gets no further than single calls', async () => {
    const { login, password } = await add('contacts');
    const client = await opened(login, password);
    const answer = (await client.call('PUT', 'multiple', undefined as never, {}, [
      { module: 'calendar', action: 'all', columns: '1', start: 0, end: 1 },
      { module: 'user', action: 'get' },
    ])) as any;
    expect(answer[0]).toMatchObject({ code: 'ASP-0001' });
    expect(answer[1]).toHaveProperty('data');
  });

  it('reaches folders and attachments of its modules only', async () => {
    const start = Date.UTC(2035, 4, 7, 9);
    const body = { start_date: start, end_date: start + 3_600_000, title: 'T', folder_id: user.folder };
    const id = (await user.put('calendar', 'new', { ignore_conflicts: true }, body)).data.id;
    const object = { module: 1, attached: id, folder: user.folder, columns: '1' };
    const visible = { content_type: 'calendar', columns: '1,308' };
    const openedFor = async (kind: string) => {
      const { login, password } = await add(kind);
      return opened(login, password);
    };
    const attach = async (client: Client): Promise<string> => {
      const form = new FormData();
      form.set('json_0', JSON.stringify({ module: 1, attached: Number(id), folder: Number(user.folder) }));
      form.set('file_0', new Blob(['text']), 'a.txt');
      const parameters = { action: 'attach', session: client.session };
      return (await client.fetch('POST', '/attachment', parameters, { body: form })).text();
    };
    const [calendar, drive, tasks] = [await openedFor('calendar'), await openedFor('drive'), await openedFor('tasks')];

    expect((await calendar.get('attachment', 'all', object)).data).toEqual([]);
    expect(await attach(calendar)).not.toContain('ASP-0001');
    expect((await calendar.get('folders', 'allVisible', visible)).data.private).not.toEqual([]);
    for (const other of [drive, tasks]) {
      expect(await other.get('attachment', 'all', object)).toMatchObject({ code: 'ASP-0001' });
      expect(await attach(other)).toContain('ASP-0001');
      expect((await other.get('folders', 'allVisible', visible)).data).not.toMatchObject({
        private: expect.arrayContaining([expect.anything()]),
      });
      const get = { id: user.folder, columns: '1' };
      expect(await other.get('folders', 'get', get)).toMatchObject({
        code: 'ASP-0001',
        error_params: ['read_calendar'],
      });
    }
    // The drive may write folders, but not these.
    const times = { timestamp: 9_000_000_000_000 };
    const refusal = { code: 'ASP-0001', error_params: ['write_calendar'] };
    expect(await drive.put('folders', 'update', { id: user.folder, ...times }, { title: 'mine' })).toMatchObject(
      refusal,
    );
    expect(await drive.put('folders', 'new', { folder_id: '1' }, { title: 'n', module: 'calendar' })).toMatchObject(
      refusal,
    );
    await drive.put('folders', 'clear', times, [user.folder]);
    await drive.put('folders', 'delete', { ...times, hardDelete: true }, [user.folder]);
    expect(await user.get('calendar', 'get', { id, folder: user.folder })).toHaveProperty('data');
    expect((await user.get('attachment', 'all', object)).data).toHaveLength(1);
  });

  it('AP-04 lists what was made, never the password, and the last use', async () => {
    const { login, password } = await add('mail', 'My tablet');
    const [before] = await list();
    expect(before).toEqual({ UUID: expect.stringMatching(/^[0-9a-f-]{36}$/), Scope: 'mail', Name: 'My tablet' });
    await opened(login, password, 'mailapp');
    const [after] = await list();
    expect(after).toEqual({
      ...before,
      LastDevice: 'mailapp Phone/1.0',
      LastLogin: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      IP: expect.stringMatching(/127\.0\.0\.1|::1/),
    });
    expect(JSON.stringify(after)).not.toContain(password);
  });

  it('AP-05 a removed password opens nothing, and its sessions end', async () => {
    const one = await add('mail');
    const two = await add('calendar');
    const [a, b] = [await opened(one.login, one.password), await opened(two.login, two.password)];
    const uuid = (await list()).find((entry: any) => entry.Scope === 'mail').UUID;
    expect((await send(user, 'remove', { uuid })).data).toEqual({ result: 'OK' });
    expect(await list()).toHaveLength(1);
    expect((await a.get('user', 'get')).code).toBe('SES-0203');
    expect(await b.get('user', 'get')).toHaveProperty('data');
    expect(await user.get('user', 'get')).toHaveProperty('data');
    expect(await new Client(world.publicUrl).login(one.login, one.password)).toMatchObject({ code: 'LGI-0006' });
    expect(await send(user, 'remove', { uuid })).toMatchObject({ code: 'ASP-0005' });
  });

  it("nobody removes somebody else's password, and cannot tell it from a missing one", async () => {
    await add('mail');
    const [{ UUID }] = await list();
    const other = await createTestUser(world, admin, contextId, `u${++serial}`);
    const [foreign, missing] = [
      await send(other, 'remove', { uuid: UUID }),
      await send(other, 'remove', { uuid: '00000000-0000-4000-8000-000000000000' }),
    ];
    for (const answer of [foreign, missing]) expect(answer).toMatchObject({ code: 'ASP-0005', error_params: [] });
    expect(await list()).toHaveLength(1);
  });

  it('is good for its own user only', async () => {
    const { password } = await add('mail');
    const other = await createTestUser(world, admin, contextId, `u${++serial}`);
    expect(await new Client(world.publicUrl).login(other.loginName, password)).toMatchObject({ code: 'LGI-0006' });
  });

  it('is refused to the web client', async () => {
    const { login, password } = await add('mail');
    expect(await new Client(world.publicUrl).login(login, password, { client: 'svc-appsuite' })).toMatchObject({
      code: 'ASP-0012',
    });
    expect(await new Client(world.publicUrl).login(login, PASSWORD, { client: 'svc-appsuite' })).toHaveProperty(
      'session',
    );
  });

  it('cannot be traded for a session without limits', async () => {
    const { login, password } = await add('mail');
    const client = await opened(login, password);
    expect((await probes(client)).calendar).toBe('ASP-0001');
    await client.get('login', 'refreshSecret');
    expect((await probes(client)).calendar).toBe('ASP-0001');
    // The principal of live sessions is renewed when the user changes; the limits stay.
    await admin.expect('PATCH', `/admin/v1/contexts/${contextId}/users/${user.userId}`, { displayName: `X${serial}` });
    expect((await probes(client)).calendar).toBe('ASP-0001');
  });

  it('names what is missing or unknown', async () => {
    expect(await send(user, 'add', { appName: 'x' })).toMatchObject({ code: 'SVL-0002', error_params: ['appScope'] });
    expect(await send(user, 'add', { appScope: 'mail' })).toMatchObject({ code: 'SVL-0002' });
    expect(await send(user, 'add', { appScope: 'root', appName: 'x' })).toMatchObject({ code: 'ASP-0002' });
    expect(await send(user, 'remove', {})).toMatchObject({ code: 'SVL-0002' });
    expect(await send(user, 'remove', { uuid: "x' or true" })).toMatchObject({ code: 'ASP-0005' });
  });

  it('is made no more often than may be, also of many requests at once', async () => {
    const key = 'com.example.appPasswords.maxPerUser';
    await admin.expect('PUT', `/admin/v1/contexts/${contextId}/users/${user.userId}/config/${key}`, { value: '3' });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_none, index) => send(user, 'add', { appScope: 'mail', appName: `n${index}` })),
    );
    for (const { data } of answers) if (data) keepOutOfLogs(data.password);
    expect(answers.filter(({ data }) => data)).toHaveLength(3);
    expect(await list()).toHaveLength(3);
  });

  it('is switched off by configuration', async () => {
    await admin.expect(
      'PUT',
      `/admin/v1/contexts/${contextId}/users/${user.userId}/config/com.example.appPasswords.enabled`,
      { value: 'false' },
    );
    expect(await user.get('appPasswords', 'list')).toMatchObject({ code: 'SVL-0016' });
  });

  it.each(['appPasswords.enabled', 'capability.app_passwords'])(
    'opens nothing any more where the context has no %s',
    async (name) => {
      const { login, password } = await add('mail');
      await opened(login, password);
      const path = `/admin/v1/contexts/${contextId}/config/com.example.${name}`;
      await admin.expect('PUT', path, { value: 'false' });
      expect(await new Client(world.publicUrl).login(login, password)).toMatchObject({ code: 'LGI-0006' });
      await admin.expect('DELETE', path, undefined);
      await opened(login, password);
    },
  );

  it('opens what of the own account needs no scope, and nothing that leads to more', async () => {
    const { login, password } = await add('drive');
    const client = await opened(login, password);
    const codeOf = async (answer: Promise<{ code?: string }>) => (await answer).code ?? 'open';
    for (const answer of [
      client.get('jslob', 'all'),
      client.put('jslob', 'set', { id: 'drive' }, { color: 'blue' }),
      client.get('config/timezone', undefined as never),
      client.get('quota', 'get'),
      client.get('quota', 'filestore'),
      client.get('user', 'get'),
      client.get('user', 'me'),
    ])
      expect(await codeOf(answer)).toBe('open');
    for (const answer of [
      client.get('token', 'acquireToken'),
      client.get('sessionmanagement', 'all'),
      client.put('passwordchange', 'update', {}, { old_password: PASSWORD, new_password: 'another one 1' }),
      client.get('oauth/grants', 'all'),
    ])
      expect(await codeOf(answer)).toBe('ASP-0001');
  });
});
