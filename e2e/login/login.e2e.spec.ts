import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sessionDigest, SessionStore } from '@groupware/sessions';
import { Redis } from 'ioredis';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let admin: AdminClient;
let sessions: SessionStore;
let redis: Redis;
let contextId: number;
let serial = 0;

beforeAll(async () => {
  world = await startTestEnvironment({ modules: ['identity', 'gateway'] });
  admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  contextId = await createContext(admin, 'login');
  const { REDIS_URL, GROUPWARE_BUS_PREFIX, GROUPWARE_SECRET_KEY } = world.environment;
  const secretKeys = [Buffer.from(GROUPWARE_SECRET_KEY!, 'base64')];
  sessions = await SessionStore.connect({ url: REDIS_URL!, prefix: GROUPWARE_BUS_PREFIX!, secretKeys });
  redis = new Redis(REDIS_URL!);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await sessions?.close();
  redis?.disconnect();
});

/** A new user; answers the login. */
async function newUser(context = contextId): Promise<{ id: number; login: string }> {
  const name = `u${++serial}`;
  const user = await admin.expect('POST', `/admin/v1/contexts/${context}/users`, {
    name,
    password: PASSWORD,
    givenName: name,
    surname: 'Player',
    primaryEmail: `${name}@c${context}.example`,
  });
  return { id: user.id, login: `${name}@${context}` };
}

const browser = (userAgent?: string): Client => new Client(world.publicUrl, userAgent);
const post = (
  client: Client,
  query: Record<string, string>,
  form: Record<string, string>,
  headers: Record<string, string> = {},
) => client.fetch('POST', '/login', { action: 'login', ...query }, { body: new URLSearchParams(form), headers });
const secretCookies = (client: Client): string[] =>
  [...client.jar.keys()].filter((name) => name.startsWith('svc-secret-'));
/** Any call that needs a session. */
const probe = (client: Client, parameters: Record<string, string> = {}) =>
  client.get('user', 'all', { columns: '1', ...parameters });

