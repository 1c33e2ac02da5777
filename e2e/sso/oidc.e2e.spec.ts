import { get } from 'node:http';
import { OpenIdProvider, until } from '@groupware/test-kit';
import { AdminClient, Client, type Envelope } from '../client';
import { createContext, createTestUser, type TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { expireToken } from './expire';
import { LyingProvider, type TokenParts } from './lying-provider';
import { PlainBrowser } from './provider-browser';

const SECRET = 'secret of the product at the provider';
const variables = { GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1' };
const liar = new LyingProvider();
let provider: OpenIdProvider;
let world: TestEnvironment;
let properties: Record<string, string>;
let admin: AdminClient;
let contextId: number;
let U1: TestUser;

beforeAll(async () => {
  provider = await OpenIdProvider.start();
  const lies = await liar.start();
  properties = {
    'com.example.oidc.enabled': 'true',
    'com.example.oidc.clientId': 'groupware',
    'com.example.oidc.clientSecret': SECRET,
    'com.example.oidc.opIssuer': provider.issuer,
    'com.example.oidc.scope': 'openid email profile offline_access',
    'com.example.oidc.allowPlain': 'true',
    'com.example.oidc.ssoLogout': 'true',
    'com.example.oidc.autoProvisioning': 'true',
    'com.example.oidc.uiWebPath': '/ui/',
    'com.example.oidc.rpRedirectURILogout': '/goodbye',
    'com.example.oidc.backends': 'other,liar,direct,through',
    'com.example.oidc.liar.hosts': 'liar.example',
    'com.example.oidc.liar.opIssuer': lies,
    'com.example.oidc.liar.opAuthorizationEndpoint': `${lies}/authorize`,
    'com.example.oidc.liar.opTokenEndpoint': `${lies}/token`,
    'com.example.oidc.liar.opJwkSetEndpoint': `${lies}/keys`,
    'com.example.oidc.other.hosts': 'other.example',
    'com.example.oidc.other.autoProvisioning': 'false',
    'com.example.oidc.direct.hosts': 'direct.example',
    'com.example.oidc.direct.autologinCookieMode': 'svc_direct',
    'com.example.oidc.through.hosts': 'through.example',
    'com.example.oidc.through.autologinCookieMode': 'sso_redirect',
  };
  world = await startTestEnvironment({
    modules: ['identity', 'settings', 'folders', 'calendar', 'sso', 'admin', 'gateway'],
    variables,
    properties,
  });
  const origin = world.publicUrl;
  await provider.putClient({
    client_id: 'groupware',
    client_secret: SECRET,
    redirect_uris: ['', 'other/', 'direct/', 'through/'].map((backend) => `${origin}/oidc/${backend}auth`),
    post_logout_redirect_uris: [`${origin}/oidc/logout`],
    backchannel_logout_uri: `${origin}/oidc/backchannel`,
    backchannel_logout_session_required: true,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'openid email profile offline_access',
  });
  admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  contextId = await createContext(admin, 'sso');
  U1 = await createTestUser(world, admin, contextId, 'u1');
}, 120_000);
afterAll(async () => {
  await world?.close();
  await provider?.close();
  liar.close();
});

const loginOf = (name: string): string => `${name}@${contextId}`;
const start = (parameters: Record<string, string> = {}, path = '/oidc/init'): string =>
  `${world.publicUrl}${path}?${new URLSearchParams({ flow: 'login', redirect: 'true', client: 'web', ...parameters })}`;

/** Goes to the provider and back; answers the address at which the provider's answer is taken. */
async function goToProvider(
  browser: PlainBrowser,
  login: string,
  parameters: Record<string, string> = {},
  path?: string,
): Promise<string> {
  const begun = await browser.request(start(parameters, path));
  expect(begun.status).toBe(302);
  return browser.logInAtProvider(begun.headers.get('location')!, login);
}

/** Logs in; answers what the address of the web client says. */
async function logIn(
  browser: PlainBrowser,
  login: string,
  parameters: Record<string, string> = {},
  path?: string,
): Promise<URLSearchParams> {
  const back = await goToProvider(browser, login, parameters, path);
  const end = await browser.follow(back, (location) => new URL(location).hash !== '');
  return new URLSearchParams(new URL(end.url).hash.slice(1));
}

/** A client of the API with the cookies of a browser. */
function clientOf(browser: PlainBrowser, session: string, replica = world.publicUrl): Client {
  const client = new Client(replica, browser.userAgent);
  for (const pair of browser.cookiesFor(world.publicUrl).split('; ')) {
    const at = pair.indexOf('=');
    client.setCookie(pair.slice(0, at), pair.slice(at + 1));
  }
  return Object.assign(client, { session });
}
const isLive = async (browser: PlainBrowser, session: string | null, replica?: string): Promise<boolean> =>
  (await clientOf(browser, session ?? '', replica).get('system', 'whoami')).error === undefined;
/** Starts a further process with a gateway of its own, of the same installation. */
const startReplica = (): Promise<TestEnvironment> => {
  const { GROUPWARE_BUS_PREFIX, GROUPWARE_PRINCIPAL_KEY } = world.environment;
  const shared = { GROUPWARE_BUS_PREFIX: GROUPWARE_BUS_PREFIX!, GROUPWARE_PRINCIPAL_KEY: GROUPWARE_PRINCIPAL_KEY! };
  return startTestEnvironment({
    modules: ['sso', 'gateway'],
    variables: { ...variables, ...shared },
    properties,
  });
};

describe('login by OpenID Connect', () => {
  it('SO-44: leads through the provider to a session with cookies', async () => {
    const browser = new PlainBrowser();
    const facts = await logIn(browser, loginOf('u1'));
    expect(facts.get('user_id')).toBe(String(U1.userId));
    expect(facts.get('context_id')).toBe(String(contextId));
    expect(await isLive(browser, facts.get('session'))).toBe(true);
    expect(browser.visited.some((url) => url.includes('/login?action=oidcLogin&sessionToken='))).toBe(true);
  });

  it('sends code flow, state, nonce and PKCE, and binds the browser by a cookie', async () => {
    const begun = await new PlainBrowser().request(start());
    const asked = new URL(begun.headers.get('location')!).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      client_id: 'groupware',
      redirect_uri: `${world.publicUrl}/oidc/auth`,
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[0-9a-f]{32}$/),
      nonce: expect.stringMatching(/^[\w-]{40,}$/),
    });
    expect(begun.headers.getSetCookie().join()).toMatch(/svc-sso=[0-9a-f]{32}; Path=\/; HttpOnly/);
  });

  it('answers the address as JSON without redirect, by GET and POST, with and without prefix', async () => {
    for (const path of ['/init', '/oidc/init', '/oidc/other/init']) {
      const url = start({ redirect: 'false' }, path);
      const answer = (await (await new PlainBrowser().request(url)).json()) as { redirect: string };
      expect(answer.redirect).toMatch(new RegExp(`^${provider.issuer}/auth\\?`));
    }
    const body = new URLSearchParams({ flow: 'login', redirect: 'false' });
    const posted = await new PlainBrowser().request(`${world.publicUrl}/init`, { method: 'POST', body });
    expect(await posted.json()).toEqual({ redirect: expect.any(String) });
    expect((await new PlainBrowser().request(start({ flow: 'dance' }))).status).toBe(400);
    expect((await new PlainBrowser().request(`${world.publicUrl}/oidc/init`)).status).toBe(400);
  });

  it('tells the login page of a host where to begin', async () => {
    const ask = async (host: string) => {
      const url = `${world.publicUrl}/apps/manifests?action=config`;
      const answer = await new Promise<string>((resolve, reject) => {
        get(url, { headers: { host } }, (response) => {
          let text = '';
          response.on('data', (part) => (text += part)).on('end', () => resolve(text));
        }).on('error', reject);
      });
      const { oidcLogin, oidcPath } = (JSON.parse(answer) as { data: Record<string, unknown> }).data;
      return { oidcLogin, oidcPath };
    };
    expect(await ask('anything.example')).toEqual({ oidcLogin: true, oidcPath: '/oidc' });
    expect(await ask('other.example:8080')).toEqual({ oidcLogin: true, oidcPath: '/oidc/other' });
  });

  it('SO-45: brings a deep link back in the fragment, without letting it set what identifies the session', async () => {
    const facts = await logIn(new PlainBrowser(), loginOf('u1'), { hash: 'm=mail&f=1&x=a b&session=evil&user_id=1' });
    expect(facts.get('m')).toBe('mail');
    expect(facts.get('f')).toBe('1');
    expect(facts.get('x')).toBe('a b');
    expect(facts.getAll('session')).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(facts.getAll('user_id')).toEqual([String(U1.userId)]);
  });

  it('SO-47: goes on after the provider changed its keys', async () => {
    await provider.rotateKeys();
    const browser = new PlainBrowser();
    expect(await isLive(browser, (await logIn(browser, loginOf('u1'))).get('session'))).toBe(true);
  });

  it('SO-50: takes a state once', async () => {
    const browser = new PlainBrowser();
    const back = await goToProvider(browser, loginOf('u1'));
    expect((await browser.request(back)).status).toBe(302);
    const again = await browser.request(back);
    expect(again.status).toBe(403);
    expect(await again.text()).toContain('OIDC-0010');
  });

  it('SO-52: takes a state for five minutes', async () => {
    const browser = new PlainBrowser();
    const back = await goToProvider(browser, loginOf('u1'));
    const lifeMs = await expireToken(world, 'oidc-login', new URL(back).searchParams.get('state')!);
    expect(lifeMs).toBeGreaterThan(200_000);
    expect(lifeMs).toBeLessThanOrEqual(300_000);
    const late = await browser.request(back);
    expect(late.status).toBe(403);
    expect(await late.text()).toContain('OIDC-0010');
  });

  it('SO-51: takes a state of one process at another', async () => {
    const second = await startReplica();
    try {
      // Each call goes to any of the processes: some of the logins begin at one and end at the other.
      for (let login = 0; login < 4; login++) {
        const browser = new PlainBrowser();
        const back = await goToProvider(browser, loginOf('u1'));
        const headers = { cookie: browser.cookiesFor(world.publicUrl) };
        const taken = await browser.request(back.replace(world.publicUrl, second.publicUrl), { headers });
        expect([taken.status, taken.headers.get('location')]).toEqual([302, expect.stringContaining('oidcLogin')]);
        const end = await browser.request(new URL(taken.headers.get('location')!, second.publicUrl).href, { headers });
        const facts = new URLSearchParams(new URL(end.headers.get('location')!, world.publicUrl).hash.slice(1));
        expect(facts.get('user_id')).toBe(String(U1.userId));
      }
    } finally {
      await second.close();
    }
  }, 60_000);

  it('takes the answer in the browser that asked only', async () => {
    const back = await goToProvider(new PlainBrowser(), loginOf('u1'));
    const other = await new PlainBrowser().request(back);
    expect(other.status).toBe(403);
    expect(await other.text()).toContain('OIDC-0010');
  });

  it('SO-54: takes a reservation once, and in the browser that asked only', async () => {
    const browser = new PlainBrowser();
    const back = await goToProvider(browser, loginOf('u1'));
    const reserved = new URL((await browser.request(back)).headers.get('location')!, world.publicUrl).href;
    const second = await goToProvider(browser, loginOf('u1'));
    const stolen = new URL((await browser.request(second)).headers.get('location')!, world.publicUrl).href;
    expect((await new PlainBrowser().request(stolen)).status).toBe(403);
    expect((await browser.request(stolen)).status).toBe(403);
    expect((await browser.request(reserved)).status).toBe(302);
    expect((await browser.request(reserved)).status).toBe(403);
    expect((await browser.request(`${world.publicUrl}/login?action=oidcLogin`)).status).toBe(400);
    expect(
      (await browser.request(reserved.replace('oidcLogin', 'samlLogin').replace('sessionToken', 'token'))).status,
    ).toBe(403);
  });

  it('tells a proxy whom a reservation is of, and leaves it good', async () => {
    const service = new AdminClient(world.internalUrl, world.service.login, world.service.password);
    const analyse = (url: string) =>
      service.request('POST', '/request-analysis/v1/analyze', {
        ...{ method: 'GET', url, remoteIP: '10.1.1.1', headers: [] },
      });
    const browser = new PlainBrowser();
    const back = await goToProvider(browser, loginOf('u1'));
    const reserved = new URL((await browser.request(back)).headers.get('location')!, world.publicUrl).href;
    const headers = { 'x-svc-context-id': contextId, 'x-svc-user-id': U1.userId, 'x-svc-login': loginOf('u1') };
    for (let twice = 0; twice < 2; twice++)
      expect(await analyse(reserved)).toMatchObject({ status: 200, body: { headers, type: 'SUCCESS' } });
    const bySaml = reserved.replace('oidcLogin', 'samlLogin').replace('sessionToken', 'token');
    expect((await analyse(bySaml)).status).toBe(404);
    expect((await browser.request(reserved)).status).toBe(302);
    expect((await analyse(reserved)).status).toBe(404);
  });

  it('SO-55: answers the login object to clients that accept JSON', async () => {
    const browser = new PlainBrowser();
    const back = await goToProvider(browser, loginOf('u1'));
    const reserved = new URL((await browser.request(back)).headers.get('location')!, world.publicUrl).href;
    const answer = await browser.request(reserved, { headers: { accept: 'application/json' } });
    expect(await answer.json()).toEqual({
      session: expect.stringMatching(/^[0-9a-f]{32}$/),
      user: loginOf('u1'),
      user_id: U1.userId,
      context_id: contextId,
      locale: 'en_US',
    });
  });

  it('SO-61: keeps backends apart: the state of one is none of the other', async () => {
    const browser = new PlainBrowser();
    const back = await goToProvider(browser, loginOf('u1'));
    const other = await browser.request(back.replace('/oidc/auth', '/oidc/other/auth'));
    expect(other.status).toBe(403);
    expect(await other.text()).toContain('OIDC-0010');
    expect((await browser.request(start({}, '/oidc/unknown/init'))).status).toBe(404);
  });

  it('SO-62: starts for the issuer that is set up only, and follows no target', async () => {
    const known = await new PlainBrowser().request(
      start({ iss: provider.issuer, target_link_uri: 'https://evil.example/' }),
    );
    expect(known.headers.get('location')).not.toContain('evil.example');
    expect((await new PlainBrowser().request(start({ iss: 'https://evil.example' }))).status).toBe(400);
  });

  it('shows that the provider refused, without what it said', async () => {
    const browser = new PlainBrowser();
    const begun = new URL((await browser.request(start())).headers.get('location')!);
    const back = new URLSearchParams({
      state: begun.searchParams.get('state')!,
      error: 'access_denied',
      error_description: '<script>alert(1)</script>',
      iss: provider.issuer,
    });
    const page = await browser.request(`${world.publicUrl}/oidc/auth?${back}`);
    expect(page.status).toBe(403);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const html = await page.text();
    expect(html).toContain('OIDC-0023');
    expect(html).not.toContain('alert');
  });
});

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
/** Logs in with a token of the liar; answers the page, or the redirect of a login that is taken. */
async function answerWith(parts: TokenParts, browser = new PlainBrowser()): Promise<Response> {
  const begun = new URL((await browser.request(start({}, '/oidc/liar/init'))).headers.get('location')!);
  const { state, nonce } = Object.fromEntries(begun.searchParams) as { state: string; nonce: string };
  Object.assign(liar, { next: parts, login: { sub: loginOf('u1'), nonce }, keyReads: 0 });
  return browser.request(`${world.publicUrl}/oidc/liar/auth?${new URLSearchParams({ code: 'a code', state })}`);
}

