import fs from 'node:fs';
import { setLogDestination } from '@groupware/service-kit';
import { until } from '@groupware/test-kit';
import { create, all, HOUR } from '../calendar/calendar';
import { createContext, createTestUser, type TestUser } from '../fixtures';
import { AdminClient } from '../client';
import { searchLater } from '../secrets';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const BASE = '/admin/v1/logconf';
/** A change is in force everywhere within a second; a busy machine gets another one for the questions. */
const LEVEL_WAIT_MS = 2000;
let world: TestEnvironment;
let master: AdminClient;
let contextId: number;
let U1: TestUser;
let U2: TestUser;
interface Line {
  readonly level: string;
  readonly logger: string;
  readonly context?: number;
  readonly user?: number;
  readonly action?: string;
  readonly stack?: string;
  readonly code?: string;
}
const lines: Line[] = [];

beforeAll(async () => {
  world = await startTestEnvironment({
    modules: ['identity', 'folders', 'calendar', 'admin', 'gateway'],
    properties: { 'com.example.logging.filter.max': '20' },
  });
  // Collected here, written nowhere.
  setLogDestination(
    {
      write: (line) => {
        searchLater(line);
        lines.push(JSON.parse(line) as Line);
      },
    },
    'error',
  );
  master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  contextId = await createContext(master, 'logs');
  [U1, U2] = [
    await createTestUser(world, master, contextId, 'u1'),
    await createTestUser(world, master, contextId, 'u2'),
  ];
}, 120_000);
afterAll(async () => {
  await world?.close();
  setLogDestination({ write: () => undefined }, 'silent');
});

const put = (path: string, body: unknown) => master.request('PUT', `${BASE}${path}`, JSON.stringify(body));
const get = (path: string) => master.request('GET', `${BASE}${path}`);
const remove = (path: string) => master.request('DELETE', `${BASE}${path}`);

/** Asks again until the answer is the wanted one, at most for the time in which a change is in force everywhere. */
async function soon(check: () => Promise<boolean> | boolean): Promise<boolean> {
  const end = Date.now() + LEVEL_WAIT_MS;
  while (Date.now() < end) if (await check()) return true;
  return false;
}

const linesOf = async (player: TestUser): Promise<Line[]> => {
  lines.length = 0;
  await all(player, '1', { start: 0, end: HOUR });
  return [...lines];
};

