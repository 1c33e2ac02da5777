import { sessionDigest } from '@groupware/sessions';
import { Redis } from 'ioredis';
import { createContext, createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { AdminClient } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const USER_AGENT = 'end-to-end test';
let world: TestEnvironment;
let service: AdminClient;
let contextId: number;
let U1: TestUser;

beforeAll(async () => {
  world = await startTestEnvironment({
    modules: ['identity', 'folders', 'calendar', 'admin', 'gateway'],
    properties: { 'com.example.capabilities.servedElsewhere': 'caldav,carddav' },
    variables: { BASE_PATH: '/,/ajax', GATEWAY_TRUSTED_PROXIES: '10.2.0.0/16' },
  });
  service = new AdminClient(world.internalUrl, world.service.login, world.service.password);
  const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  contextId = await createContext(master, 'analysed');
  U1 = await createTestUser(world, master, contextId, 'u1');
}, 120_000);
afterAll(() => world?.close());

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly form?: Record<string, string>;
  readonly address?: string;
}

const analyse = (path: string, { method = 'GET', headers = {}, form, address = '10.1.1.1' }: Asked = {}) =>
  service.request('POST', '/request-analysis/v1/analyze', {
    method,
    url: `https://groupware.example${path}`,
    remoteIP: address,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    ...(form ? { body: Buffer.from(new URLSearchParams(form).toString()).toString('base64') } : {}),
  });
