import { until } from '@groupware/test-kit';
import * as oauth from 'oauth4webapi';
import { generate } from 'otplib';
import { AdminClient } from '../client';
import { createFixtures, createTestUser, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { keepOutOfLogs } from '../secrets';
import { startTestEnvironment, type LocalTestEnvironment } from '../test-environment';
import { expireToken } from './expire';
import { PlainBrowser } from './provider-browser';

const BACK = 'http://127.0.0.1:9/back';
const OTHER_BACK = 'http://127.0.0.1:9/other';
const ICON = 'https://planner.example/icon.png';
let world: LocalTestEnvironment;
let cast: Fixtures;
let app: { id: string; secret: string };
let foreign: { id: string; secret: string };
let server: oauth.AuthorizationServer;

beforeAll(async () => {
  world = await startTestEnvironment({
    modules: ['identity', 'settings', 'folders', 'calendar', 'contacts', 'tasks', 'sso', 'admin', 'gateway'],
    properties: {
      'com.example.oauth.provider.enabled': 'true',
      'com.example.oauth.services': 'work',
      'com.example.oauth.work': 'true',
      'com.example.oauth.work.issuer': 'https://login.work.example',
      'com.example.oauth.work.apiKey': 'groupware',
      'com.example.oauth.work.apiSecret': 'secret of the service',
    },
  });
  cast = await createFixtures(world);
  app = await register({ name: 'Planner <b>x</b>' });
  foreign = await register({ name: 'Foreign' });
  const base = `${world.publicUrl}/oauth/provider`;
  server = {
    issuer: world.publicUrl,
    token_endpoint: `${base}/accessToken`,
    authorization_endpoint: `${base}/authorization`,
  };
}, 120_000);
afterAll(() => world?.close());

const client = (parts: object) => ({
  name: 'App',
  description: 'Plans',
  website: 'https://planner.example',
  icon: ICON,
  redirectURIs: [BACK, OTHER_BACK],
  defaultScope: ['read_calendar'],
  ...parts,
});
async function register(parts: object): Promise<{ id: string; secret: string }> {
  const made = await cast.admin.expect('POST', '/admin/v1/oauth/clients', client(parts));
  keepOutOfLogs(made.secret);
  return made;
}
const pathOf = (id: string): string => `/admin/v1/oauth/clients/${encodeURIComponent(id)}`;

interface Asked {
  readonly scope?: string;
  readonly of?: { id: string };
  readonly without?: readonly string[];
  readonly parts?: Readonly<Record<string, string>>;
}
const verifier = oauth.generateRandomCodeVerifier();

/** The address of the first page. */
async function ask({ scope = 'read_calendar', of = app, without = [], parts = {} }: Asked = {}): Promise<string> {
  const parameters = new URLSearchParams({
    client_id: of.id,
    redirect_uri: BACK,
    response_type: 'code',
    state: 'state of the application',
    scope,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parts,
  });
  for (const name of without) parameters.delete(name);
  return `${server.authorization_endpoint}?${parameters}`;
}

/** Goes through login and grant page; answers the address that leads back. */
async function grant(user: TestUser, asked: Asked = {}, decision = 'allow', password = PASSWORD): Promise<URL> {
  const browser = new PlainBrowser();
  const url = await ask(asked);
  const login = { url, response: await browser.request(url) };
  expect(login.response.status).toBe(200);
  const consent = { url, response: await browser.submit(login, { login: user.loginName, password }) };
  const back =
    consent.response.headers.get('location') ?? (await browser.submit(consent, { decision })).headers.get('location');
  return new URL(back!);
}

interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
  expires_in: number;
  token_type: string;
}
async function post(form: Record<string, string>): Promise<{ status: number; json: any; headers: Headers }> {
  const response = await fetch(server.token_endpoint!, { method: 'POST', body: new URLSearchParams(form) });
  const json = JSON.parse(await response.text());
  for (const name of ['access_token', 'refresh_token']) if (json[name]) keepOutOfLogs(json[name]);
  return { status: response.status, json, headers: response.headers };
}
const exchange = (code: string, parts: Record<string, string> = {}) =>
  post({
    grant_type: 'authorization_code',
    client_id: app.id,
    client_secret: app.secret,
    redirect_uri: BACK,
    code,
    code_verifier: verifier,
    ...parts,
  });
const refresh = (token: string, of = app) =>
  post({ grant_type: 'refresh_token', client_id: of.id, client_secret: of.secret, refresh_token: token });