describe.each([
  ['a context', () => `/contexts/${contextId}`, '/contexts/2147483647'],
  ['a user', () => `/contexts/${contextId}/users/${U1.userId}`, () => `/contexts/${contextId}/users/999999`],
  ['a session', () => `/sessions/${U1.session}`, `/sessions/${'0'.repeat(32)}`],
] as const)('loggers of %s', (_name, scope, elsewhere) => {
  const missing = () => (typeof elsewhere === 'function' ? elsewhere() : elsewhere);

  it('are set, read and removed one by one', async () => {
    const path = `${scope()}/loggers/calendar.import`;
    expect((await get(path)).status).toBe(404);
    expect(await put(path, 'debug')).toMatchObject({ status: 200, body: 'DEBUG' });
    expect(await get(path)).toMatchObject({ status: 200, body: 'DEBUG' });
    expect(await remove(path)).toMatchObject({ status: 200, body: 'DEBUG' });
    expect(await remove(path)).toMatchObject({ status: 404, body: { code: 'LOGCONF-0002' } });
  });

  it('are set, read and removed together; names that are not named stay', async () => {
    const path = `${scope()}/loggers`;
    expect((await get(path)).status).toBe(404);
    await put(`${path}/folders`, 'TRACE');
    const body = [
      { name: 'calendar', level: 'INFO' },
      { name: 'admin', level: 'warn' },
      { name: 'calendar', level: 'DEBUG' },
    ];
    expect(await put(path, body)).toMatchObject({
      status: 200,
      body: [
        { name: 'admin', level: 'WARN' },
        { name: 'calendar', level: 'DEBUG' },
      ],
    });
    expect((await get(path)).body).toEqual([
      { name: 'admin', level: 'WARN' },
      { name: 'calendar', level: 'DEBUG' },
      { name: 'folders', level: 'TRACE' },
    ]);
    expect(await remove(path)).toMatchObject({ status: 200, body: undefined });
    expect((await remove(path)).status).toBe(404);
  });

  it('need a level, a name and somebody who exists', async () => {
    const path = `${scope()}/loggers`;
    for (const body of ['LOUD', 3, null, {}, ['DEBUG']])
      expect({ body, status: (await put(`${path}/calendar`, body)).status }).toEqual({ body, status: 400 });
    expect((await master.request('PUT', `${BASE}${path}/calendar`)).status).toBe(400);
    expect((await put(`${path}/%20`, 'DEBUG')).status).toBe(400);
    for (const body of [{}, [{ name: 'a' }], [{ name: 'a', level: 'LOUD' }], [{ level: 'INFO' }], 'DEBUG', [3]])
      expect({ body, status: (await put(path, body)).status }).toEqual({ body, status: 400 });
    expect((await get(path)).status).toBe(404);
    expect((await put(`${missing()}/loggers/calendar`, 'DEBUG')).status).toBe(404);
    expect((await put(`${missing()}/loggers`, [{ name: 'calendar', level: 'DEBUG' }])).status).toBe(404);
    expect((await get(`${missing()}/loggers/calendar`)).status).toBe(404);
    expect((await get(`${missing()}/loggers`)).status).toBe(404);
    expect((await remove(`${missing()}/loggers`)).status).toBe(404);
  });

  it('are bounded in number', async () => {
    const many = Array.from({ length: 20 }, (_each, index) => ({ name: `some.name${index}`, level: 'INFO' }));
    expect((await put(`${scope()}/loggers`, many)).status).toBe(200);
    expect(await put(`${scope()}/loggers/calendar`, 'INFO')).toMatchObject({
      status: 400,
      body: { code: 'LOGCONF-0005' },
    });
    const more = [{ name: 'admin', level: 'INFO' }];
    expect(await put(`${scope()}/loggers`, more)).toMatchObject({ status: 400, body: { code: 'LOGCONF-0005' } });
    expect((await remove(`${scope()}/loggers`)).status).toBe(200);
  });

  it('show more lines of them and of nobody else, within a second', async () => {
    const others = scope().startsWith('/contexts') && !scope().includes('users') ? [] : [U2];
    expect(await linesOf(U1)).toEqual([]);
    await put(`${scope()}/loggers/root`, 'DEBUG');
    expect(await soon(async () => (await linesOf(U1)).some(({ logger }) => logger === 'calendar.calls'))).toBe(true);
    const seen = await linesOf(U1);
    expect(seen.find(({ logger }) => logger === 'calendar.calls')).toMatchObject({
      level: 'debug',
      context: contextId,
      user: U1.userId,
      action: 'all',
    });
    expect(seen.some(({ logger }) => logger === 'gateway.access')).toBe(true);
    for (const other of others) expect(await linesOf(other)).toEqual([]);
    await remove(`${scope()}/loggers`);
    expect(await soon(async () => (await linesOf(U1)).length === 0)).toBe(true);
  });
});

