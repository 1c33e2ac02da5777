import { jump, login, provisioning, token, type EdgeRequest, type Operation } from '@groupware/contracts';
import { codeOf, startIdentity, type RunningIdentity } from '../testing/running-identity';

const PASSWORD = 'a good password';
const SECRET = 'application secret';
const anonymous = { kind: 'anonymous' } as const;

describe('further ways to log in', () => {
  let identity: RunningIdentity;
  let userId: number;
  let contextId: number;

  beforeAll(async () => {
    identity = await startIdentity(
      { IDENTITY_TOKEN_LOGIN_SECRETS: `other, ${SECRET};accessPassword=true` },
      { 'com.example.login.randomTokenEnabled': 'true', 'com.example.jump.systems': 'wiki, shop' },
    );
    const context = await identity.call(provisioning.createContext, {
      body: {
        name: 'acme',
        loginMappings: ['defaultcontext'],
        admin: { name: 'admin', password: PASSWORD, surname: 'Min', email: 'admin@acme.example' },
      },
    });
    contextId = context.id;
    userId = (
      await identity.call(provisioning.createUser, {
        query: { contextId },
        body: { name: 'u1', password: PASSWORD, surname: 'One', primaryEmail: 'u1@acme.example' },
      })
    ).id;
  });
  afterAll(() => identity.close());

  const send = (operation: Operation, body?: object, edge: Partial<EdgeRequest> = {}, query: object = {}) =>
    identity.request(operation, { principal: anonymous, query, body, edge });
  const fragmentOf = (location: string): URLSearchParams => new URLSearchParams(location.split('#')[1]);
  let attempts = 0;
  const form = {
    ...{ login: 'u1', password: PASSWORD, client: 'web', version: '1', autologin: true },
    /** Each attempt has its own, also when the form is copied. */
    get authId() {
      return `attempt-${++attempts}`;
    },
  };

  it('login by form leads to the web client with the session in the fragment', async () => {
    const { status, headers, cookies } = await send(login.formlogin, { ...form, uiWebPath: '/ui/index.html' });
    expect(status).toBe(302);
    expect(headers!.Location).toMatch(/^\/ui\/index\.html#session=/);
    const facts = fragmentOf(headers!.Location!);
    expect(Object.fromEntries(facts)).toEqual({
      session: expect.stringMatching(/^[0-9a-f]{32}$/),
      user: 'u1',
      user_id: String(userId),
      context_id: String(contextId),
      language: 'en_US',
      store: 'true',
    });
    expect((await identity.sessions.peek(facts.get('session')!))!.staySignedIn).toBe(true);
    expect(cookies!.map(({ name }) => name)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^svc-secret-/), expect.stringMatching(/^svc-session-/)]),
    );
  });

  it.each([
    '//evil.example/',
    'https://evil.example/',
    '/\\evil.example',
    'javascript:alert(1)',
    '/a\r\nSet-Cookie: a=b',
  ])('login by form never leads to %j', async (uiWebPath) => {
    const { headers } = await send(login.formlogin, { ...form, uiWebPath });
    expect(headers!.Location).toMatch(/^\/appsuite\/#session=/);
  });

  it('a form that fails gets a page that leads back to its own host only', async () => {
    const referer = 'https://mail.example/login?x="><script>';
    const fail = (host: string) =>
      send(login.formlogin, { ...form, password: 'wrong' }, { host, headers: { referer } });
    const { json: page, headers, cookies } = await fail('mail.example');
    expect(headers!['Content-Type']).toBe('text/html; charset=UTF-8');
    expect(page).toContain('LGI-0006');
    expect(page).toContain('url=https://mail.example/login?x=%22%3E%3Cscript%3E&#38;login=failed');
    expect(page).not.toContain('<script>');
    expect(cookies ?? []).toEqual([]);
    expect((await fail('other.example')).json).not.toContain('mail.example');
  });

  it('login by tokens opens the session in the second step, once', async () => {
    const first = await send(login.tokenLogin, { ...form, clientToken: 'mine', jsonResponse: true });
    expect(first.json).toEqual({
      serverToken: expect.stringMatching(/^[0-9a-f]{32}$/),
      jsessionid: expect.any(String),
      user: 'u1',
      user_id: userId,
      url: expect.stringContaining(`serverToken=${first.json.serverToken}`),
    });
    expect(first.cookies ?? []).toEqual([]);
    const { serverToken } = first.json;
    const second = await send(login.tokens, { serverToken, clientToken: 'mine', client: 'web' });
    expect(second.json).toEqual({
      session: expect.stringMatching(/^[0-9a-f]{32}$/),
      user: 'u1',
      user_id: userId,
      context_id: contextId,
      locale: 'en_US',
    });
    expect(second.cookies!.length).toBeGreaterThan(2);
    expect(await codeOf(send(login.tokens, { serverToken, clientToken: 'mine', client: 'web' }))).toBe('SES-0210');
  });

  it('a wrong client token is refused and uses the server token up', async () => {
    const { headers, status } = await send(login.tokenLogin, { ...form, clientToken: 'mine' });
    expect(status).toBe(302);
    const serverToken = fragmentOf(headers!.Location!).get('serverToken');
    const step = (clientToken: string) => codeOf(send(login.tokens, { serverToken, clientToken, client: 'web' }));
    expect(await step('guessed')).toBe('SES-0211');
    expect(await step('mine')).toBe('SES-0210');
  });

  it('a session cannot come of a password that changed between the steps', async () => {
    const user = await identity.call(provisioning.createUser, {
      query: { contextId },
      body: { name: 'u2', password: PASSWORD, surname: 'Two', displayName: 'two', primaryEmail: 'u2@acme.example' },
    });
    const { json } = await send(login.tokenLogin, { ...form, login: 'u2', clientToken: 'c', jsonResponse: true });
    await identity.call(provisioning.setPassword, {
      query: { contextId, userId: user.id },
      body: { password: 'another password' },
    });
    const step = send(login.tokens, { serverToken: json.serverToken, clientToken: 'c', client: 'web' });
    expect(await codeOf(step)).toBe('LGI-0006');
    expect(await identity.sessions.listByUser(contextId, user.id)).toEqual([]);
  });

  it('a token of one session opens another one for an application that knows its secret', async () => {
    const { json } = await identity.login('u1', PASSWORD);
    const { principal } = (await identity.sessions.peek(json.session))!;
    const acquire = () => identity.call(token.acquireToken, { principal });
    const redeem = (facts: object) => send(login.redeemToken, { client: 'app', ...facts });
    const { token: first } = await acquire();
    expect(await codeOf(redeem({ token: first, secret: 'wrong' }))).toBe('TOKEN-LOGIN-0001');
    const opened = await redeem({ token: first, secret: SECRET });
    expect(opened.json).toMatchObject({ user: 'u1', user_id: userId, context_id: contextId });
    const session = (await identity.sessions.peek(opened.json.session))!;
    expect(session.client).toBe('app');
    expect(identity.sessions.unsealPassword(session)).toBe(PASSWORD);
    expect(await codeOf(redeem({ token: first, secret: SECRET }))).toBe('TOKEN-LOGIN-0001');
    const without = await redeem({ token: (await acquire()).token, secret: 'other' });
    expect((await identity.sessions.peek(without.json.session))!.password).toBeUndefined();
    const { token: late } = await acquire();
    await identity.sessions.removeSession(json.session);
    expect(await codeOf(redeem({ token: late, secret: SECRET }))).toBe('TOKEN-LOGIN-0001');
  });

  it('makes identity tokens for registered systems only', async () => {
    const { json } = await identity.login('u1', PASSWORD);
    const { principal } = (await identity.sessions.peek(json.session))!;
    const ask = (system: string) => identity.call(jump.identityToken, { principal, query: { system } });
    expect(await ask('shop')).toEqual({ token: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(await codeOf(ask('bank'))).toBe('SVL-0010');
    expect(await codeOf(ask(''))).toBe('SVL-0010');
  });

  it('random tokens, where switched on, open the same session once', async () => {
    const { json } = await identity.login('u1', PASSWORD, { client: 'a' });
    const redeem = (random: string, client?: string) => send(login.redeem, undefined, {}, { random, client });
    const opened = await redeem(json.random, 'b');
    expect(opened.json.session).toBe(json.session);
    expect((await identity.sessions.peek(json.session))!.client).toBe('b');
    expect((await redeem(json.random)).status).toBe(403);
    const again = await identity.login('u1', PASSWORD);
    const led = await send(login.redirect, undefined, {}, { random: again.json.random, store: 'true' });
    expect(led).toMatchObject({ status: 302 });
    expect(fragmentOf(led.headers!.Location!).get('session')).toBe(again.json.session);
    expect((await send(login.redirect, undefined, {}, { random: 'f'.repeat(32) })).status).toBe(403);
  });

  it('no token that was not given out opens a session', async () => {
    for (const share of ['x', 'a'.repeat(48)])
      for (const operation of [login.anonymous, login.guest])
        expect(await codeOf(send(operation, { share, password: 'p' }))).toBe('SHR-0002');
  });

  it('keeps no token and no password readable in the store', async () => {
    const { json } = await send(login.tokenLogin, { ...form, clientToken: 'client token', jsonResponse: true });
    const entries = await identity.stored();
    expect(entries.length).toBeGreaterThan(0);
    for (const secret of [json.serverToken, PASSWORD, 'client token'])
      expect(entries.some((entry) => entry.includes(secret))).toBe(false);
  });
});