describe('the ID token of a login', () => {
  const isTaken = (response: Response): boolean =>
    response.status === 302 && response.headers.get('location')!.includes('action=oidcLogin');

  it('is taken as it should be', async () => {
    expect(isTaken(await answerWith({}))).toBe(true);
  });

  it.each<[string, () => TokenParts]>([
    ['of another issuer', () => ({ claims: { iss: 'https://evil.example' } })],
    ['for somebody else', () => ({ claims: { aud: 'another' } })],
    ['that ended five minutes ago', () => ({ claims: { exp: inSeconds(-300) } })],
    ['without the nonce', () => ({ claims: { nonce: undefined } })],
    ['with another nonce', () => ({ claims: { nonce: 'another' } })],
    ['without a signature', () => ({ header: { alg: 'none' } })],
    ['signed with the public key', () => ({ header: { alg: 'HS256' }, isSignedByPublicKey: true })],
    ['of a key that nobody knows', () => ({ header: { kid: 'unknown' } })],
  ])('SO-46: is refused %s', async (_name, parts) => {
    const page = await answerWith(parts());
    expect([page.status, page.headers.get('location')]).toEqual([403, null]);
    expect(await page.text()).toContain('OIDC-0007');
    expect(liar.keyReads).toBeLessThanOrEqual(2);
  });

  it('SO-48: may have ended half a minute ago, as clocks differ', async () => {
    expect(isTaken(await answerWith({ claims: { exp: inSeconds(-30) } }))).toBe(true);
  });

  it('SO-49: may be for several when it was made for this one', async () => {
    const aud = ['groupware', 'another'];
    expect(isTaken(await answerWith({ claims: { aud, azp: 'groupware' } }))).toBe(true);
    expect(isTaken(await answerWith({ claims: { aud, azp: 'another' } }))).toBe(false);
  });
});