describe('overviews', () => {
  it('name who has levels', async () => {
    const loggers = [{ name: 'calendar', level: 'DEBUG' }];
    await put(`/contexts/${contextId}/loggers`, loggers);
    await put(`/contexts/${contextId}/users/${U1.userId}/loggers`, loggers);
    await put(`/sessions/${U1.session}/loggers`, loggers);
    expect(await get('/contexts')).toMatchObject({ status: 200, body: [{ contextId: String(contextId), loggers }] });
    expect(await get(`/contexts/${contextId}/users`)).toMatchObject({
      status: 200,
      body: [{ userId: String(U1.userId), loggers }],
    });
    expect(await get('/sessions')).toMatchObject({ status: 200, body: [{ sessionId: U1.session, loggers }] });
    expect((await get('/contexts/2147483647/users')).status).toBe(404);
    await remove(`/contexts/${contextId}/loggers`);
    await remove(`/contexts/${contextId}/users/${U1.userId}/loggers`);
    expect((await get('/contexts')).body).toEqual([]);
    expect((await get(`/contexts/${contextId}/users`)).body).toEqual([]);
  });

  it('forget the loggers of a session with the session', async () => {
    const guest = U2.copy();
    await guest.login(U2.loginName, 'correct horse 1');
    await put(`/sessions/${guest.session}/loggers/calendar`, 'DEBUG');
    expect((await get(`/sessions/${guest.session}/loggers`)).status).toBe(200);
    await guest.fetch('GET', '/login', { action: 'logout', session: guest.session });
    expect((await get(`/sessions/${guest.session}/loggers`)).status).toBe(404);
    expect((await get(`/sessions/${guest.session}/loggers/calendar`)).status).toBe(404);
    expect((await get('/sessions')).body).not.toContainEqual(expect.objectContaining({ sessionId: guest.session }));
  });
});

describe('levels of who is deleted', () => {
  it('go with the user, and with the context those of all its users', async () => {
    const other = await createContext(master, 'gone-logs');
    const [leaver, stays] = [
      await createTestUser(world, master, other, 'leaver'),
      await createTestUser(world, master, other, 'stays'),
    ];
    const place = (user: TestUser) => `/contexts/${other}/users/${user.userId}`;
    await put(`/contexts/${other}/loggers/calendar`, 'DEBUG');
    for (const user of [leaver, stays]) {
      await put(`${place(user)}/loggers/calendar`, 'DEBUG');
      await put(`${place(user)}/stack-trace`, true);
    }
    await master.expect('DELETE', `/admin/v1${place(leaver)}`);
    await until(async () => (await get(`${place(leaver)}/loggers`)).status === 404);
    expect((await get(`/contexts/${other}/users`)).body).toMatchObject([{ userId: String(stays.userId) }]);
    expect((await get(`${place(stays)}/stack-trace`)).body).toBe(true);
    await master.expect('DELETE', `/admin/v1/contexts/${other}`);
    await until(async () => (await get(`${place(stays)}/loggers`)).status === 404);
    await until(async () => (await get(`/contexts/${other}/loggers`)).status === 404);
    expect((await get('/contexts')).body).toEqual([]);
  });
});

describe('loggers of everybody', () => {
  it('are listed with the level that holds', async () => {
    const { status, body } = await master.request<{ name: string; level: string }[]>('GET', `${BASE}/loggers`);
    expect(status).toBe(200);
    expect(body).toContainEqual({ name: 'root', level: 'ERROR' });
    expect(body).toContainEqual({ name: 'calendar.calls', level: 'ERROR' });
    expect(await get('/loggers/calendar')).toMatchObject({ status: 200, body: 'ERROR' });
    expect(await get('/loggers/nosuch')).toMatchObject({ status: 404, body: { code: 'LOGCONF-0001' } });
  });

  it('are set, with those below them', async () => {
    expect(await put('/loggers/calendar', 'Debug')).toMatchObject({ status: 200, body: 'DEBUG' });
    expect((await get('/loggers/calendar.calls')).body).toBe('DEBUG');
    expect((await get('/loggers/folders')).body).toBe('ERROR');
    expect(await soon(async () => (await linesOf(U2)).some(({ logger }) => logger === 'calendar.calls'))).toBe(true);
    expect((await put('/loggers/nosuch', 'DEBUG')).status).toBe(404);
    expect((await put('/loggers/calendar', 'LOUD')).status).toBe(400);
    await put('/loggers/calendar', 'ERROR');
    expect(await soon(async () => (await linesOf(U2)).length === 0)).toBe(true);
  });
});