describe('session and login (conformance scenarios)', () => {
  it('SL-01 a login answers a session and a secret cookie, and no cookie holds the session id', async () => {
    const { login } = await newUser();
    const client = browser();
    const response = await post(client, {}, { name: login, password: PASSWORD, client: 'c1' });
    const answer = (await response.json()) as Record<string, unknown>;
    expect(response.status).toBe(200);
    expect(answer.session).toMatch(/^[0-9a-f]{32}$/);
    expect(answer).not.toHaveProperty('random');
    expect(answer).not.toHaveProperty('data');
    expect(secretCookies(client)).toHaveLength(1);
    for (const cookie of response.headers.getSetCookie()) expect(cookie).not.toContain(answer.session);
    expect(response.headers.getSetCookie().find((cookie) => cookie.startsWith('svc-secret-'))).toMatch(
      /; Path=\/; HttpOnly/,
    );
  });

  it('SL-02 a login answers user, ids and the stored locale whatever Accept-Language says', async () => {
    const { id, login } = await newUser();
    const response = await post(browser(), {}, { name: login, password: PASSWORD }, { 'accept-language': 'fr-FR' });
    expect(await response.json()).toMatchObject({ user: login, user_id: id, context_id: contextId, locale: 'en_US' });
  });

  it('SL-03 a language that is to be stored holds now and after the next login', async () => {
    const { login } = await newUser();
    const form = { language: 'de_DE', storeLanguage: 'true' };
    expect((await browser().login(login, PASSWORD, form)).locale).toBe('de_DE');
    expect((await browser().login(login, PASSWORD)).locale).toBe('de_DE');
  });

  it('SL-04 a language that is not to be stored changes nothing', async () => {
    const { login } = await newUser();
    const form = { language: 'de_DE', storeLanguage: 'false' };
    expect((await browser().login(login, PASSWORD, form)).locale).toBe('en_US');
    expect((await browser().login(login, PASSWORD)).locale).toBe('en_US');
  });

  it('a language is called locale by web clients, which store it as storeLocale', async () => {
    const { login } = await newUser();
    const ask = async (form: Record<string, string>) => (await browser().login(login, PASSWORD, form)).locale;
    expect(await ask({ locale: 'de_DE' })).toBe('en_US');
    expect(await ask({ locale: 'de_DE', storeLocale: 'true' })).toBe('de_DE');
    expect(await ask({ language: 'fr_FR', locale: 'en_US', storeLanguage: 'true' })).toBe('fr_FR');
    expect(await ask({})).toBe('fr_FR');
    const failed = await browser().login(login, 'wrong', { locale: 'de_DE' });
    expect(failed.error).not.toBe(failed.error_desc);
  });

  it('SL-05 one browser holds sessions of two clients', async () => {
    const { login } = await newUser();
    const client = browser();
    const a = await client.login(login, PASSWORD, { client: 'a' });
    const b = await client.login(login, PASSWORD, { client: 'b' });
    expect(secretCookies(client)).toHaveLength(2);
    for (const { session } of [a, b]) expect(await probe(client, { session })).not.toHaveProperty('error');
  });

  it('SL-06 a password in the URL is refused before anything else', async () => {
    const { login } = await newUser();
    const client = browser();
    for (const query of [
      { name: login, password: PASSWORD },
      { name: '', password: 'wrong' },
    ]) {
      const response = await post(client, query, {});
      const answer = (await response.json()) as Record<string, unknown>;
      expect(answer).toMatchObject({ code: 'SVL-0030', error_params: ['password'] });
      expect(answer).not.toHaveProperty('session');
      expect(response.headers.getSetCookie()).toEqual([]);
    }
  });

  it('SL-07 a wrong password is answered with HTTP 200, LGI-0006 and no cookie', async () => {
    const { login } = await newUser();
    for (const form of [
      { name: login, password: 'wrong' },
      { name: `nobody@${contextId}`, password: PASSWORD },
      { name: 'nobody@nowhere', password: PASSWORD },
    ]) {
      const response = await post(browser(), {}, form);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ code: 'LGI-0006', category: 1 });
      expect(response.headers.getSetCookie()).toEqual([]);
    }
  });

  it('SL-08 a request with session and cookie is answered and moves the last access of the session', async () => {
    const { login } = await newUser();
    const client = browser();
    await client.login(login, PASSWORD);
    const key = `${world.environment.GROUPWARE_BUS_PREFIX}:session:${sessionDigest(client.session)}`;
    await redis.pexpire(key, 600_000);
    const before = (await sessions.peek(client.session))!.lastActive;
    expect(before).toBeLessThan(Date.now() - 2_000_000);
    const answer = await probe(client);
    expect(answer.error).toBeUndefined();
    expect(answer.data!.length).toBeGreaterThan(0);
    expect((await sessions.peek(client.session))!.lastActive).toBeGreaterThan(Date.now() - 60_000);
  });

  it('SL-09 a session that is no session id is unknown and not repeated', async () => {
    const { login } = await newUser();
    const client = browser();
    await client.login(login, PASSWORD);
    const answer = await probe(client, { session: '1234567' });
    expect(answer.code).toBe('SES-0203');
    expect(JSON.stringify(answer)).not.toContain('1234567');
    expect(await probe(client)).not.toHaveProperty('error');
  });

  it('SL-10 a session with the cookie of another one is refused, and both stay valid', async () => {
    const { login } = await newUser();
    const one = browser();
    const two = browser();
    await one.login(login, PASSWORD, { client: 'one' });
    await two.login(login, PASSWORD, { client: 'two' });
    const answer = await two.copy().get('user', 'all', { columns: '1', session: one.session });
    expect(answer.code).toBe('SES-0206');
    expect(await probe(one)).not.toHaveProperty('error');
    expect(await probe(two)).not.toHaveProperty('error');
  });

  it('SL-11 a logout ends the session at once and expires its cookie', async () => {
    const { login } = await newUser();
    const client = browser();
    await client.login(login, PASSWORD);
    const [cookie] = secretCookies(client);
    const former = client.copy();
    const response = await client.fetch('GET', '/login', { action: 'logout', session: client.session });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
    expect(client.jar.has(cookie!)).toBe(false);
    expect((await probe(former)).code).toBe('SES-0203');
    expect((await former.fetch('GET', '/login', { action: 'logout', session: former.session })).status).toBe(403);
    expect((await former.fetch('GET', '/login', { action: 'logout' })).status).toBe(400);
  });

  it('a logout comes as a form with all of its parameters, or with the session in the address', async () => {
    const { login } = await newUser();
    for (const [query, form] of [
      [['session'], ['action']],
      [[], ['action', 'session']],
      [['action', 'session'], []],
    ]) {
      const client = browser();
      await client.login(login, PASSWORD);
      const all: Record<string, string> = { action: 'logout', session: client.session };
      const pick = (names: string[] = []) => Object.fromEntries(names.map((name) => [name, all[name]!]));
      const former = client.copy();
      const response = await client.fetch('POST', '/login', pick(query), { body: new URLSearchParams(pick(form)) });
      expect([response.status, await response.text()]).toEqual([200, '']);
      expect((await probe(former)).code).toBe('SES-0203');
    }
  });

  it('an answer that the session is gone expires its cookies and no others', async () => {
    const { login } = await newUser();
    const client = browser();
    await client.login(login, PASSWORD, { client: 'one' });
    const others = new Set(secretCookies(client));
    await client.copy().fetch('GET', '/login', { action: 'logout', session: client.session });
    const [own] = secretCookies(client);
    const { session: gone } = client;
    await client.login(login, PASSWORD, { client: 'two' });
    const kept = secretCookies(client).filter((name) => !others.has(name));
    const response = await client.fetch('GET', '/user', { action: 'get', session: gone });
    expect(await response.json()).toMatchObject({ code: 'SES-0203' });
    expect(client.jar.has(own!)).toBe(false);
    expect(kept).toHaveLength(1);
    expect(client.jar.has(kept[0]!)).toBe(true);
    expect((await probe(client)).code).toBeUndefined();
  });

  it('SL-12 a user at the limit gets no further session, and the older ones stay', async () => {
    const { id, login } = await newUser();
    const property = (name: string) =>
      `/admin/v1/contexts/${contextId}/users/${id}/config/com.example.sessiond.${name}`;
    await admin.expect('PUT', property('maxSessionPerUser'), { value: 2 });
    const clients = [browser(), browser()];
    for (const client of clients) await client.login(login, PASSWORD);
    expect((await browser().login(login, PASSWORD)).code).toBe('SES-0007');
    for (const client of clients) expect(await probe(client)).not.toHaveProperty('error');
    await admin.expect('PUT', property('maxSessionPerUser'), { value: 10 });
    await admin.expect('PUT', property('maxSessionPerClient'), { value: 1 });
    expect((await browser().login(login, PASSWORD)).code).toBe('SES-0207');
    expect(await browser().login(login, PASSWORD, { client: 'other' })).toHaveProperty('session');
  });

  it('SL-13 an idle session is unknown and gone from the store', async () => {
    const { login } = await newUser();
    const client = browser();
    await client.login(login, PASSWORD);
    const key = `${world.environment.GROUPWARE_BUS_PREFIX}:session:${sessionDigest(client.session)}`;
    const remaining = await redis.pttl(key);
    expect(remaining).toBeGreaterThan(3_500_000);
    expect(remaining).toBeLessThanOrEqual(3_600_000);
    // The idle time passes.
    await redis.pexpire(key, 1);
    while ((await redis.exists(key)) > 0) await new Promise((next) => setTimeout(next, 1));
    expect((await probe(client)).code).toBe('SES-0203');
    expect(await redis.exists(key)).toBe(0);
  });

  it('SL-14 users of a disabled context get no session, and theirs end', async () => {
    const disabled = await createContext(admin, 'disabled');
    const { login } = await newUser(disabled);
    const open = browser();
    await open.login(login, PASSWORD);
    await admin.expect('PUT', `/admin/v1/contexts/${disabled}/state`, { enabled: false, reason: 'test' });
    expect((await probe(open)).code).toBe('SES-0203');
    const answer = await browser().login(login, PASSWORD);
    expect(answer.code).toBe('SES-0204');
    expect(answer).not.toHaveProperty('session');
  });

  it('SL-15 random tokens are refused with HTTP 400', async () => {
    for (const action of ['redirect', 'redeem']) {
      const response = await browser().fetch('GET', '/login', { action, random: 'f'.repeat(32) });
      expect(response.status).toBe(400);
    }
  });

  it('SL-16 a session id in a header or in the body does not count', async () => {
    const { login } = await newUser();
    const client = browser();
    await client.login(login, PASSWORD);
    const { session } = client;
    const bare = Object.assign(client.copy(), { session: '' });
    const parameters = { action: 'all', columns: '1' };
    const header = await bare.fetch('GET', '/user', parameters, { headers: { session, 'x-session': session } });
    expect(await header.json()).toMatchObject({ code: 'SES-0201' });
    expect(await bare.put('user', 'list', { columns: '1' }, { session })).toMatchObject({ code: 'SES-0201' });
  });
});

