import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OpenIdProvider, until } from '@groupware/test-kit';
import { Client as Database } from 'pg';
import type { Client } from '../client';
import { createFixtures, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { keepOutOfLogs } from '../secrets';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { PlainBrowser } from './provider-browser';

const SECRET = 'secret of the product at the service';
const WORK = 'com.example.oauth.work';
const LAME = 'com.example.oauth.lame';
const GONE = 'com.example.oauth.gone';
let provider: OpenIdProvider;
let lame: Server;
let world: TestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  provider = await OpenIdProvider.start();
  lame = await startLameService();
  const lameUrl = `http://127.0.0.1:${(lame.address() as AddressInfo).port}`;
  world = await startTestEnvironment({
    modules: ['identity', 'settings', 'folders', 'calendar', 'sso', 'gateway'],
    variables: { GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1' },
    properties: {
      'com.example.oauth.services': 'work, lame, gone, incomplete',
      'com.example.oauth.allowPlain': 'true',
      'com.example.oauth.maxAccounts': '5',
      [`${WORK}.displayName`]: 'Work',
      [`${WORK}.issuer`]: provider.issuer,
      [`${WORK}.apiKey`]: 'groupware',
      [`${WORK}.apiSecret`]: SECRET,
      [`${WORK}.scopes.mail`]: 'mail email',
      [`${WORK}.scopes.contacts_ro`]: 'contacts',
      [`${WORK}.scopes.offline`]: 'offline_access',
      [`${WORK}.authorizationParameters`]: 'prompt=consent',
      [LAME]: 'true',
      [`${LAME}.apiKey`]: 'groupware',
      [`${LAME}.apiSecret`]: SECRET,
      [`${LAME}.authorizationEndpoint`]: `${lameUrl}/authorize`,
      [`${LAME}.tokenEndpoint`]: `${lameUrl}/token`,
      [`${LAME}.userInfoEndpoint`]: `${lameUrl}/me`,
      [`${LAME}.identityField`]: 'number',
      [`${LAME}.scopes.generic`]: 'all',
      [GONE]: 'true',
      [`${GONE}.apiKey`]: 'groupware',
      [`${GONE}.apiSecret`]: SECRET,
      [`${GONE}.issuer`]: 'http://127.0.0.1:9',
      'com.example.oauth.incomplete': 'true',
    },
  });
  await provider.putClient({
    client_id: 'groupware',
    client_secret: SECRET,
    redirect_uris: [`${world.publicUrl}/defer`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'openid email mail contacts offline_access',
  });
  cast = await createFixtures(world);
  await enable(cast.U1);
  await enable(cast.X1);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await provider?.close();
  lame?.close();
  lame?.closeAllConnections();
});

/** Switches a service on for one user. */
const enable = (user: TestUser, value = true, contextId = user.contextId): Promise<unknown> =>
  cast.admin.expect('PUT', `/admin/v1/contexts/${contextId}/users/${user.userId}/config/${WORK}`, { value });

/** A service that answers in ways that no service should: the code says how. */
async function startLameService(): Promise<Server> {
  const server = createServer((request, response) => {
    const json = (facts: object): unknown =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(facts));
    if (request.url === '/me') return json({ number: 17 });
    let body = '';
    request
      .on('data', (part) => (body += String(part)))
      .on('end', () => {
        const code = new URLSearchParams(body).get('code');
        if (code === 'fault') return response.writeHead(500).end('fault');
        if (code === 'html') return response.setHeader('content-type', 'text/html').end('<html>');
        if (code === 'large') return response.setHeader('content-type', 'application/json').end('x'.repeat(5_000_000));
        if (code === 'good') return json({ access_token: 'token of the lame service', token_type: 'Bearer' });
        return undefined;
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

interface Begun {
  authUrl: string;
  uuid: string;
}
/** A browser with a session of a user, whose cookies it shares with the API. */
async function logIn(user: TestUser): Promise<{ browser: PlainBrowser; session: string }> {
  const browser = new PlainBrowser();
  const body = new URLSearchParams({ name: user.loginName, password: PASSWORD });
  const answer = await browser.request(`${world.publicUrl}/login?action=login`, { method: 'POST', body });
  const { session } = (await answer.json()) as { session: string };
  keepOutOfLogs(session);
  return { browser, session };
}
type Entered = Awaited<ReturnType<typeof logIn>>;
const addressOf = (action: string, parameters: Record<string, string>): string =>
  `${world.publicUrl}/oauth/accounts?${new URLSearchParams({ action, ...parameters })}`;
const ask = async ({ browser, session }: Entered, action: string, parameters: Record<string, string>) => {
  const method = action === 'create' || action === 'reauthorize' ? { method: 'PUT' } : {};
  const response = await browser.request(addressOf(action, { session, ...parameters }), method);
  return (await response.json()) as { data?: any; code?: string };
};
async function begin(entered: Entered, parameters: Record<string, string> = {}): Promise<Begun> {
  const asked = { serviceId: WORK, displayName: 'Mine', scopes: 'mail contacts_ro', ...parameters };
  const { data, code } = await ask(entered, 'init', asked);
  expect(code).toBeUndefined();
  return data;
}
/** Reads what the page at the end gives to the client. */
function readPage(html: string): { data?: any; code?: string } {
  const [, json] = /\((\{.*\})\)/s.exec(html) ?? [];
  if (!json) throw new Error(`no page with an answer: ${html.slice(0, 200)}`);
  return JSON.parse(json);
}
/** Grants access at the provider; answers what the client learns at the end. */
async function grant(entered: Entered, login: string, parameters: Record<string, string> = {}) {
  const { authUrl } = await begin(entered, parameters);
  const back = await entered.browser.logInAtProvider(authUrl, login);
  const end = await entered.browser.follow(back);
  return { back, html: await end.response.clone().text(), answer: readPage(await end.response.text()) };
}
const accountsOf = async (user: Client): Promise<any[]> => (await user.get<any[]>('oauth/accounts', 'all')).data!;

/** A value of the tables of accounts. */
async function query(sql: string, ...parameters: unknown[]): Promise<any[]> {
  const database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  try {
    return (await database.query(sql, parameters)).rows;
  } finally {
    await database.end();
  }
}

describe('services elsewhere', () => {
  it('SO-01: are offered to whom they are switched on for', async () => {
    const listed = await cast.U1.get<any[]>('oauth/services', 'all');
    const work = { id: WORK, displayName: 'Work', availableScopes: ['mail', 'contacts_ro', 'offline'] };
    expect(listed.data).toEqual([
      work,
      { id: LAME, displayName: 'lame', availableScopes: ['generic'] },
      { id: GONE, displayName: 'gone', availableScopes: [] },
    ]);
    expect((await cast.U1.get('oauth/services', 'get', { id: WORK })).data).toEqual(work);
    expect((await cast.U2.get<any[]>('oauth/services', 'all')).data!.map(({ id }) => id)).toEqual([LAME, GONE]);
    for (const id of [WORK, 'com.example.oauth.incomplete', 'nothing'])
      expect((await cast.U2.get('oauth/services', 'get', { id })).code).toBe('OAUTH-0004');
    const refused = await cast.U2.get('oauth/accounts', 'init', { serviceId: WORK, displayName: 'x' });
    expect(refused.code).toBe('OAUTH-0004');
  });
});

describe('a request for access', () => {
  it('SO-02: asks for the scopes of the service, with state and proof key', async () => {
    const { authUrl, uuid, ...rest } = await begin(await logIn(cast.U1));
    expect(rest).toEqual({ type: 'callback', token: '' });
    expect(uuid).toMatch(/^[0-9a-f]{32}$/);
    const asked = new URL(authUrl);
    expect(asked.origin).toBe(provider.issuer);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      prompt: 'consent',
      client_id: 'groupware',
      response_type: 'code',
      redirect_uri: `${world.publicUrl}/defer`,
      scope: 'openid mail email contacts offline_access',
      state: expect.stringMatching(/^[0-9a-f]{32}$/),
      nonce: expect.stringMatching(/^[\w-]{40,}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('SO-15: redirects where the client wants it', async () => {
    const { browser, session } = await logIn(cast.U1);
    const asked = { session, serviceId: WORK, displayName: 'x', scopes: 'mail', redirect: 'true' };
    const response = await browser.request(addressOf('init', asked));
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toContain(`${provider.issuer}/auth?`);
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('is refused without a name, with scopes that are not offered and for accounts that are not there', async () => {
    const entered = await logIn(cast.U1);
    const codeOf = async (parameters: Record<string, string>) =>
      (await ask(entered, 'init', { serviceId: WORK, displayName: 'x', ...parameters })).code;
    expect(await codeOf({ displayName: ' ' })).toBe('OAUTH-0014');
    expect(await codeOf({ scopes: 'mail drive' })).toBe('SVL-0010');
    expect(await codeOf({ id: '4711' })).toBe('OAUTH-0006');
    expect(await codeOf({ serviceId: GONE, scopes: '' })).toBe('OAUTH-0018');
  });
});

describe('an account', () => {
  it('SO-03, SO-04, SO-19: is made once, is listed without tokens, and keeps them sealed', async () => {
    const entered = await logIn(cast.U1);
    const { back, html, answer } = await grant(entered, 'ann@work.example', { cb: 'done_1' });
    expect(html).toContain('parent["done_1"]');
    const account = {
      id: expect.any(Number),
      displayName: 'Mine',
      serviceId: WORK,
      enabledScopes: ['mail', 'contacts_ro'],
      availableScopes: ['mail', 'contacts_ro', 'offline'],
      associations: [],
    };
    expect(answer).toEqual({ data: account });
    expect(await accountsOf(cast.U1)).toEqual([account]);
    const { id } = answer.data;
    expect((await cast.U1.get('oauth/accounts', 'get', { id })).data).toEqual(account);
    expect((await cast.U1.get<any[]>('oauth/accounts', 'all', { serviceId: LAME })).data).toEqual([]);

    const again = await entered.browser.request(back);
    expect(again.status).toBe(403);
    expect(await again.text()).toContain('OAUTH-0016');
    const [, uuid] = /uuid=([0-9a-f]{32})/.exec(entered.browser.visited.join(' '))!;
    expect((await ask(entered, 'create', { uuid: uuid!, code: 'x', state: 'y' })).code).toBe('OAUTH-0016');
    expect(await accountsOf(cast.U1)).toHaveLength(1);

    const [row] = await query(
      'select t::text as row, sealed from sso.oauth_account t where user_id = $1',
      cast.U1.userId,
    );
    expect(row.row).not.toContain('ann@work.example');
    expect(row.sealed).toMatch(/^[0-9a-f]{8}(\.[\w-]+){3}$/);
  });

  it('SO-05: is not made for the state of somebody else', async () => {
    const mine = await logIn(cast.U1);
    const other = await logIn(cast.X1);
    const before = (await accountsOf(cast.U1)).length;
    const { authUrl, uuid } = await begin(mine);
    const back = await mine.browser.logInAtProvider(authUrl, 'ann@work.example');
    const page = await other.browser.request(back);
    expect(page.status).toBe(403);
    expect(page.headers.get('location')).toBeNull();
    const { code, state } = Object.fromEntries(new URL(back).searchParams) as Record<string, string>;
    const stolen = await ask(other, 'create', { uuid, code: code!, state: state! });
    expect(stolen.code).toBe('OAUTH-0016');
    const besides = await ask({ ...other, session: mine.session }, 'create', { uuid, code: code!, state: state! });
    expect(besides.code).toBe('SES-0206');
    expect((await ask(mine, 'create', { uuid, code: code!, state: 'wrong' })).code).toBe('OAUTH-0016');
    for (const action of ['create', 'reauthorize']) {
      const request = { session: mine.session, id: '1', uuid: 'x' };
      const answer = await mine.browser.request(addressOf(action, request));
      expect(await answer.json()).toMatchObject({ code: 'OAUTH-0016' });
    }
    expect(await accountsOf(cast.X1)).toEqual([]);
    expect(await accountsOf(cast.U1)).toHaveLength(before);
    // By the session that began it, the request is good yet: also as the client calls it that took the browser's address itself.
    const answered = { oauth_token: code!, oauth_verifier: state!, iss: provider.issuer };
    const made = await ask(mine, 'create', { uuid, ...answered, displayName: 'Other' });
    expect(made.data).toMatchObject({ displayName: 'Other', serviceId: WORK });
  });

  /** The calls that end a request: of clients and of browsers, for a new account and for one that is there. */
  const WAYS = ['create', 'reauthorize'].flatMap((action) => ['PUT', 'GET'].map((method) => ({ action, method })));
  async function finish(
    { browser, session }: Entered,
    { action, method }: (typeof WAYS)[number],
    asked: Record<string, string>,
    answered: Record<string, string>,
    meanwhile: () => Promise<unknown> = async () => undefined,
  ) {
    const { id, ...rest } = asked;
    const account: Record<string, string> = action === 'reauthorize' ? { id: id! } : {};
    const { uuid, authUrl } = await begin({ browser, session }, { ...rest, ...account });
    const state = new URL(authUrl).searchParams.get('state')!;
    await meanwhile();
    const response = await browser.request(addressOf(action, { session, uuid, state, ...account, ...answered }), {
      method,
    });
    return (await response.json()) as { data?: any; code?: string };
  }

  it('SO-06: is not made of an answer that is none', async () => {
    const entered = await logIn(cast.U1);
    const asked = { serviceId: LAME, scopes: 'generic' };
    const good = await finish(entered, WAYS[0]!, asked, { code: 'good' });
    expect(good.data).toMatchObject({ serviceId: LAME, enabledScopes: ['generic'] });
    const of = { ...asked, id: String(good.data.id) };
    const before = (await accountsOf(cast.U1)).length;
    const started = performance.now();
    const silent = finish(entered, WAYS[0]!, of, { code: 'silent' });
    for (const way of WAYS)
      for (const [code, error] of [
        ['fault', 'OAUTH-0017'],
        ['html', 'OAUTH-0017'],
        ['large', 'OAUTH-0018'],
      ])
        expect((await finish(entered, way, of, { code: code! })).code).toBe(error);
    expect((await silent).code).toBe('OAUTH-0018');
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(await accountsOf(cast.U1)).toHaveLength(before);
    for (const way of WAYS.slice(2)) expect(await finish(entered, way, of, { code: 'good' })).toEqual({ data: true });
    for (const way of WAYS.slice(2)) {
      const { data } = await finish(entered, WAYS[1]!, asked, { code: 'good' });
      const gone = { ...asked, id: String(data.id) };
      const remove = () => cast.U1.put('oauth/accounts', 'delete', { id: data.id }, undefined);
      expect((await finish(entered, way, gone, { code: 'good' }, remove)).code).toBe('OAUTH-0006');
    }
    await cast.U1.put('oauth/accounts', 'delete', { id: of.id }, undefined);
  });

  it('is not made when the service is switched off meanwhile', async () => {
    const entered = await logIn(cast.U1);
    const asked = { serviceId: WORK, id: String((await accountsOf(cast.U1))[0].id) };
    for (const way of WAYS) {
      expect((await finish(entered, way, asked, { code: 'x' }, () => enable(cast.U1, false))).code).toBe('OAUTH-0004');
      await enable(cast.U1);
    }
  });

  it.each<readonly [string, string]>([
    ['access_denied', 'OAUTH-0039'],
    ...[
      'additional_authorization_required',
      ...['consumer_key_refused', 'consumer_key_rejected', 'consumer_key_unknown'],
      ...['nonce_used', 'parameter_absent', 'parameter_rejected', 'permission_denied', 'permission_unknown'],
      ...['signature_invalid', 'signature_method_rejected', 'timestamp_refused'],
      ...['token_expired', 'token_rejected', 'token_revoked', 'token_used'],
      ...['user_refused', 'verifier_invalid', 'version_rejected'],
    ].map((name, index) => [name, `OAUTH-00${index + 19}`] as const),
    ['invalid_scope', 'OAUTH-0038'],
    ['something_else', 'OAUTH-0038'],
  ])('SO-07: is not made when the service reports %s', async (error, code) => {
    const entered = await logIn(cast.U1);
    const asked = { serviceId: WORK, id: String((await accountsOf(cast.U1))[0].id) };
    for (const way of WAYS) expect((await finish(entered, way, asked, { error })).code).toBe(code);
    const { authUrl } = await begin(entered);
    const state = new URL(authUrl).searchParams.get('state')!;
    const end = await entered.browser.follow(`${world.publicUrl}/defer?${new URLSearchParams({ error, state })}`);
    expect(readPage(await end.response.text()).code).toBe(code);
  });

  it('SO-08, SO-09: gets another name, and nothing else', async () => {
    const [account] = await accountsOf(cast.U1);
    const { id } = account;
    const body = { displayName: 'Büro', serviceId: LAME, id: 99, enabledScopes: [], token: 'x' };
    expect((await cast.U1.put('oauth/accounts', 'update', { id }, body)).data).toBe(true);
    expect((await cast.U1.get('oauth/accounts', 'get', { id })).data).toEqual({ ...account, displayName: 'Büro' });
    for (const displayName of ['', undefined])
      expect((await cast.U1.put('oauth/accounts', 'update', { id }, { displayName })).code).toBe('OAUTH-0014');
  });

  it('SO-10: is nobody else’s', async () => {
    const [{ id }] = await accountsOf(cast.U1);
    await enable(cast.U2);
    for (const user of [cast.U2, cast.X1]) {
      const codes = [
        (await user.get('oauth/accounts', 'get', { id })).code,
        (await user.put('oauth/accounts', 'delete', { id }, undefined)).code,
        (await user.put('oauth/accounts', 'update', { id }, { displayName: 'x' })).code,
        (await ask(await logIn(user), 'init', { serviceId: WORK, displayName: 'x', id: String(id) })).code,
      ];
      expect(codes).toEqual(['OAUTH-0006', 'OAUTH-0006', 'OAUTH-0006', 'OAUTH-0006']);
      const request = { id: String(id), uuid: 'x', serviceId: WORK };
      expect((await ask(await logIn(user), 'reauthorize', request)).code).toBe('OAUTH-0016');
    }
    expect((await cast.U1.get('oauth/accounts', 'get', { id })).data).toMatchObject({ displayName: 'Büro' });
  });

  it('SO-14: takes new access for the same account of the service only', async () => {
    const entered = await logIn(cast.U1);
    const [account] = await accountsOf(cast.U1);
    const id = String(account.id);
    const sealed = async () =>
      (await query('select sealed from sso.oauth_account where user_id = $1 and id = $2', cast.U1.userId, id))[0]
        .sealed;
    const before = await sealed();
    const other = await grant(entered, 'eve@work.example', { id });
    expect(other.answer.code).toBe('OAUTH-0040');
    expect(await sealed()).toBe(before);
    const again = await logIn(cast.U1);
    const same = await grant(again, 'ann@work.example', { id, scopes: 'mail' });
    expect(same.answer).toEqual({ data: true });
    expect(await sealed()).not.toBe(before);
    expect((await cast.U1.get('oauth/accounts', 'get', { id })).data.enabledScopes).toEqual(['mail']);
    const third = await logIn(cast.U1);
    const { authUrl, uuid } = await begin(third, { id });
    const back = new URL(await third.browser.logInAtProvider(authUrl, 'eve@work.example'));
    const { code, state } = Object.fromEntries(back.searchParams) as Record<string, string>;
    const request = { id, uuid, code: code!, state: state!, iss: provider.issuer };
    expect((await ask(third, 'reauthorize', { ...request, id: String(account.id + 1) })).code).toBe('OAUTH-0016');
    expect((await ask(third, 'reauthorize', request)).code).toBe('OAUTH-0040');
  });

  it('SO-16: calls no function but one by a name', async () => {
    for (const cb of ['javascript:alert(1)', 'https://evil.example/', 'a"](1);alert(1)//']) {
      const entered = await logIn(cast.X1);
      const { html, back } = await grant(entered, 'x1@work.example', { cb });
      expect(html).toContain('parent["callback_create"]');
      expect(html).not.toMatch(/evil|alert/);
      expect(new URL(back).origin).toBe(world.publicUrl);
    }
  });

  it('is refused when there are as many as may be', async () => {
    const entered = await logIn(cast.X1);
    const early = await begin(entered);
    for (let count = (await accountsOf(cast.X1)).length; count < 5; count++) await grant(entered, 'x1@work.example');
    expect((await ask(entered, 'init', { serviceId: WORK, displayName: 'x' })).code).toBe('OAUTH-0041');
    // A request that began while there was room ends when there is none.
    const back = await entered.browser.logInAtProvider(early.authUrl, 'x1@work.example');
    const end = await entered.browser.follow(back);
    expect(readPage(await end.response.text())).toMatchObject({ code: 'OAUTH-0041' });
    expect(await accountsOf(cast.X1)).toHaveLength(5);
  });

  it('goes, and its tokens are given back', async () => {
    const [{ id }] = await accountsOf(cast.U1);
    expect(await provider.countRevocations()).toBe(0);
    expect((await cast.U1.put('oauth/accounts', 'delete', { id }, undefined)).data).toBe(true);
    expect(await provider.countRevocations()).toBe(1);
    expect((await cast.U1.get('oauth/accounts', 'get', { id })).code).toBe('OAUTH-0006');
    expect((await cast.U1.put('oauth/accounts', 'delete', { id }, undefined)).code).toBe('OAUTH-0006');
  });

  it('SO-18: goes with its user', async () => {
    const count = async () =>
      (await query('select 1 from sso.oauth_account where context_id = $1', cast.otherContextId)).length;
    expect(await count()).toBe(5);
    await cast.admin.expect('DELETE', `/admin/v1/contexts/${cast.otherContextId}/users/${cast.X1.userId}`, undefined);
    await until(async () => (await count()) === 0);
  });
});
