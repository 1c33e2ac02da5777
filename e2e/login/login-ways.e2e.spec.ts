import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { generate } from 'otplib';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const SECRET = 'secret of the wiki';
let world: TestEnvironment;
let admin: AdminClient;
let login: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'login-ways-'));
  const properties = path.join(folder, 'server.properties');
  writeFileSync(properties, 'com.example.jump.systems=wiki\ncom.example.UIWebPath=/ui/\n');
  world = await startTestEnvironment({
    modules: ['identity', 'settings', 'folders', 'sso', 'gateway'],
    variables: { GROUPWARE_PROPERTIES_FILE: properties, IDENTITY_TOKEN_LOGIN_SECRETS: SECRET },
  });
  admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  login = `admin@${await createContext(admin, 'ways')}`;
}, 120_000);
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

const browser = (): Client => new Client(world.publicUrl, 'Browser/1');
let attempts = 0;
/** Every attempt has an id of its own, as the API wants it. */
const post = (client: Client, action: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  client.fetch(
    'POST',
    '/login',
    { action, authId: `attempt-${++attempts}` },
    { body: new URLSearchParams(form), headers },
  );
const factsOf = (response: Response): URLSearchParams =>
  new URLSearchParams(response.headers.get('location')!.split('#')[1]);
/** A call that works only with session and secret cookie. */
async function works(client: Client, session: string | null): Promise<boolean> {
  const answer = await client.call('GET', 'user', 'get', { session: session! });
  return answer.error === undefined;
}

describe('ways to log in', () => {
  it('formlogin leads to the web client, and the cookies it set open the session', async () => {
    const client = browser();
    const form = { login, password: PASSWORD, client: 'web', version: '1', autologin: 'true' };
    const response = await post(client, 'formlogin', form);
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toMatch(/^\/ui\/#session=[0-9a-f]{32}&/);
    expect(factsOf(response).get('store')).toBe('true');
    expect(await works(client, factsOf(response).get('session'))).toBe(true);
    const again = await client.call('GET', 'login', 'autologin', { client: 'web', session: undefined });
    expect((again as any).session).toBe(factsOf(response).get('session'));
  });

  it('formlogin with a wrong password answers a page for people', async () => {
    const client = browser();
    const form = { login, password: 'wrong', client: 'web', version: '1', autologin: 'false' };
    const referer = `${world.publicUrl}/login.html`;
    const response = await post(client, 'formlogin', form, { referer });
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    const page = await response.text();
    expect(page).toContain('LGI-0006');
    expect(page).toContain(`content="5; url=${referer}?login=failed"`);
    expect(client.jar.size).toBe(0);
  });

  it('tokenLogin and tokens open a session in two steps, also with a container id in the path', async () => {
    const client = browser();
    const form = { login, password: PASSWORD, clientToken: 'mine', client: 'web', version: '1', autologin: 'false' };
    const first = await post(client, 'tokenLogin', form);
    expect(first.status).toBe(302);
    const serverToken = factsOf(first).get('serverToken')!;
    expect(client.jar.size).toBe(0);
    const response = await client.fetch(
      'POST',
      `/login;jsessionid=${factsOf(first).get('jsessionid')}`,
      { action: 'tokens' },
      { body: new URLSearchParams({ serverToken, clientToken: 'mine', client: 'web' }) },
    );
    const { data } = (await response.json()) as any;
    expect(data).toMatchObject({ user: login, session: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(await works(client, data.session)).toBe(true);
    const twice = await post(client, 'tokens', { serverToken, clientToken: 'mine', client: 'web' });
    expect(await twice.json()).toMatchObject({ code: 'SES-0210' });
  });

  it('tokenLogin answers LGI-0006 to a wrong password', async () => {
    const form = { login, password: 'wrong', clientToken: 'mine', client: 'web', version: '1', jsonResponse: 'true' };
    expect(await (await post(browser(), 'tokenLogin', form)).json()).toMatchObject({ code: 'LGI-0006' });
  });

  it('tokens answers SES-0211 to a wrong client token', async () => {
    const form = { login, password: PASSWORD, clientToken: 'mine', client: 'web', version: '1', jsonResponse: 'true' };
    const { serverToken } = (await (await post(browser(), 'tokenLogin', form)).json()) as any;
    const answer = await post(browser(), 'tokens', { serverToken, clientToken: 'guess', client: 'web' });
    expect(await answer.json()).toMatchObject({ code: 'SES-0211' });
  });

  it('acquireToken and redeemToken carry a session to another application', async () => {
    const client = browser();
    await client.login(login, PASSWORD);
    const { data } = await client.get('token', 'acquireToken');
    const other = new Client(world.publicUrl, 'Wiki/1');
    const wrong = await post(other, 'redeemToken', { token: data.token, client: 'wiki', secret: 'wrong' });
    expect(await wrong.json()).toMatchObject({ code: 'TOKEN-LOGIN-0001' });
    const right = (await (
      await post(other, 'redeemToken', { token: data.token, client: 'wiki', secret: SECRET })
    ).json()) as any;
    expect(right).toMatchObject({ user: login });
    expect(right.session).not.toBe(client.session);
    expect(await works(other, right.session)).toBe(true);
    const { data: jump } = await client.get('jump', 'identityToken', { system: 'wiki' });
    expect(jump.token).toMatch(/^[0-9a-f]{32}$/);
    expect(await client.get('jump', 'identityToken', { system: 'bank' })).toMatchObject({ code: 'SVL-0010' });
  });

  it('httpAuth asks for credentials and takes them', async () => {
    const client = browser();
    const ask = (authorization?: string) =>
      client.fetch('GET', '/login/httpAuth', {}, { headers: authorization ? { authorization } : {} });
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    for (const refused of [await ask(), await ask(basic(`${login}:wrong`)), await ask('Bearer x')]) {
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    }
    const response = await ask(basic(`${login}:${PASSWORD}`));
    expect(response.status).toBe(302);
    expect(await works(client, factsOf(response).get('session'))).toBe(true);
  });

  it('rampup answers what a client loads first, alone and with the login', async () => {
    const client = browser();
    const answer = await client.login(login, PASSWORD, { rampup: 'true' });
    expect(answer.rampup.user).toMatchObject({ id: String(answer.user_id) });
    expect(answer.rampup.serverConfig.capabilities).toContainEqual({ id: 'calendar', attributes: {} });
    const { data } = await client.get('login', 'rampup');
    expect(data).toEqual(answer.rampup);
    const { serverConfig, jslobs } = answer.rampup;
    const beforeSecondFactor = { serverConfig, jslobs, oauth: {} };
    expect((await client.get('login', 'rampup', { rampUpFor: 'multifactor' })).data).toEqual(beforeSecondFactor);
    for (const name of ['rampUpFor', 'rampupFor'])
      expect((await client.login(login, PASSWORD, { rampup: 'true', [name]: 'multifactor' })).rampup).toEqual(
        beforeSecondFactor,
      );
    const response = await client.fetch(
      'POST',
      '/login',
      { action: 'login' },
      {
        body: JSON.stringify({ name: login, password: PASSWORD, rampup: true, rampUpFor: 'multifactor' }),
        headers: { 'content-type': 'application/json' },
      },
    );
    expect(((await response.json()) as typeof answer).rampup).toEqual(beforeSecondFactor);
  });

  it('rampup has what the page of the second factor needs before it, and no more', async () => {
    const user = `admin@${await createContext(admin, 'factors')}`;
    const open = browser();
    await open.login(user, PASSWORD);
    const { data } = await open.put('multifactor/device', 'startRegistration', {}, { providerName: 'TOTP' });
    const { deviceId, challenge } = data;
    const query = { providerName: 'TOTP', deviceId };
    const epoch = Math.floor(Date.now() / 1000);
    const finish = (client: Client, action: string, at: number) =>
      generate({ secret: challenge.sharedSecret, epoch: at }).then((secret_code) =>
        client.put('multifactor/device', action, query, { secret_code }),
      );
    expect(await finish(open, 'finishRegistration', epoch)).toHaveProperty('data');

    const pending = browser();
    const form = { client: 'web', rampup: 'true', rampUpFor: 'open-xchange-appsuite' };
    const { rampup, ...session } = await pending.login(user, PASSWORD, form);
    expect(session).toMatchObject({ requires_multifactor: true });
    // The configuration is that of the server alone, as from the call of its own.
    const serverConfig = (await pending.get('apps/manifests', 'config')).data;
    expect(serverConfig.capabilities).toEqual([{ id: 'autologin', attributes: {} }]);
    // Settings are the user's: they are closed like the call for them.
    expect(rampup).toEqual({ serverConfig, oauth: {} });
    expect((await pending.put('jslob', 'list', {}, ['io.ox/mail'])).code).toBe('MFA-0001');
    for (const rampUpFor of ['multifactor', 'open-xchange-appsuite'])
      expect((await pending.get('login', 'rampup', { rampUpFor })).data).toEqual(rampup);
    expect((await pending.get('login', 'rampup')).data).toEqual(rampup);
    const again = await pending.fetch('GET', '/login', { action: 'autologin', client: 'web', rampup: true });
    expect(await again.json()).toEqual({ ...session, ...rampup, rampup });
    expect((await pending.get('user', 'get')).code).toBe('MFA-0001');

    expect((await finish(pending, 'finishAuthentication', epoch + 30)).data).toEqual({ result: 'OK' });
    expect((await pending.get('login', 'rampup')).data.user).toMatchObject({ id: String(pending.userId) });
  });

  it('tokenLogin takes its parameters from URL and JSON together', async () => {
    const body = { login, password: PASSWORD, clientToken: 'mine', client: 'web', version: '1', jsonResponse: true };
    const response = await browser().fetch(
      'POST',
      '/login',
      { action: 'tokenLogin', authId: `attempt-${++attempts}` },
      { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
    );
    expect(await response.json()).toMatchObject({ serverToken: expect.any(String), user: login });
  });

  it.each(['redirect', 'redeem'])('%s answers 400 while random tokens are off', async (action) => {
    expect((await browser().fetch('GET', '/login', { action, random: 'f'.repeat(32) })).status).toBe(400);
    expect((await browser().fetch('GET', '/login', { action })).status).toBe(400);
  });

  it('autologin answers the first data beside the session, and what is switched on', async () => {
    const client = browser();
    const { rampup } = await client.login(login, PASSWORD, { client: 'web', rampup: 'true' });
    const answer = await client.fetch('GET', '/login', {
      action: 'autologin',
      client: 'web',
      rampup: 'true',
      modules: 'true',
    });
    expect(await answer.json()).toEqual({
      ...rampup,
      rampup,
      session: client.session,
      user: login,
      user_id: client.userId,
      context_id: client.contextId,
      locale: 'en_US',
      modules: expect.objectContaining({ calendar: expect.objectContaining({ module: true }) }),
    });
  });

  it.each([
    ['formlogin', { login: 'x', password: 'x', client: 'web', version: '1', autologin: 'true' }],
    ['tokenLogin', { login: 'x', password: 'x', client: 'web', version: '1', clientToken: 'mine' }],
    ['redeemToken', { token: 'x', secret: 'x', client: 'web' }],
  ])('%s needs an authId', async (action, form) => {
    const answer = await browser().fetch('POST', '/login', { action }, { body: new URLSearchParams(form) });
    expect(await answer.json()).toMatchObject({ code: 'SVL-0002', error_params: ['authId'] });
  });

  it.each([
    ['samlLogin', 'token'],
    ['oidcLogin', 'sessionToken'],
  ])('%s takes no reservation that nobody made', async (action, name) => {
    const status = async (query: object) => (await browser().fetch('GET', '/login', { action, ...query })).status;
    expect(await status({ [name]: 'unknown' })).toBe(403);
    expect(await status({})).toBe(400);
  });

  it.each(['samlLogout', 'oidcLogout'])('%s ends the session and leads to the web client', async (action) => {
    const client = browser();
    await client.login(login, PASSWORD);
    const end = (query: object, each = client) => each.fetch('GET', '/login', { action, ...query });
    expect((await end({})).status).toBe(400);
    expect((await end({ session: 'f'.repeat(32) })).status).toBe(403);
    expect((await end({ session: client.session }, browser())).status).toBe(403);
    const ended = await end({ session: client.session });
    expect([ended.status, ended.headers.get('location')]).toEqual([302, '/ui/']);
    expect(client.jar.size).toBe(0);
    expect(await works(client, client.session)).toBe(false);
  });

  it.each([
    ['anonymous', 'SHR-0002'],
    ['guest', 'SHR-0002'],
  ])('%s is refused without a share', async (action, code) => {
    const response = await post(browser(), action, { share: 'no such token' });
    expect(await response.json()).toMatchObject({ code });
  });

  it.each(['formlogin', 'tokenLogin', 'tokens', 'redeemToken', 'redirect', 'redeem', 'autologin', 'rampup', 'store'])(
    '%s refuses a password in the URL before anything else',
    async (action) => {
      const response = await browser().fetch('POST', '/login', { action, password: 'x' });
      expect(await response.json()).toMatchObject({ code: 'SVL-0030' });
    },
  );
});