describe('login, beyond the scenarios', () => {
  it('ends with a changed user agent, the fingerprint of the browser', async () => {
    const { login } = await newUser();
    const client = browser('Browser/1');
    await client.login(login, PASSWORD);
    const moved = Object.assign(browser('Browser/2'), { session: client.session });
    for (const [name, value] of client.jar) moved.setCookie(name, value);
    expect((await probe(moved)).code).toBe('SES-0206');
    expect(await probe(client)).not.toHaveProperty('error');
  });

  it('returns by cookie, with and without staySignedIn, to the session opened last', async () => {
    const { login, id } = await newUser();
    const plain = browser();
    await plain.login(login, PASSWORD, { client: 'web' });
    const auto = async (client: Client): Promise<Record<string, unknown>> =>
      (await client.fetch('GET', '/login', { action: 'autologin', client: 'web' })).json() as never;
    expect(await auto(browser())).toMatchObject({ code: 'SVL-0003', category: 4 });
    expect(await auto(plain)).toMatchObject({ session: plain.session, user_id: id });
    expect(await probe(plain)).not.toHaveProperty('error');
    await plain.login(login, PASSWORD, { client: 'web', staySignedIn: 'true' });
    await plain.login(login, PASSWORD, { client: 'web' });
    expect(await auto(plain)).toMatchObject({ session: plain.session });
    expect(await probe(plain)).not.toHaveProperty('error');
    const staying = browser();
    const { session } = await staying.login(login, PASSWORD, { client: 'web', staySignedIn: 'true' });
    expect(await auto(staying)).toMatchObject({ session, user_id: id, context_id: contextId, locale: 'en_US' });
    await staying.fetch('GET', '/login', { action: 'logout', session: session as string });
    expect(await auto(staying)).toMatchObject({ code: 'SVL-0003' });
    const ended = browser();
    await ended.login(login, PASSWORD, { client: 'web', staySignedIn: 'true' });
    await sessions.removeSession(ended.session);
    expect(await auto(ended)).toMatchObject({ code: 'SVL-0003' });
    expect([...ended.jar.keys()].filter((name) => /secret|svc-session/.test(name))).toEqual([]);
  });

  it('writes cookies again, moves the address, and answers old clients', async () => {
    const { login } = await newUser();
    const client = browser();
    await client.login(login, PASSWORD);
    expect((await client.get('login', 'refreshSecret')).data).toBe('1');
    expect(await probe(client)).not.toHaveProperty('error');
    expect((await client.call('POST', 'login', 'changeip', { clientIP: '203.0.113.5' })).data).toBe('1');
    expect((await client.call('POST', 'login', 'changeip', { clientIP: 'nonsense' })).code).toBe('SVL-0010');
    expect((await client.call('POST', 'login', 'changeip')).code).toBe('SVL-0002');
    const has = await client.fetch('GET', '/login', { action: 'hasAutologin' });
    expect(await has.json()).toEqual({ autologin: true });
    const store = await client.fetch('GET', '/login', { action: 'store', session: client.session });
    expect(store.headers.get('deprecation')).toBe('version="v7.10.3"');
    expect(await store.text()).toBe('');
  });

  it('takes action, session and parameters in the form or in the URL, and a password in the form only', async () => {
    const { login } = await newUser();
    const client = browser();
    const form = (fields: Record<string, string>, query = {}) =>
      client.fetch('POST', '/login', query, { body: new URLSearchParams(fields) }).then((answer) => answer.json());
    const opened = await form({ action: 'login', name: login, password: PASSWORD });
    expect(opened).toMatchObject({ user: login });
    const { session } = opened as { session: string };
    expect(await form({ action: 'changeip', session, clientIP: '203.0.113.6' })).toEqual({ data: '1' });
    expect(await form({ session, clientIP: '203.0.113.7' }, { action: 'changeip' })).toEqual({ data: '1' });
    expect(await form({ clientIP: 'nonsense' }, { action: 'changeip', session })).toMatchObject({ code: 'SVL-0010' });
    expect(await form({ name: login })).toMatchObject({ code: 'SVL-0002', error_params: ['action'] });
    expect(await form({ action: 'nothing' })).toMatchObject({ code: 'SVL-0001' });
    expect(await form({ action: 'login', name: login }, { password: PASSWORD })).toMatchObject({ code: 'SVL-0030' });
    const tokens = { serverToken: 'none', clientToken: 'none', client: 'web' };
    expect(await form({}, { action: 'tokens', ...tokens })).toMatchObject({ code: 'SES-0210' });
  });

  it('refuses the user agent as client, a used authId, and too many failures', async () => {
    const { login } = await newUser();
    const client = browser();
    expect((await client.login(login, PASSWORD, { client: client.userAgent })).code).toBe('LGI-0021');
    expect(await client.login(login, PASSWORD, { authId: login })).toHaveProperty('session');
    expect((await client.login(login, PASSWORD, { authId: login })).code).toBe('SES-0008');
    const { login: target } = await newUser();
    for (let attempt = 0; attempt < 20; attempt++) expect((await client.login(target, 'wrong')).code).toBe('LGI-0006');
    expect(await client.login(target, PASSWORD)).toMatchObject({ code: 'LGI-0028', category: 3 });
  });

  it('takes parameters as JSON, too', async () => {
    const { login, id } = await newUser();
    const post = (query: Record<string, string>, body: object) =>
      browser().fetch('POST', '/login', query, {
        body: JSON.stringify({ name: login, password: PASSWORD, ...body }),
        headers: { 'content-type': 'application/json' },
      });
    const response = await post({ action: 'login' }, { staySignedIn: true });
    expect(await response.json()).toMatchObject({ user_id: id });
    expect(response.headers.getSetCookie().join()).toContain('Max-Age=604800');
    // Null stands for what was not sent.
    for (const body of [{ share: null }, { staySignedIn: null }, { authId: null }, { authId: null }, { rampup: null }])
      expect(await (await post({}, { action: 'login', ...body })).json()).toEqual({
        session: expect.stringMatching(/^[0-9a-f]{32}$/),
        user: login,
        user_id: id,
        context_id: contextId,
        locale: 'en_US',
      });
  });

  it('tells who is logged in, what they may use, and who else is there', async () => {
    const { login, id } = await newUser();
    const client = browser();
    await client.login(login, PASSWORD);
    const me = (await (await client.fetch('GET', '/user/me', { session: client.session })).json()) as { data: unknown };
    expect(me.data).toEqual({
      context_id: contextId,
      user_id: id,
      context_admin: 2,
      login_name: login.split('@')[0],
      display_name: expect.any(String),
    });
    const all = await client.get('capabilities', 'all');
    expect(all.data).toContainEqual({ id: 'calendar', attributes: {} });
    expect((await client.get('capabilities', 'get', { id: 'calendar' })).data).toEqual({
      id: 'calendar',
      attributes: {},
    });
    expect((await client.get('capabilities', 'get', { id: 'absent' })).data).toEqual({});
    expect((await client.get('user', 'get')).data).toMatchObject({ id: String(id), login_info: login.split('@')[0] });
    expect((await client.get('user', 'get', { id: 4711 })).code).toBe('USR-0010');
    expect((await client.put('user', 'list', { columns: '1,615' }, [id, null])).data).toHaveLength(2);
    expect((await client.put('user', 'list', { columns: '1' }, ['4711'])).code).toBe('USR-0010');
    const found = await client.put('user', 'search', { columns: '1' }, { first_name: login.split('@')[0] });
    expect(found.data).toEqual([[String(id)]]);
    expect((await client.get('system', 'nosuch')).code).toBe('SVL-0021');
  });
});