const basic = (login: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`,
});
const MARKER = Buffer.from('{"schema":"default"}').toString('base64');
const found = () => ({
  status: 200,
  body: {
    marker: MARKER,
    type: 'SUCCESS',
    headers: {
      'x-svc-context-id': contextId,
      'x-svc-user-id': U1.userId,
      'x-svc-login': U1.loginName,
    },
  },
});
const UNKNOWN = { status: 404, body: { code: 'REQUEST_ANALYSIS-0001' } };
const MISSING_BODY = { status: 422, body: { code: 'REQUEST_ANALYSIS-0002' } };

describe('the analysis of a request', () => {
  it('finds the user of a session, and does not touch it', async () => {
    const redis = new Redis(world.environment.REDIS_URL!);
    const key = `${world.environment.GROUPWARE_BUS_PREFIX}:session:${sessionDigest(U1.session)}`;
    const before = await redis.pttl(key);
    expect(await analyse(`/ajax/calendar?action=all&session=${U1.session}`)).toMatchObject(found());
    expect(await analyse(`/calendar?action=all&session=${U1.session}`)).toMatchObject(found());
    expect(await analyse(`/ajax/calendar?session=${'0'.repeat(32)}`)).toMatchObject(UNKNOWN);
    expect(await analyse('/ajax/calendar?session=nonsense')).toMatchObject(UNKNOWN);
    expect(await analyse('/ajax/calendar')).toMatchObject(UNKNOWN);
    const after = await redis.pttl(key);
    redis.disconnect();
    expect(before).toBeGreaterThan(0);
    expect(after).toBeLessThan(before);
  });

  it('finds the user of a login, and opens no session', async () => {
    const sessions = async () => (await U1.get('sessionmanagement', 'all')).data.length as number;
    const before = await sessions();
    const login = (form: Record<string, string>) =>
      analyse('/ajax/login?action=login', { method: 'POST', form, address: '10.1.1.2' });
    expect(await login({ name: U1.loginName, password: PASSWORD })).toMatchObject(found());
    expect(await login({ name: U1.loginName, password: 'wrong' })).toMatchObject(UNKNOWN);
    expect(await login({ name: U1.loginName })).toMatchObject(UNKNOWN);
    expect(await login({ login: U1.loginName, password: PASSWORD })).toMatchObject(UNKNOWN);
    expect(await analyse('/login?action=login', { method: 'POST' })).toMatchObject(MISSING_BODY);
    const form = { login: U1.loginName, password: PASSWORD };
    expect(await analyse('/login?action=formlogin', { method: 'POST', form })).toMatchObject(found());
    expect(await sessions()).toBe(before);
  });

  it('counts wrong passwords against the address that is analysed', async () => {
    const attempt = (password: string, address: string) =>
      analyse('/login?action=login', { method: 'POST', form: { name: U1.loginName, password }, address });
    for (let number = 0; number < 30; number++) await attempt('wrong', '10.1.1.9');
    expect(await attempt(PASSWORD, '10.1.1.9')).toMatchObject(UNKNOWN);
    // Behind a trusted proxy it is the client that the proxy names, and no other peer can name one.
    const form = { name: U1.loginName, password: PASSWORD };
    const through = (proxy: string, client: string) =>
      analyse('/login?action=login', { method: 'POST', form, address: proxy, headers: { 'X-Forwarded-For': client } });
    expect(await through('10.2.0.1', '10.1.1.9')).toMatchObject(UNKNOWN);
    expect(await through('10.2.0.1', '10.1.1.8')).toMatchObject(found());
    expect(await through('10.1.1.9', '10.1.1.8')).toMatchObject(UNKNOWN);
  });

  it('finds sessions by their cookies', async () => {
    const client = U1.copy();
    await client.login(U1.loginName, PASSWORD, { staySignedIn: 'true' });
    const cookie = (kind: string) =>
      [...client.jar].filter(([name]) => name.includes(kind)).map(([name, value]) => `${name}=${value}`)[0]!;
    const withCookie = (Cookie: string, agent = USER_AGENT) => ({ headers: { Cookie, 'User-Agent': agent } });
    const open = cookie('public-session');
    expect(await analyse('/image/user/picture', withCookie(open))).toMatchObject(found());
    const exact = `/image/user/picture?user=${U1.userId}&context=${contextId}`;
    expect(await analyse(exact, withCookie(open))).toMatchObject(found());
    const another = `/image/user/picture?user=${U1.userId + 1}&context=${contextId}`;
    expect(await analyse(another, withCookie(open))).toMatchObject(UNKNOWN);
    expect(await analyse('/image/user/picture', withCookie(open, 'another agent'))).toMatchObject(UNKNOWN);
    // Every call that takes the public session is known by it, and no other.
    for (const path of [
      '/halo/contact/picture?internal_userid=3',
      '/files?action=document&id=1&folder=9',
      '/infostore/report.pdf?action=document&id=1&folder=9',
      '/capabilities?action=all',
    ])
      expect(await analyse(path, withCookie(open))).toMatchObject(found());
    for (const path of ['/calendar?action=all', '/', '/images', '/folders?action=root', '/files?action=list'])
      expect(await analyse(path, withCookie(open))).toMatchObject(UNKNOWN);
    const own = cookie('-session-').includes('public')
      ? [...client.jar].filter(([name]) => /^svc-session-/.test(name)).map(([name, value]) => `${name}=${value}`)[0]!
      : cookie('-session-');
    expect(await analyse('/login?action=autologin', withCookie(own))).toMatchObject(found());
    expect(await analyse('/login?action=autologin', withCookie(own, 'another agent'))).toMatchObject(UNKNOWN);
    expect(await analyse('/login?action=autologin')).toMatchObject(UNKNOWN);
  });

  it('finds the user of a token, which stays good', async () => {
    const { data } = await U1.get('token', 'acquireToken');
    const redeem = (form?: Record<string, string>) =>
      analyse('/login?action=redeemToken', { method: 'POST', ...(form ? { form } : {}) });
    for (let twice = 0; twice < 2; twice++) expect(await redeem({ token: data.token })).toMatchObject(found());
    expect(await redeem({ token: 'garbled' })).toMatchObject(UNKNOWN);
    expect(await redeem({ secret: 'x' })).toMatchObject(UNKNOWN);
    expect(await redeem()).toMatchObject(MISSING_BODY);
  });

  it('finds the user of a DAV request', async () => {
    const dav = (headers?: Record<string, string>) => analyse('/caldav/', { method: 'PROPFIND', headers });
    expect(await dav(basic(U1.loginName, PASSWORD))).toMatchObject(found());
    expect(await dav(basic(U1.loginName, 'wrong'))).toMatchObject(UNKNOWN);
    expect(await dav({ Authorization: 'Basic ???' })).toMatchObject(UNKNOWN);
    expect(await dav({ Authorization: 'Bearer abc' })).toMatchObject(UNKNOWN);
    expect(await dav()).toMatchObject(UNKNOWN);
  });

  it('finds the context of shares and of the free/busy servlet', async () => {
    const hex = (number: number) => (number >>> 0).toString(16).padStart(8, '0');
    const share = (context: number) =>
      `/ajax/share/${hex(context ^ 0x1234)}${hex(3 ^ 0x5678)}${hex(0x1234)}${hex(0x5678)}${'0'.repeat(16)}/x`;
    expect((await analyse(share(contextId))).body).toEqual({
      marker: MARKER,
      type: 'SUCCESS',
      headers: { 'x-svc-context-id': contextId, 'x-svc-user-id': 3 },
    });
    expect(await analyse(share(2 ** 31 - 1))).toMatchObject(UNKNOWN);
    expect(await analyse('/ajax/share/abc')).toMatchObject(UNKNOWN);
    const servlet = await analyse(`/servlet/webdav.freebusy?contextId=${contextId}&userName=u1&server=x`);
    expect(servlet.body).toEqual({ marker: MARKER, type: 'SUCCESS' });
    for (const id of ['0', 'x', '', '2147483647', '99999999999'])
      expect(await analyse(`/servlet/webdav.freebusy?contextId=${id}`)).toMatchObject(UNKNOWN);
  });

  it('finds the user of the set-up of a DAV client, and takes neither token nor credentials', async () => {
    const link = decodeURIComponent((await U1.get<string>('onboarding', 'link', { type: 'dav' })).data!);
    const path = link.slice(link.indexOf('/davclient/'));
    const setUp = (at: string, headers?: Record<string, string>) => analyse(at, { headers });
    for (let twice = 0; twice < 2; twice++) expect(await setUp(path)).toMatchObject(found());
    expect(await setUp('/davclient/v1/config/made-up')).toMatchObject(UNKNOWN);
    expect(await setUp('/davclient/v1/config/any', basic(U1.loginName, PASSWORD))).toMatchObject(found());
    expect(await setUp(path, basic(U1.loginName, 'wrong'))).toMatchObject(UNKNOWN);
    expect(await setUp(path, { Authorization: 'Digest x' })).toMatchObject(UNKNOWN);
    expect((await fetch(`${world.publicUrl}${path}`)).status).toBe(200);
    expect(await setUp(path)).toMatchObject(UNKNOWN);
  });

  it('knows nobody who signs on elsewhere, whatever cookies come along', async () => {
    for (const action of ['samlLogin', 'oidcLogin'])
      expect(await analyse(`/login?action=${action}&token=abc&sessionToken=abc`)).toMatchObject(UNKNOWN);
  });

  it('refuses what is no description of a request', async () => {
    const good = { method: 'GET', url: 'https://h/x', remoteIP: '10.0.0.1', headers: [] };
    const post = (body: unknown) => service.request('POST', '/request-analysis/v1/analyze', body);
    for (const wrong of [
      '{"method":',
      '[]',
      {},
      { ...good, method: '' },
      { ...good, url: '' },
      { ...good, url: '/relative' },
      { ...good, remoteIP: '' },
      { ...good, headers: undefined },
      { ...good, headers: [{ name: 'a' }] },
      { ...good, headers: [{ value: 'a' }] },
      { ...good, body: '!' },
    ])
      expect({ wrong, status: (await post(wrong)).status }).toEqual({ wrong, status: 400 });
    expect((await post({ ...good, body: 'A'.repeat(2_200_000) })).status).toBe(413);
  });
});