describe('users of a provider', () => {
  it('SO-53: refuses those whom nobody knows and disabled ones with the same page', async () => {
    const pages: string[] = [];
    await createTestUser(world, admin, contextId, 'off');
    const users = await admin.expect('GET', `/admin/v1/contexts/${contextId}/users`, undefined);
    const off = (users.items ?? users.users ?? users).find((user: { name: string }) => user.name === 'off');
    await admin.expect('PATCH', `/admin/v1/contexts/${contextId}/users/${off.id}`, { enabled: false });
    for (const login of ['nobody@elsewhere', loginOf('off')]) {
      const browser = new PlainBrowser();
      const answer = await browser.request(await goToProvider(browser, login));
      expect(answer.status).toBe(403);
      pages.push((await answer.text()).replace(/[0-9a-f-]{36}/, 'id'));
    }
    expect(pages[0]).toContain('OIDC-0016');
    expect(pages[1]).toBe(pages[0]);
  });

  it('makes a user at the first login where the operator wants it', async () => {
    const login = loginOf('newcomer');
    await provider.putAccount(login, {
      email: `newcomer@c${contextId}.example`,
      given_name: 'New',
      family_name: 'Comer',
      name: 'New Comer',
    });
    const browser = new PlainBrowser();
    const facts = await logIn(browser, login);
    const client = clientOf(browser, facts.get('session')!);
    expect((await client.get('system', 'whoami')).error).toBeUndefined();
    const again = await logIn(new PlainBrowser(), login);
    expect(again.get('user_id')).toBe(facts.get('user_id'));
  });
});