describe('login with other settings', () => {
  let folder: string;
  let other: TestEnvironment;
  const properties = [
    'com.example.compat.names=true',
    'com.example.sessiond.autologin=false',
    'com.example.IPCheck=true',
    'com.example.login.sessionCookie=always',
  ];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'properties-'));
    writeFileSync(path.join(folder, 'server.properties'), properties.join('\n'));
    other = await startTestEnvironment({
      modules: ['identity', 'gateway'],
      variables: {
        GROUPWARE_PROPERTIES_FILE: path.join(folder, 'server.properties'),
        GATEWAY_TRUSTED_PROXIES: '127.0.0.1,::1',
      },
    });
  }, 120_000);
  afterAll(async () => {
    await other?.close();
    rmSync(folder, { recursive: true });
  });

  it('uses the original names of cookies, checks addresses, and refuses automatic login', async () => {
    const master = new AdminClient(other.internalUrl, other.master.login, other.master.password);
    const id = await createContext(master, 'compat');
    const client = new Client(other.publicUrl);
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const response = await client.fetch(
      'POST',
      '/login',
      { action: 'login' },
      { body: new URLSearchParams({ name: `admin@${id}`, password: PASSWORD }), ...from('203.0.113.1') },
    );
    const { session } = (await response.json()) as { session: string };
    expect([...client.jar.keys()].every((name) => name.startsWith('open-xchange-'))).toBe(true);
    expect([...client.jar.values()]).toContain(session);
    const ask = async (address: string) =>
      (await (await client.fetch('GET', '/user', { action: 'all', columns: '1', session }, from(address))).json()) as {
        code?: string;
      };
    expect(await ask('203.0.113.1')).not.toHaveProperty('code');
    expect((await ask('203.0.113.2')).code).toBe('SES-0205');
    expect(await ask('203.0.113.1')).not.toHaveProperty('code');
    const auto = await client.fetch('GET', '/login', { action: 'autologin' }, from('203.0.113.1'));
    expect(await auto.json()).toMatchObject({ code: 'SVL-0015' });
  });
});