async function tokensOf(user: TestUser, scope = 'read_calendar', of = app, password = PASSWORD): Promise<Tokens> {
  const back = await grant(user, { scope, of }, 'allow', password);
  const { status, json } = await exchange(back.searchParams.get('code')!, {
    client_id: of.id,
    client_secret: of.secret,
  });
  expect(status).toBe(200);
  return json;
}
const call = (path: string, token?: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${world.publicUrl}/${path}`, {
    ...init,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
const whoAmI = async (token: string): Promise<number> => (await call('user/me', token)).status;

describe('applications that users grant access', () => {
  it('SO-20: get it by code, PKCE, login page and grant page, with a client of the standard', async () => {
    const known: oauth.Client = { client_id: app.id };
    const back = await grant(cast.U1);
    const answer = oauth.validateAuthResponse(server, known, back, 'state of the application');
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      known,
      oauth.ClientSecretPost(app.secret),
      answer,
      BACK,
      verifier,
      { [oauth.allowInsecureRequests]: true },
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, known, response);
    keepOutOfLogs(tokens.access_token);
    keepOutOfLogs(tokens.refresh_token);
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'read_calendar', expires_in: 3600 });
    const events = await call('calendar?action=all&columns=1&start=0&end=1000', tokens.access_token);
    expect(await events.json()).toMatchObject({ data: [] });
  });

  it('SO-21: hear that a user denied', async () => {
    const back = await grant(cast.U1, {}, 'deny');
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: 'access_denied',
      state: 'state of the application',
    });
  });

  it('SO-22: get nothing from a form without its token, sent twice, or from another browser', async () => {
    const browser = new PlainBrowser();
    const url = await ask();
    const page = await (await browser.request(url)).text();
    const request = /name="request" value="([0-9a-f]{32})"/.exec(page)![1]!;
    const send = (by: PlainBrowser, form: Record<string, string>) =>
      by.request(url, {
        method: 'POST',
        body: new URLSearchParams({ login: cast.U1.loginName, password: PASSWORD, decision: 'allow', ...form }),
      });
    for (const response of [
      await send(browser, { request: '0'.repeat(32) }),
      await send(new PlainBrowser(), { request }),
      await send(browser, { request }),
      await browser.request(url, { method: 'POST', body: new URLSearchParams({ decision: 'allow' }) }),
    ]) {
      expect(response.status).toBe(403);
      expect(response.headers.get('location')).toBeNull();
      expect(await response.text()).toContain('OAUTH_PROVIDER-0005');
    }
  });

  it('shows pages that nobody frames and whose texts are text', async () => {
    const response = await new PlainBrowser().request(await ask());
    expect(response.headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*frame-ancestors 'none'.*form-action 'self' http:\/\/127.0.0.1:9/,
    );
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    const html = await response.text();
    expect(html).toContain('Planner &#60;b&#62;');
    expect(html).not.toContain('<b>');
  });

  it('shows pages in the language that the application names', async () => {
    const browser = new PlainBrowser();
    const url = await ask({ parts: { language: 'de_DE' } });
    const login = { url, response: await browser.request(url) };
    const wrong = await browser.submit(login, { login: cast.U1.loginName, password: 'wrong' });
    for (const text of [await (await browser.request(url)).text(), await wrong.text()])
      expect(text).toContain('<html lang="de-DE">');
    const other = await browser.request(await ask({ parts: { language: '<nonsense>' } }));
    expect(await other.text()).toContain('<html lang="en-US">');
  });

  it('SO-23: a wrong password gives the same page for known and unknown users', async () => {
    const pages: string[] = [];
    for (const login of [cast.U2.loginName, 'nobody@nowhere']) {
      const browser = new PlainBrowser();
      const url = await ask();
      const answer = await browser.submit({ url, response: await browser.request(url) }, { login, password: 'wrong' });
      expect(answer.status).toBe(403);
      pages.push((await answer.text()).replace(/value="[0-9a-f]{32}"/, ''));
    }
    expect(pages[1]).toBe(pages[0]);
  });

  it('ask for the code of a second factor, once the password was right', async () => {
    const user = await createTestUser(world, cast.admin, cast.contextId, 'factor');
    const start = await user.put('multifactor/device', 'startRegistration', {}, { providerName: 'TOTP' });
    const { deviceId, challenge } = start.data;
    const query = { providerName: 'TOTP', deviceId };
    const codeAt = (seconds: number) =>
      generate({ secret: challenge.sharedSecret, epoch: Math.floor(Date.now() / 1000) + seconds });
    await user.put('multifactor/device', 'finishRegistration', query, { secret_code: await codeAt(0) });
    const browser = new PlainBrowser();
    const url = await ask();
    const login = { url, response: await browser.request(url) };
    const wrong = { url, response: await browser.submit(login, { login: user.loginName, password: 'wrong' }) };
    expect(await wrong.response.clone().text()).not.toContain('secret_code');
    const code = { url, response: await browser.submit(wrong, { login: user.loginName, password: PASSWORD }) };
    expect(code.response.status).toBe(200);
    expect(await code.response.clone().text()).toContain('name="secret_code"');
    const again = { url, response: await browser.submit(code, { secret_code: '000000', decision: 'allow' }) };
    expect(await again.response.clone().text()).toMatch(/second factor is wrong.*name="secret_code"/s);
    const consent = { url, response: await browser.submit(again, { secret_code: await codeAt(30) }) };
    const back = (await browser.submit(consent, { decision: 'allow' })).headers.get('location');
    expect(new URL(back!).searchParams.get('code')).toMatch(/./);
  });

  it('say that a second factor cannot be shown there, once the password was right', async () => {
    const user = await createTestUser(world, cast.admin, cast.contextId, 'enforced');
    const path = `/admin/v1/contexts/${cast.contextId}/users/${user.userId}/config`;
    for (const [key, value] of [
      ['com.example.multifactor.enforce.enabled', true],
      ['com.example.multifactor.enforce.graceLogins', 0],
    ] as const)
      await cast.admin.expect('PUT', `${path}/${key}`, { value });
    const textOf = async (password: string) => {
      const browser = new PlainBrowser();
      const url = await ask();
      const login = { url, response: await browser.request(url) };
      return (await browser.submit(login, { login: user.loginName, password })).text();
    };
    expect(await textOf(PASSWORD)).toContain('needs a second factor');
    expect(await textOf('wrong')).toContain('password is incorrect');
  });

  it('skips the login for a browser that has a session', async () => {
    const browser = new PlainBrowser();
    const form = new URLSearchParams({ name: cast.U1.loginName, password: PASSWORD });
    await browser.request(`${world.publicUrl}/login?action=login`, { method: 'POST', body: form });
    const page = await browser.request(await ask());
    expect(await page.text()).toContain('name="decision"');
  });

  it('go nowhere with an unknown client or address, and back with other faults', async () => {
    for (const parts of [
      { client_id: 'ZGVmYXVsdA/none' },
      { redirect_uri: 'https://evil.example/' },
      { redirect_uri: `${BACK}/x` },
    ] as Record<string, string>[]) {
      const response = await new PlainBrowser().request(await ask({ parts }));
      expect(response.status).toBe(400);
      expect(response.headers.get('location')).toBeNull();
    }
    const errorOf = async (asked: Asked) => {
      const response = await new PlainBrowser().request(await ask(asked));
      return new URL(response.headers.get('location')!).searchParams.get('error');
    };
    expect(await errorOf({ without: ['state'] })).toBe('invalid_request');
    expect(await errorOf({ parts: { code_challenge_method: 'plain' } })).toBe('invalid_request');
    expect(await errorOf({ parts: { response_type: 'token' } })).toBe('unsupported_response_type');
    expect(await errorOf({ scope: 'read_everything' })).toBe('invalid_scope');
  });
});

describe('applications without proof key', () => {
  const without = ['code_challenge', 'code_challenge_method'];
  const form = (code: string) => ({
    ...{ grant_type: 'authorization_code', client_id: app.id, client_secret: app.secret, redirect_uri: BACK, code },
  });

  it('get a code that is good without verifier, and without alone', async () => {
    const codeOf = async () => (await grant(cast.U1, { without })).searchParams.get('code')!;
    const given = await post(form(await codeOf()));
    expect([given.status, await whoAmI(given.json.access_token)]).toEqual([200, 200]);
    expect((await exchange(await codeOf())).status).toBe(400);
  });

  it('are refused where the operator wants one', async () => {
    await world.setProperties({ 'com.example.oauth.provider.requirePkce': 'true' });
    const response = await new PlainBrowser().request(await ask({ without }));
    const { searchParams } = new URL(response.headers.get('location')!);
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual([
      'invalid_request',
      'state of the application',
    ]);
    expect((await grant(cast.U1)).searchParams.get('code')).toMatch(/./);
    await world.setProperties();
  });
});

describe('accounts elsewhere', () => {
  it('SO-17: are not connected over plain HTTP unless the operator allows it', async () => {
    const asked = { serviceId: 'com.example.oauth.work', displayName: 'Mine' };
    expect((await cast.U1.get('oauth/accounts', 'init', asked)).code).toBe('SVL-0014');
  });
});

describe('codes and tokens', () => {
  const codeOf = async (): Promise<string> => (await grant(cast.U1)).searchParams.get('code')!;

  it('SO-24: a code is good once; shown again it ends what it gave', async () => {
    const code = await codeOf();
    const { json } = await exchange(code);
    expect(await whoAmI(json.access_token)).toBe(200);
    expect((await exchange(code)).status).toBe(400);
    expect(await whoAmI(json.access_token)).toBe(401);
    expect((await refresh(json.refresh_token)).status).toBe(400);
  });

  it('SO-26: a code is good for ten minutes', async () => {
    const code = await codeOf();
    const lifeMs = await expireToken(world, 'oauth-code', code);
    expect(lifeMs).toBeGreaterThan(500_000);
    expect(lifeMs).toBeLessThanOrEqual(600_000);
    const late = await exchange(code);
    expect([late.status, late.json]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'invalid parameter value: code' },
    ]);
  });

  it('SO-25, SO-27: is bound to application, address and verifier', async () => {
    expect((await exchange(await codeOf(), { client_id: foreign.id, client_secret: foreign.secret })).status).toBe(400);
    expect((await exchange(await codeOf(), { redirect_uri: OTHER_BACK })).status).toBe(400);
    expect((await exchange(await codeOf(), { code_verifier: '' })).status).toBe(400);
    expect((await exchange(await codeOf(), { code_verifier: oauth.generateRandomCodeVerifier() })).status).toBe(400);
    const wrong = await exchange(await codeOf(), { client_secret: 'wrong' });
    expect([wrong.status, wrong.json.error]).toEqual([401, 'unauthorized_client']);
    const unknown = await exchange('x', { client_id: 'nobody' });
    expect(unknown.json).toEqual({ error: 'invalid_request', error_description: 'invalid parameter value: client_id' });
    expect((await post({ grant_type: 'password', client_id: app.id, client_secret: app.secret })).json.error).toBe(
      'unsupported_grant_type',
    );
  });

  it('SO-28, SO-29: without scope those of the application, and none that the user cannot grant', async () => {
    const back = await grant(cast.U1, { without: ['scope'] });
    expect((await exchange(back.searchParams.get('code')!)).json.scope).toBe('read_calendar');
    const path = `/admin/v1/contexts/${cast.contextId}/users/${cast.U3.userId}`;
    await cast.admin.expect('PATCH', path, { capabilities: { remove: ['tasks'] } });
    expect((await tokensOf(cast.U3, 'read_tasks read_contacts')).scope).toBe('read_contacts');
  });

  it('SO-31, SO-32: opens exactly its scopes', async () => {
    const { access_token: token } = await tokensOf(cast.U1, 'write_contacts');
    const contacts = await call('contacts?action=all&folder=6&columns=1', token);
    expect(contacts.status).toBe(403);
    expect(await contacts.json()).toEqual({ error: 'insufficient_scope', scope: 'read_contacts' });
    expect(await whoAmI(token)).toBe(200);
    const calendar = await call('oauth/modules/calendar?action=all&columns=1&start=0&end=1', token);
    expect([calendar.status, ((await calendar.json()) as any).scope]).toEqual([403, 'read_calendar']);
    expect(await (await call('oauth/modules/user?action=me', token)).json()).toEqual(
      await (await call('user/me', token)).json(),
    );
    for (const query of ['config/timezone', 'config?action=get_property&name=x'])
      expect((await call(`oauth/modules/${query}`, token)).status).toBe(200);
    const init = { method: 'PUT', body: '"Europe/Berlin"' };
    const refused = await call('oauth/modules/config/timezone', token, init);
    expect([refused.status, ((await refused.json()) as any).scope]).toEqual([403, 'write_userconfig']);
    const { access_token: settings } = await tokensOf(cast.U1, 'write_userconfig');
    const stored = await call('oauth/modules/config/timezone', settings, { ...init, body: '"UTC"' });
    expect([stored.status, await stored.json()]).not.toContainEqual(
      expect.objectContaining({ error: expect.anything() }),
    );
    const trees = await call('jslob?action=all', settings);
    expect([trees.status, ((await trees.json()) as any).scope]).toEqual([403, 'jslob']);
    for (const query of ['appPasswords?action=list', 'capabilities?action=all', 'system?action=whoami'])
      expect([query, (await call(query, token)).status]).toEqual([query, 403]);
    // Neither the session behind a token nor its cookies are anything for its holder.
    const secret = await call('login?action=refreshSecret', token);
    expect([secret.status, secret.headers.getSetCookie()]).toEqual([403, []]);
    expect((await call('oauth/grants?action=all', token)).status).toBe(403);
  });

  it('SO-30: opens the folders of what was granted, and no others', async () => {
    const { access_token: token } = await tokensOf(cast.U1, 'read_calendar');
    const ask = async (query: string, init: RequestInit = {}): Promise<[number, any]> => {
      const response = await call(`oauth/modules/folders?${query}`, token, init);
      return [response.status, await response.json()];
    };
    const [status, listed] = await ask('action=list&parent=1&columns=1,301');
    expect([status, listed.data]).toEqual([200, expect.arrayContaining([[cast.U1.folder, 'calendar']])]);
    for (const [id, module] of listed.data) expect([id, module]).toEqual([expect.any(String), 'calendar']);
    expect((await ask(`action=get&id=${cast.U1.folder}`))[1].data).toMatchObject({ module: 'calendar' });
    const visible = await ask('action=allVisible&content_type=contacts&columns=1');
    expect(Object.values(visible[1].data ?? {}).flat()).toEqual([]);
    const { data } = await cast.U1.get('folders', 'allVisible', { content_type: 'contacts', columns: '1' });
    const [addressBook] = Object.values(data as Record<string, [string][]>).flat()[0]!;
    expect(await ask(`action=get&id=${addressBook}`)).toEqual([
      403,
      { error: 'insufficient_scope', scope: 'read_contacts' },
    ]);
    const body = JSON.stringify({ title: 'by an application', module: 'calendar' });
    const made = await ask(`action=new&folder_id=${cast.U1.folder}`, { method: 'PUT', body });
    expect([made[0], made[1].error]).toEqual([403, 'insufficient_scope']);
    const writer = await tokensOf(cast.U1, 'read_calendar write_calendar');
    const written = await call(`folders?action=new&folder_id=${cast.U1.folder}`, writer.access_token, {
      method: 'PUT',
      body,
    });
    expect(await written.json()).toMatchObject({ data: expect.any(String) });
  });

  it('opens folders to see with any scope of their module, and to change with the one to write', async () => {
    const contacts = await tokensOf(cast.U1, 'write_contacts');
    const visible = 'folders?action=allVisible&content_type=contacts&columns=1';
    const listed = (await (await call(visible, contacts.access_token)).json()) as any;
    expect(Object.values(listed.data).flat()).not.toEqual([]);
    expect((await call('contacts?action=all&columns=1', contacts.access_token)).status).toBe(403);
    const mail = await tokensOf(cast.U1, 'read_mail write_mail');
    for (const query of ['action=root', 'action=list&parent=1', 'action=allVisible&content_type=mail'])
      expect([query, (await call(`oauth/modules/folders?${query}&columns=1`, mail.access_token)).status]).toEqual([
        query,
        200,
      ]);
  });

  it('is given for scopes by the names that the API has for them', async () => {
    const scope = 'read_reminders write_reminders caldav carddav';
    const { access_token: token, scope: given } = await tokensOf(cast.U1, scope);
    expect(given).toBe(scope);
    const reminders = await call('reminder?action=range&end=1', token);
    expect(reminders.status).toBe(200);
    expect((await call('folders?action=root&columns=1', token)).status).toBe(403);
  });

  it('SO-43: a thousand requests log in once, and cost hardly more than those of a session', async () => {
    const CALLS = 1_000;
    const AT_ONCE = 10;
    const { access_token: token } = await tokensOf(cast.U1);
    const countSessions = async () => (await cast.U1.get<any[]>('sessionmanagement', 'all')).data!.length;
    const before = await countSessions();
    const spend = async (ask: () => Promise<boolean>): Promise<number> => {
      const start = performance.now();
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, ask));
      expect(answers).not.toContain(false);
      return (performance.now() - start) / AT_ONCE;
    };
    const byToken = async () => {
      const answer = (await (await call('user/me', token)).json()) as { error?: string };
      return answer.error === undefined;
    };
    const bySession = async () => (await cast.U1.get('user', 'me')).error === undefined;
    const overheads: number[] = [];
    for (let done = 0; done < CALLS; done += AT_ONCE) overheads.push((await spend(byToken)) - (await spend(bySession)));
    overheads.sort((left, right) => left - right);
    expect(overheads[overheads.length / 2]!).toBeLessThan(2);
    expect(await countSessions()).toBe(before);
  });

  it('SO-33: asks for a token where none or a bad one came', async () => {
    const none = await call('oauth/modules/user/me');
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="OAuth 2.0"']);
    const bad = await call('user/me', 'x'.repeat(43));
    expect([bad.status, bad.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
  });

  it('takes a refresh token once: one that was replaced ends all', async () => {
    const first = await tokensOf(cast.U1);
    const second = (await refresh(first.refresh_token)).json as Tokens;
    expect(await whoAmI(first.access_token)).toBe(401);
    expect(await whoAmI(second.access_token)).toBe(200);
    expect((await refresh(second.refresh_token, foreign)).status).toBe(400);
    expect((await refresh(first.refresh_token)).status).toBe(400);
    expect(await whoAmI(second.access_token)).toBe(401);
    expect((await refresh(second.refresh_token)).status).toBe(400);
  });

  it('tells a proxy whom it is of, until it ends', async () => {
    const { U1, contextId } = cast;
    const { access_token: token } = await tokensOf(U1);
    const service = new AdminClient(world.internalUrl, world.service.login, world.service.password);
    const analyse = (value: string) =>
      service.request('POST', '/request-analysis/v1/analyze', {
        method: 'GET',
        url: 'https://groupware.example/oauth/modules/folders?action=root',
        remoteIP: '10.1.1.1',
        headers: [{ name: 'Authorization', value }],
      });
    const [login] = U1.loginName.split('@');
    const headers = { 'x-svc-context-id': contextId, 'x-svc-user-id': U1.userId, 'x-svc-login': login };
    for (const scheme of ['Bearer', 'bearer  '])
      expect(await analyse(`${scheme} ${token}`)).toMatchObject({ status: 200, body: { headers, type: 'SUCCESS' } });
    expect((await call(`oauth/provider/revoke?access_token=${token}`)).status).toBe(200);
    for (const value of [`Bearer ${token}`, 'Bearer', 'Bearer made-up'])
      expect([value, (await analyse(value)).status]).toEqual([value, 404]);
  });

  it('is given to applications that authenticate by a header, too', async () => {
    const basic = (id: string, secret: string, form: Record<string, string>) =>
      fetch(server.token_endpoint!, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
        body: new URLSearchParams(form),
      });
    const formOf = async () => ({
      grant_type: 'authorization_code',
      redirect_uri: BACK,
      code: (await grant(cast.U1)).searchParams.get('code')!,
      code_verifier: verifier,
    });
    for (const encode of [encodeURIComponent, (text: string) => text]) {
      const given = await basic(encode(app.id), encode(app.secret), await formOf());
      const tokens = (await given.json()) as Tokens;
      for (const name of ['access_token', 'refresh_token'] as const) keepOutOfLogs(tokens[name]);
      expect([given.status, await whoAmI(tokens.access_token)]).toEqual([200, 200]);
    }
    const refused = await basic(app.id, 'wrong', { ...(await formOf()), client_secret: app.secret });
    expect([refused.status, await refused.json()]).toEqual([401, { error: 'unauthorized_client' }]);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    expect((await basic('nobody', 'x', await formOf())).status).toBe(400);
    const known: oauth.Client = { client_id: app.id };
    const back = oauth.validateAuthResponse(server, known, await grant(cast.U1), 'state of the application');
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      known,
      oauth.ClientSecretBasic(app.secret),
      back,
      BACK,
      verifier,
      { [oauth.allowInsecureRequests]: true },
    );
    expect(answer.status).toBe(200);
  });

  it('SO-40: takes the scheme in any case, with blanks', async () => {
    const { access_token: token } = await tokensOf(cast.U1);
    const response = await fetch(`${world.publicUrl}/user/me`, { headers: { authorization: `bearer   ${token}` } });
    expect(response.status).toBe(200);
  });

  it('is no session: neither by its id nor beside cookies', async () => {
    const { access_token: token } = await tokensOf(cast.U1);
    const sessions = await cast.U1.get<any[]>('sessionmanagement', 'all');
    const ids = sessions
      .data!.filter(({ client: name }) => String(name).startsWith('oauth:'))
      .map(({ sessionId }) => sessionId);
    expect(ids.length).toBeGreaterThan(0);
    for (const session of ids) expect((await cast.U1.get('system', 'whoami', { session })).code).toBe('SES-0203');
    expect(await whoAmI(token)).toBe(200);
  });

  it('tells what it is good for', async () => {
    const { access_token: token } = await tokensOf(cast.U1);
    const info = await fetch(`${world.publicUrl}/oauth/provider/tokeninfo?access_token=${token}`);
    expect(await info.json()).toMatchObject({
      audience: app.id,
      context_id: cast.contextId,
      user_id: cast.U1.userId,
      scope: 'read_calendar',
    });
    const unknown = await fetch(`${world.publicUrl}/oauth/provider/tokeninfo?access_token=x`);
    expect([unknown.status, await unknown.json()]).toEqual([400, { error: 'invalid_token' }]);
  });
});

describe('the end of access', () => {
  it('SO-35, SO-36: the user sees and ends what was granted, of this user alone', async () => {
    const mine = await tokensOf(cast.U2, 'read_calendar', foreign);
    const more = await tokensOf(cast.U2, 'read_contacts', foreign);
    const other = await tokensOf(cast.U1, 'read_calendar', foreign);
    const listed = await cast.U2.get<any[]>('oauth/grants', 'all');
    expect(listed.data).toEqual([
      {
        client: {
          id: foreign.id,
          name: 'Foreign',
          description: 'Plans',
          website: 'https://planner.example',
          icon: ICON,
        },
        scopes: { read_calendar: 'read: calendar', read_contacts: 'read: contacts' },
        date: expect.any(Number),
      },
    ]);
    expect((await cast.U2.get('oauth/grants', 'revoke', { client: foreign.id })).data).toBe(true);
    expect([
      await whoAmI(mine.access_token),
      await whoAmI(more.access_token),
      await whoAmI(other.access_token),
    ]).toEqual([401, 401, 200]);
    expect((await refresh(mine.refresh_token, foreign)).status).toBe(400);
    expect((await cast.U2.get('oauth/grants', 'all')).data).toEqual([]);
    expect((await cast.U2.get('oauth/grants', 'revoke', { client: 'nobody' })).data).toBe(true);
  });

  it('SO-39: a token given back takes the others of its grant with it', async () => {
    const tokens = await tokensOf(cast.U1);
    const revoke = (form: Record<string, string>) =>
      fetch(`${world.publicUrl}/oauth/provider/revoke`, { method: 'POST', body: new URLSearchParams(form) });
    expect((await revoke({ refresh_token: tokens.refresh_token })).status).toBe(200);
    expect(await whoAmI(tokens.access_token)).toBe(401);
    expect((await revoke({ refresh_token: tokens.refresh_token })).status).toBe(400);
    const second = await tokensOf(cast.U1);
    expect((await revoke({ access_token: second.access_token })).status).toBe(200);
    expect((await refresh(second.refresh_token)).status).toBe(400);
    expect((await revoke({})).status).toBe(400);
  });

  it('SO-38: an application that is switched off has no access, and gets it back by refresh', async () => {
    const switched = await register({ name: 'Switched' });
    const tokens = await tokensOf(cast.U1, 'read_calendar', switched);
    await cast.admin.expect('PUT', pathOf(switched.id), client({ name: 'Switched', enabled: false }));
    expect(await whoAmI(tokens.access_token)).toBe(401);
    expect((await refresh(tokens.refresh_token, switched)).status).toBe(400);
    expect((await new PlainBrowser().request(await ask({ of: switched }))).status).toBe(400);
    await cast.admin.expect('PUT', pathOf(switched.id), client({ name: 'Switched' }));
    expect((await refresh(tokens.refresh_token, switched)).status).toBe(200);
  });

  it('SO-34: a disabled user loses it', async () => {
    const tokens = await tokensOf(cast.UB);
    const path = `/admin/v1/contexts/${cast.contextId}/users/${cast.UB.userId}`;
    await cast.admin.expect('PATCH', path, { enabled: false });
    expect(await whoAmI(tokens.access_token)).toBe(401);
    expect((await refresh(tokens.refresh_token)).status).toBe(400);
  });

  it('SO-34: a disabled context takes it from its users', async () => {
    const tokens = await tokensOf(cast.X1);
    const state = { enabled: false, reason: 'test' };
    await cast.admin.expect('PUT', `/admin/v1/contexts/${cast.otherContextId}/state`, state);
    expect(await whoAmI(tokens.access_token)).toBe(401);
    expect((await refresh(tokens.refresh_token)).status).toBe(400);
  });

  it('SO-34: a new password ends it with the other sessions, as configured, and what was granted stays', async () => {
    const key = 'com.example.passwordchange.closeOtherSessions';
    const path = `/admin/v1/contexts/${cast.contextId}/users/${cast.U3.userId}/config/${key}`;
    let password = PASSWORD;
    for (const [closes, status] of [
      [true, 401],
      [false, 200],
    ] as const) {
      const tokens = await tokensOf(cast.U3, 'read_calendar', app, password);
      await cast.admin.expect('PUT', path, { value: closes });
      const change = { old_password: password, new_password: (password += ' 2') };
      expect(await cast.U3.put('passwordchange', 'update', {}, change)).not.toHaveProperty('error');
      expect(await whoAmI(tokens.access_token)).toBe(status);
      expect((await refresh(tokens.refresh_token)).status).toBe(200);
    }
  });
});

describe('a user for whom applications are switched off', () => {
  it('SO-41: grants nothing, and what was granted opens nothing and gets no new tokens', async () => {
    const tokens = await tokensOf(cast.U1);
    const key = 'com.example.oauth.provider.enabled';
    const path = `/admin/v1/contexts/${cast.contextId}/users/${cast.U1.userId}/config/${key}`;
    await cast.admin.expect('PUT', path, { value: false });
    expect((await grant(cast.U1)).searchParams.get('error')).toBe('access_denied');
    await until(async () => (await whoAmI(tokens.access_token)) === 401);
    expect((await call(`oauth/provider/tokeninfo?access_token=${tokens.access_token}`)).status).toBe(400);
    expect((await refresh(tokens.refresh_token)).status).toBe(400);
    await cast.admin.expect('DELETE', path, undefined);
    expect((await grant(cast.U1)).searchParams.get('code')).toMatch(/./);
  });
});

describe('applications as operators see them', () => {
  it('are registered, read, changed and removed; the secret is shown once', async () => {
    const made = await register({ name: 'Short-lived' });
    expect(made.id).toMatch(/^ZGVmYXVsdA\/[0-9a-f]{32}$/);
    const read = await cast.admin.expect('GET', pathOf(made.id), undefined);
    expect(read).toMatchObject({ id: made.id, name: 'Short-lived', icon: ICON, enabled: true });
    expect(read.secret).toBeUndefined();
    const all = await cast.admin.expect('GET', '/admin/v1/oauth/clients', undefined);
    expect(all.items.map(({ name }: { name: string }) => name)).toContain('Short-lived');
    const tokens = await tokensOf(cast.U1, 'read_calendar', made);
    await cast.admin.expect('DELETE', pathOf(made.id), undefined);
    expect(await whoAmI(tokens.access_token)).toBe(401);
  });

  it('are refused with addresses and scopes that cannot be', async () => {
    for (const [parts, code] of [
      [{ redirectURIs: ['http://planner.example/back'] }, 'OAUTH_PROVIDER-0002'],
      [{ redirectURIs: ['https://planner.example/back#x'] }, 'OAUTH_PROVIDER-0002'],
      [{ redirectURIs: ['javascript:alert(1)'] }, 'OAUTH_PROVIDER-0002'],
      [{ redirectURIs: [] }, 'OAUTH_PROVIDER-0002'],
      [{ defaultScope: ['everything'] }, 'OAUTH_PROVIDER-0003'],
    ] as const) {
      const answer = await cast.admin.request('POST', '/admin/v1/oauth/clients', client(parts));
      expect([answer.status, answer.body.code]).toEqual([400, code]);
    }
    for (const icon of ['http://planner.example/icon.png', 'javascript:alert(1)'])
      expect((await cast.admin.request('POST', '/admin/v1/oauth/clients', client({ icon }))).status).toBe(400);
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', client({})],
      ['DELETE', undefined],
    ] as const) {
      const answer = await cast.admin.request(method, pathOf('nobody'), body);
      expect([answer.status, answer.body.code]).toEqual([404, 'OAUTH_PROVIDER-0001']);
    }
  });
});

describe('guesses on the login page', () => {
  it('SO-23: count as at the login, and are refused alike, whoever is meant', async () => {
    await world.setProperties({ 'com.example.login.attempts.perLogin': '10' });
    const guess = async (login: string): Promise<string> => {
      const browser = new PlainBrowser();
      const url = await ask();
      const page = { url, response: await browser.request(url) };
      const answer = await browser.submit(page, { login, password: 'wrong' });
      return `${answer.status} ${(await answer.text()).replaceAll(/value="[^"]*"/g, '').replaceAll(login, '')}`;
    };
    const pages: string[][] = [];
    for (const login of [cast.U2.loginName, 'nobody@nowhere']) {
      const shown: string[] = [];
      for (let attempt = 0; attempt < 12; attempt++) shown.push(await guess(login));
      pages.push(shown);
    }
    // One of ten was guessed before.
    expect(new Set(pages[0]!.slice(0, 9)).size).toBe(1);
    expect(pages[0]![11]).not.toBe(pages[0]![0]);
    expect(pages[0]![11]).toContain('Too many login attempts');
    expect(pages[1]).toEqual(pages[0]);
  });
});