describe('browsers that come back', () => {
  const signOnCookie = /svc-oidc-\w+=[0-9a-f]{32}/;
  const locationOf = async (browser: PlainBrowser, parameters: Record<string, string>, path: string) => {
    const begun = await browser.request(start(parameters, path));
    return new URL(begun.headers.get('location')!, world.publicUrl);
  };

  it('SO-56: go straight to the web client, without the provider', async () => {
    const browser = new PlainBrowser();
    const session = (await logIn(browser, loginOf('u1'), {}, '/oidc/direct/init')).get('session')!;
    expect(browser.cookiesFor(world.publicUrl)).toMatch(signOnCookie);
    const address = await locationOf(browser, { hash: 'm=mail&session=evil' }, '/oidc/direct/init');
    expect(address.href).toMatch(new RegExp(`^${world.publicUrl}/ui/#`));
    expect(Object.fromEntries(new URLSearchParams(address.hash.slice(1)))).toEqual({
      session,
      user: loginOf('u1'),
      user_id: String(U1.userId),
      context_id: String(contextId),
      language: 'en_US',
      m: 'mail',
    });
    expect(await isLive(browser, session)).toBe(true);
    const answer = await browser.request(start({ redirect: 'false' }, '/oidc/direct/init'));
    expect(await answer.json()).toEqual({ redirect: expect.stringMatching(/^\/ui\/#session=/) });
  });

  it('go to the provider without the secret, at another backend, and when the session ended', async () => {
    const browser = new PlainBrowser();
    const session = (await logIn(browser, loginOf('u1'), {}, '/oidc/direct/init')).get('session')!;
    const [cookie] = signOnCookie.exec(browser.cookiesFor(world.publicUrl))!;
    const stolen = await fetch(start({}, '/oidc/direct/init'), {
      headers: { cookie, 'user-agent': browser.userAgent },
      redirect: 'manual',
    });
    expect(new URL(stolen.headers.get('location')!).origin).toBe(provider.issuer);
    expect((await locationOf(browser, {}, '/oidc/init')).origin).toBe(provider.issuer);
    await browser.request(`${world.publicUrl}/login?action=logout&session=${session}`);
    expect(browser.cookiesFor(world.publicUrl)).not.toMatch(signOnCookie);
    expect((await locationOf(browser, {}, '/oidc/direct/init')).origin).toBe(provider.issuer);
  });

  it('go through the provider, which is told whom the session is of', async () => {
    const browser = new PlainBrowser();
    await logIn(browser, loginOf('u1'), {}, '/oidc/through/init');
    const address = await locationOf(browser, {}, '/oidc/through/init');
    expect([address.origin, address.searchParams.get('id_token_hint')]).toEqual([
      provider.issuer,
      expect.stringMatching(/^ey/),
    ]);
    await logIn(browser, loginOf('u1'));
    expect((await locationOf(browser, {}, '/oidc/init')).searchParams.get('id_token_hint')).toBeNull();
  });

  it('have no other automatic login at such a host', async () => {
    const codeAt = (host: string) =>
      new Promise<string>((resolve, reject) => {
        get(`${world.publicUrl}/login?action=autologin`, { headers: { host } }, (response) => {
          let text = '';
          response.on('data', (part) => (text += part)).on('end', () => resolve((JSON.parse(text) as Envelope).code!));
        }).on('error', reject);
      });
    expect(await codeAt('direct.example')).toBe('SVL-0015');
    expect(await codeAt('anything.example')).not.toBe('SVL-0015');
  });
});

describe('logout by OpenID Connect', () => {
  it('SO-57: leads through the logout of the provider and ends the session', async () => {
    const browser = new PlainBrowser();
    const session = (await logIn(browser, loginOf('u1'))).get('session')!;
    const begun = await browser.request(start({ flow: 'logout', session }));
    const address = new URL(begun.headers.get('location')!);
    expect(address.origin).toBe(provider.issuer);
    expect(address.searchParams.get('id_token_hint')).toMatch(/^ey/);
    expect(address.searchParams.get('state')).toMatch(/^[0-9a-f]{32}$/);
    const page = await browser.follow(address.href);
    const out = await browser.submit(page, { logout: 'yes' });
    const end = await browser.follow(new URL(out.headers.get('location')!, page.url).href, (location) =>
      location.endsWith('/goodbye'),
    );
    expect(end.url).toBe(`${world.publicUrl}/goodbye`);
    expect(await isLive(browser, session)).toBe(false);
  });

  it('SO-58: leaves the session alone when the user stays', async () => {
    const browser = new PlainBrowser();
    const session = (await logIn(browser, loginOf('u1'))).get('session')!;
    const begun = await browser.request(start({ flow: 'logout', session }));
    const state = new URL(begun.headers.get('location')!).searchParams.get('state')!;
    const resumed = await browser.request(
      `${world.publicUrl}/oidc/logout?${new URLSearchParams({ state, type: 'resume' })}`,
    );
    expect(resumed.headers.get('location')).toContain(session);
    expect(await isLive(browser, session)).toBe(true);
    const unknown = await browser.request(`${world.publicUrl}/logout?${new URLSearchParams({ state })}`);
    for (const refused of [unknown, await browser.request(`${world.publicUrl}/logout`)]) {
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain('OIDC-0018');
    }
  });

  it('begins none for a session of somebody else', async () => {
    const browser = new PlainBrowser();
    const session = (await logIn(browser, loginOf('u1'))).get('session')!;
    expect((await new PlainBrowser().request(start({ flow: 'logout', session }))).status).toBe(400);
    expect((await browser.request(start({ flow: 'logout' }))).status).toBe(400);
    expect(await isLive(browser, session)).toBe(true);
  });

  it('SO-59: ends the sessions of a provider session when the user logs out there, within a second on every replica', async () => {
    const second = await startReplica();
    try {
      const browser = new PlainBrowser();
      // Two web clients of one browser.
      const sessions = [
        await logIn(browser, loginOf('u1')),
        await logIn(browser, loginOf('u1'), { client: 'another' }),
      ];
      const elsewhere = new PlainBrowser();
      const other = (await logIn(elsewhere, loginOf('u1'))).get('session')!;
      const places = sessions.flatMap((facts) =>
        [world.publicUrl, second.publicUrl].map((replica) => [facts.get('session'), replica] as const),
      );
      const live = () => Promise.all(places.map(([session, replica]) => isLive(browser, session, replica)));
      expect(await live()).toEqual([true, true, true, true]);
      const page = await browser.follow(`${provider.issuer}/session/end`);
      await browser.submit(page, { logout: 'yes' });
      await until(async () => !(await live()).includes(true), 1_000);
      expect(await isLive(elsewhere, other, second.publicUrl)).toBe(true);
    } finally {
      await second.close();
    }
  }, 60_000);

  const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
  let tokens = 0;
  const logoutToken = (claims: object = {}, parts: Omit<TokenParts, 'claims'> = {}): string =>
    liar.makeToken({
      ...parts,
      claims: { jti: `jti ${++tokens}`, sid: 'reported', events: { [EVENT]: {} }, ...claims },
    });
  const report = async (token: string | undefined, backend = 'liar/'): Promise<number> => {
    const body = new URLSearchParams(token === undefined ? {} : { logout_token: token });
    return (await fetch(`${world.publicUrl}/oidc/${backend}backchannel`, { method: 'POST', body })).status;
  };

  it('SO-59: takes no report that the provider did not make for this, and each one once', async () => {
    const logInAs = async (sid: string): Promise<() => Promise<boolean>> => {
      const browser = new PlainBrowser();
      const taken = await answerWith({ claims: { sid } }, browser);
      const back = new URL(taken.headers.get('location')!, world.publicUrl).href;
      const end = await browser.follow(back, (location) => new URL(location).hash !== '');
      const session = new URLSearchParams(new URL(end.url).hash.slice(1)).get('session');
      return () => isLive(browser, session);
    };
    const isFirstLive = await logInAs('reported');
    for (const [what, token] of Object.entries({
      'an ID token': liar.makeToken({ claims: { sub: loginOf('u1'), sid: 'reported', nonce: 'a' } }),
      'with a nonce': logoutToken({ nonce: 'a' }),
      'without events': logoutToken({ events: undefined }),
      'of another event': logoutToken({ events: { other: {} } }),
      'an event that is none': logoutToken({ events: { [EVENT]: 'text' } }),
      'for somebody else': logoutToken({ aud: 'another' }),
      'of somebody else': logoutToken({ iss: 'https://evil.example' }),
      'of nobody': logoutToken({ sid: undefined }),
      'without an id': logoutToken({ jti: undefined }),
      'that ended': logoutToken({ exp: inSeconds(-300) }),
      'made long ago': logoutToken({ iat: inSeconds(-3_600) }),
      'without a signature': logoutToken({}, { header: { alg: 'none' } }),
      'signed with the public key': logoutToken({}, { header: { alg: 'HS256' }, isSignedByPublicKey: true }),
      'of a key that nobody knows': logoutToken({}, { header: { kid: 'unknown' } }),
      'no token': 'a.b.c',
      nothing: '',
      'no parameter': undefined,
      'too much': `a.${'b'.repeat(20_000)}.c`,
    }))
      expect([what, await report(token)]).toEqual([what, 400]);
    // The provider of one backend says nothing to another.
    expect(await report(logoutToken(), '')).toBe(400);
    expect(await isFirstLive()).toBe(true);
    const right = logoutToken();
    expect(await report(right)).toBe(200);
    await until(async () => !(await isFirstLive()), 1_000);
    const isSecondLive = await logInAs('reported');
    expect(await report(right)).toBe(400);
    expect(await isSecondLive()).toBe(true);
  });
});