describe('stacks', () => {
  const failing = (player: TestUser) => player.get('calendar', 'get', { id: '999999999', folder: player.folder });
  const path = () => `/contexts/${contextId}/users/${U1.userId}/stack-trace`;

  it('HE-10 stand in answers to a user for whom they are switched on, and only there', async () => {
    expect(await get(path())).toMatchObject({ status: 200, body: false });
    expect((await failing(U1)) as object).not.toHaveProperty('error_stack');
    expect(await put(path(), true)).toMatchObject({ status: 200, body: true });
    expect(await get(path())).toMatchObject({ body: true });
    expect(await soon(async () => 'error_stack' in (await failing(U1)))).toBe(true);
    const { error_stack: stack } = (await failing(U1)) as unknown as { error_stack: string[] };
    expect(stack.some((line) => line.includes('get.handler'))).toBe(true);
    expect((await failing(U2)) as object).not.toHaveProperty('error_stack');
    await put(path(), false);
    expect(await soon(async () => !('error_stack' in (await failing(U1))))).toBe(true);
  });

  it('need a boolean and a user', async () => {
    for (const body of ['true', 1, null, []]) expect((await put(path(), body)).status).toBe(400);
    for (const missing of [`/contexts/${contextId}/users/999999`, '/contexts/2147483647/users/3']) {
      expect((await get(`${missing}/stack-trace`)).status).toBe(404);
      expect((await put(`${missing}/stack-trace`, true)).status).toBe(404);
    }
  });

  it('are left out of the log for suppressed categories', async () => {
    const CATEGORIES = '/suppressed/exception-categories';
    const stacks = async () => {
      lines.length = 0;
      await create(U1, { folder_id: U1.folder, title: 'without times' });
      return lines.filter(({ code, user }) => code && user === U1.userId).map(({ stack }) => stack !== undefined);
    };
    expect(await get(CATEGORIES)).toMatchObject({ status: 200, body: ['USER_INPUT'] });
    await put(`/contexts/${contextId}/users/${U1.userId}/loggers/calendar`, 'INFO');
    expect(await soon(async () => (await stacks()).length > 0)).toBe(true);
    expect(await stacks()).toEqual([false]);
    expect(await remove(CATEGORIES)).toMatchObject({ status: 200, body: undefined });
    expect((await get(CATEGORIES)).body).toEqual([]);
    expect(await soon(async () => (await stacks())[0] === true)).toBe(true);
    expect(await put(CATEGORIES, { categories: ['warning', 'USER_INPUT'] })).toMatchObject({
      status: 200,
      body: ['USER_INPUT', 'WARNING'],
    });
    expect(await soon(async () => (await stacks())[0] === false)).toBe(true);
    expect((await put(CATEGORIES, 'conflict')).body).toEqual(['CONFLICT']);
    expect((await put(CATEGORIES, ['LOUD'])).status).toBe(400);
    await put(CATEGORIES, ['USER_INPUT']);
    await remove(`/contexts/${contextId}/users/${U1.userId}/loggers`);
  });
});

describe('a list of loggers that may be set', () => {
  it('holds from the moment it is written, for contexts, users and sessions', async () => {
    const file = world.environment.GROUPWARE_PROPERTIES_FILE!;
    fs.appendFileSync(file, 'com.example.logging.filter.logger-whitelist=calendar, admin\n');
    const refused = { status: 400, body: { code: 'LOGCONF-0004' } };
    const scopes = [`/contexts/${contextId}`, `/contexts/${contextId}/users/${U2.userId}`, `/sessions/${U2.session}`];
    await until(async () => (await put(`${scopes[0]}/loggers/identity`, 'INFO')).status === 400);
    for (const scope of scopes) {
      await remove(`${scope}/loggers`);
      for (const name of ['identity', 'calendars', 'root'])
        expect(await put(`${scope}/loggers/${name}`, 'INFO')).toMatchObject(refused);
      const levels = ['calendar.calls', 'identity'].map((name) => ({ name, level: 'INFO' }));
      expect(await put(`${scope}/loggers`, levels)).toMatchObject(refused);
      expect((await get(`${scope}/loggers`)).status).toBe(404);
      expect((await put(`${scope}/loggers`, levels.slice(0, 1))).status).toBe(200);
    }
  });
});
