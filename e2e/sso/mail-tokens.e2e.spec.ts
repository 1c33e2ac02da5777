import { OpenIdProvider, startDovecot, until, type Dovecot } from '@groupware/test-kit';
import { Client } from '../client';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { startOutside, type Outside } from '../mail-account/outside';
import { openEvents } from '../push/streams';
import { keepOutOfLogs } from '../secrets';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { PlainBrowser } from './provider-browser';
import { TokenService } from './token-service';

/** Secret that the mail servers and the issuers of their tokens have in common. */
const TOKEN_SECRET = 'the secret of the services of tokens';
const CLIENT_SECRET = 'secret of the product at the service';
const WORK = 'com.example.oauth.work';
/** Logins that an SMTP server saw, with the tokens. */
const submissions: { login: string; token: string; method: string }[] = [];
const mails: string[] = [];
let refusesSubmission = false;
let tokens: TokenService;
let provider: OpenIdProvider;
let outside: Outside;
let dovecot: Dovecot;
let smtp: number;
let world: TestEnvironment;
let cast: Fixtures;
let U1: TestUser;

beforeAll(async () => {
  keepOutOfLogs(TOKEN_SECRET, CLIENT_SECRET);
  tokens = new TokenService(TOKEN_SECRET);
  const address = await tokens.start();
  provider = await OpenIdProvider.start({ tokenSecret: TOKEN_SECRET });
  outside = await startOutside([]);
  dovecot = await startDovecot({
    certificate: outside.authority.issue(['mail.test']),
    tokens: { mechanism: 'oauthbearer', secret: TOKEN_SECRET },
    sieve: {},
  });
  smtp = await outside.smtp({
    authMethods: ['XOAUTH2'],
    onAuth: (
      { username, accessToken, method }: { username: string; accessToken: string; method: string },
      _session: unknown,
      done: (error: Error | null, answer: object) => void,
    ) => {
      submissions.push({ login: username, token: accessToken, method });
      done(null, refusesSubmission ? { data: { status: '401' } } : { user: username });
    },
    onData: (stream: NodeJS.ReadableStream, _session: unknown, done: (error: null, reply: string) => void) => {
      let text = '';
      stream.on('data', (part) => (text += String(part)));
      stream.on('end', () => {
        mails.push(text);
        done(null, 'taken');
      });
    },
  });
  world = await startTestEnvironment({
    variables: { ...outside.variables, GATEWAY_STREAM_CHECK_MS: '300' },
    properties: {
      'com.example.oauth.services': 'work',
      'com.example.oauth.allowPlain': 'true',
      [WORK]: 'true',
      [`${WORK}.apiKey`]: 'groupware',
      [`${WORK}.apiSecret`]: CLIENT_SECRET,
      [`${WORK}.authorizationEndpoint`]: `${address}/authorize`,
      [`${WORK}.tokenEndpoint`]: `${address}/token`,
      [`${WORK}.userInfoEndpoint`]: `${address}/me`,
      [`${WORK}.scopes.mail`]: 'mail',
      [`${WORK}.mailServers`]: 'mail.test',
      'com.example.oidc.enabled': 'true',
      'com.example.oidc.clientId': 'groupware',
      'com.example.oidc.clientSecret': CLIENT_SECRET,
      'com.example.oidc.opIssuer': provider.issuer,
      'com.example.oidc.scope': 'openid offline_access mail',
      'com.example.oidc.allowPlain': 'true',
      'com.example.oidc.mailServers': 'mail.test',
      'com.example.oidc.backends': 'short, shy',
      'com.example.oidc.short.hosts': 'short.example',
      'com.example.oidc.short.oauthRefreshTime': '3600000',
      'com.example.oidc.shy.hosts': 'shy.example',
      'com.example.oidc.shy.mailServers': 'elsewhere.test',
      'com.example.mail.authType': 'xoauth2',
      'com.example.mail.filter.port': String(dovecot.sieve),
      'com.example.mail.filter.connectionTimeout': '5000',
    },
  });
  await provider.putClient({
    client_id: 'groupware',
    client_secret: CLIENT_SECRET,
    redirect_uris: ['', 'short/', 'shy/'].map((backend) => `${world.publicUrl}/oidc/${backend}auth`),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'openid offline_access mail',
  });
  cast = await createFixtures(world);
  U1 = cast.U1;
}, 120_000);
afterAll(async () => {
  await world?.close();
  await Promise.all([dovecot?.stop(), outside?.close(), provider?.close()]);
  tokens?.close();
});
beforeEach(() => {
  submissions.length = 0;
  mails.length = 0;
  refusesSubmission = false;
  Object.assign(tokens, { isRevoked: false, isSpoiled: false });
});

/** Grants access at the service; answers the account. @param id of one whose access is granted anew */
async function connect(login: string, id?: number): Promise<number> {
  const anew = id === undefined ? {} : { id };
  const asked = { serviceId: WORK, displayName: login, scopes: 'mail', ...anew };
  const { authUrl, uuid } = (await U1.get<any>('oauth/accounts', 'init', asked)).data;
  const state = new URL(authUrl).searchParams.get('state')!;
  const action = id === undefined ? 'create' : 'reauthorize';
  const { data, error } = await U1.put<any>('oauth/accounts', action, { uuid, state, code: login, ...anew }, undefined);
  if (error !== undefined) throw new Error(error);
  return id ?? data.id;
}
const bodyOf = (login: string, oauth: number, changes: object = {}) => ({
  name: login,
  primary_address: `${login}@work.example`,
  login,
  mail_url: `imap://mail.test:${dovecot.imap}`,
  mail_oauth: oauth,
  transport_url: `smtp://mail.test:${smtp}`,
  transport_auth: 'mail',
  ...changes,
});
const create = async (login: string, oauth: number, changes: object = {}): Promise<number> => {
  const { data, error } = await U1.put<any>('account', 'new', {}, bodyOf(login, oauth, changes));
  if (error !== undefined) throw new Error(error);
  return data.id;
};
const list = (client: Client, account: number, folder = 'INBOX') =>
  client.get('mail', 'all', { folder: `default${account}/${folder}`, columns: '607', sort: 610, order: 'desc' });
const stateOf = async (account: number) =>
  (await U1.get<any>('account', 'status', { id: account })).data[account].status;
/** Sends a mail; answers the code of what went wrong. */
async function send(client: Client, from: string): Promise<string | undefined> {
  const form = new FormData();
  const attachments = [{ content_type: 'text/plain', content: 'Hello' }];
  const mail = { from: [[null, from]], to: [[null, 'bob@x.example']], subject: 'Sent by token', attachments };
  form.append('json_0', JSON.stringify(mail));
  const query = { action: 'new', session: client.session, force_json_response: true, plainJson: true };
  const answer = (await (await client.fetch('POST', '/mail', query, { body: form })).json()) as { code?: string };
  return answer.code;
}
/** How users logged in at the mail server, by service. */
const loginsOf = (login: string): string[] =>
  [...dovecot.log().matchAll(/(imap|managesieve)-login: Info: Login: user=<([^>]*)>, method=(\w+),.*?(TLS)?, session/g)]
    .filter(([, , user]) => user === login)
    .map(([, service, , method, protection]) => `${service} ${method} ${protection}`);

describe('a mail account of an account elsewhere', () => {
  it('logs in with its access tokens, to read and to send', async () => {
    const oauth = await connect('ann');
    expect((await U1.put('account', 'validate', {}, bodyOf('ann', oauth))).data).toBe(true);
    const tree = await U1.put<any>('account', 'validate', { tree: true }, bodyOf('ann', oauth));
    expect(tree.data.subfolder_array.map(({ title }: { title: string }) => title)).toContain('INBOX');
    const account = await create('ann', oauth);
    expect((await U1.get<any>('account', 'get', { id: account })).data).toMatchObject({
      mail_oauth: oauth,
      trash: 'Trash',
      sent: 'Sent',
    });
    expect(await stateOf(account)).toBe('ok');
    expect((await list(U1, account)).data).toEqual([]);
    expect(await send(U1, 'ann@work.example')).toBeUndefined();
    expect(mails).toEqual([expect.stringContaining('Subject: Sent by token')]);
    expect(new Set(submissions.map(({ login, method }) => `${login} ${method}`))).toEqual(new Set(['ann XOAUTH2']));
    expect((await list(U1, account, 'Sent')).data).toEqual([['Sent by token']]);
    expect(new Set(loginsOf('ann'))).toEqual(new Set(['imap OAUTHBEARER TLS']));
    expect(tokens.refreshes).toBe(0);
  });

  it('is listened to for new mails while the user looks', async () => {
    const accounts = (await U1.get<any[]>('account', 'all', { columns: '1001,1007' })).data!;
    const [account] = accounts.find(([, address]) => address === 'ann@work.example');
    const before = loginsOf('ann').length;
    const stream = await openEvents(U1, { topics: 'ox:mail:*' });
    await until(async () => loginsOf('ann').length > before);
    // The first ones may come before it listens.
    await until(async () => {
      await dovecot.deliver('ann', 'From: Ann <ann@mail.test>\r\nSubject: News\r\n\r\nHello\r\n');
      return stream.notices.length > 0;
    });
    const [notice] = stream.notices;
    expect(notice).toMatchObject({
      event: 'ox:mail:new',
      data: { folder: `default${account}/INBOX`, subject: 'News' },
    });
    stream.close();
    expect(new Set(loginsOf('ann'))).toEqual(new Set(['imap OAUTHBEARER TLS']));
  });

  it('takes the address for the login where there is none, and its own OAuth account for sending', async () => {
    const oauth = await connect('cee@work.example');
    const other = await connect('dan');
    const custom = { transport_auth: 'custom', transport_login: 'dan', transport_oauth: other };
    const account = await create('cee', oauth, { login: undefined, ...custom });
    expect(await stateOf(account)).toBe('ok');
    expect((await list(U1, account)).data).toEqual([]);
    expect(await send(U1, 'cee@work.example')).toBeUndefined();
    expect(submissions.map(({ login }) => login)).toEqual(['dan', 'dan']);
    expect(loginsOf('cee@work.example')).toContain('imap OAUTHBEARER TLS');
  });

  it('gets one other token for one that a server refuses, and says so when that is refused, too', async () => {
    tokens.isSpoiled = true;
    const oauth = await connect('eve');
    tokens.isSpoiled = false;
    const before = tokens.refreshes;
    const account = await create('eve', oauth);
    expect(tokens.refreshes).toBe(before + 1);
    expect(await stateOf(account)).toBe('ok');

    tokens.isSpoiled = true;
    const fay = await connect('fay');
    const spoiled = await create('fay', fay);
    expect(tokens.refreshes).toBe(before + 2);
    for (let time = 0; time < 3; time++) expect((await list(U1, spoiled)).code).toBe('MSG-1001');
    expect(await stateOf(spoiled)).toBe('invalid_credentials');
    const { warnings } = await U1.put<any>('account', 'validate', {}, { id: spoiled });
    expect(warnings).toMatchObject({ code: 'MSG-0091' });
    expect(tokens.refreshes).toBe(before + 2);

    refusesSubmission = true;
    expect(await send(U1, 'eve@work.example')).toBe('MSG-1030');
    expect(mails).toEqual([]);
  });

  it('SO-13: says that its access ended, until it is granted anew', async () => {
    tokens.isSpoiled = true;
    const oauth = await connect('gus');
    Object.assign(tokens, { isRevoked: true, isSpoiled: false });
    const account = await create('gus', oauth);
    expect((await list(U1, account)).code).toBe('OAUTH-0013');
    expect(await send(U1, 'gus@work.example')).toBe('OAUTH-0013');
    expect(await stateOf(account)).toBe('recreation_needed');
    const answer = await U1.put<any>('account', 'validate', {}, { id: account });
    expect(answer).toMatchObject({ data: false, warnings: { code: 'OAUTH-0013' } });
    tokens.isRevoked = false;
    await connect('gus', oauth);
    expect(await stateOf(account)).toBe('ok');
    expect((await list(U1, account)).data).toEqual([]);
  });

  it('SO-11: is told of with the account that it uses, and goes with it', async () => {
    const oauth = await connect('ida');
    const other = await connect('jon');
    const custom = { transport_auth: 'custom', transport_login: 'ida', transport_oauth: oauth };
    const account = await create('ida', oauth);
    const both = await create('jon', other, custom);
    const free = await create('kim', other, { transport_oauth: oauth });
    const association = (id: number, name: string) => ({
      ...{ id: String(id), name, module: 'mail', folder: `default${id}`, scopes: ['mail'] },
    });
    const { data } = await U1.get<any>('oauth/accounts', 'get', { id: oauth });
    expect(data.associations).toEqual([association(account, 'ida'), association(both, 'jon')]);
    const all = (await U1.get<any[]>('oauth/accounts', 'all')).data!;
    expect(all.find(({ id }) => id === other).associations).toEqual([
      association(both, 'jon'),
      association(free, 'kim'),
    ]);
    expect((await U1.put('oauth/accounts', 'delete', { id: oauth }, undefined)).data).toBe(true);
    for (const gone of [account, both])
      await until(async () => (await U1.get('account', 'get', { id: gone })).code === 'ACC-0002');
    expect((await U1.get<any>('account', 'get', { id: free })).data).toMatchObject({ mail_oauth: other });
  });

  it('shows its tokens to the hosts of the service only, and to none without encryption', async () => {
    const oauth = await connect('hal');
    const heard: string[] = [];
    const peer = await outside.peer((socket) => {
      socket.write('* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=XOAUTH2 AUTH=OAUTHBEARER] ready\r\n');
      socket.on('data', (data) => heard.push(String(data)));
    });
    const named = { mail_url: `imap://127.0.0.1:${peer}`, transport_url: `smtp://127.0.0.1:${peer}` };
    expect((await U1.put('account', 'validate', {}, bodyOf('hal', oauth, named))).data).toBe(false);
    const foreign = await create('hal', oauth, named);
    expect(await stateOf(foreign)).toBe('invalid_credentials');
    expect((await list(U1, foreign)).code).toBe('MSG-1001');
    expect(await send(U1, 'hal@work.example')).toBe('MSG-1030');
    const bare = await U1.put<any>(
      'account',
      'validate',
      {},
      bodyOf('hal', oauth, { mail_url: `imap://mail.test:${peer}` }),
    );
    expect(bare).toMatchObject({ data: false, warnings: { code: 'MSG-0111' } });
    expect(heard.join()).not.toMatch(/AUTHENTICATE/i);
    const others = await U1.put<any>('account', 'validate', {}, bodyOf('hal', 4711));
    expect(others).toMatchObject({ data: false, warnings: { code: 'OAUTH-0006' } });
  });
});

/** A browser that logged in by OpenID Connect, as a client of the API. */
async function signOn(backend = ''): Promise<Client> {
  const browser = new PlainBrowser();
  const asked = new URLSearchParams({ flow: 'login', redirect: 'true', client: 'web' });
  const begun = await browser.request(`${world.publicUrl}/oidc/${backend}init?${asked}`);
  const back = await browser.logInAtProvider(begun.headers.get('location')!, U1.loginName);
  const end = await browser.follow(back, (location) => new URL(location).hash !== '');
  const client = new Client(world.publicUrl, browser.userAgent);
  for (const pair of browser.cookiesFor(world.publicUrl).split('; ')) {
    const at = pair.indexOf('=');
    client.setCookie(pair.slice(0, at), pair.slice(at + 1));
  }
  return Object.assign(client, { session: new URLSearchParams(new URL(end.url).hash.slice(1)).get('session')! });
}
/** Asks as a mail proxy about a session. */
async function askAsProxy(client: Client): Promise<{ status: number; body: any }> {
  const [, secret] = [...client.jar].find(([name]) => name.startsWith('svc-secret-'))!;
  const { login, password } = world.service;
  const address = `${world.internalUrl}/preliminary/mail/v1/validate-session/${client.session}`;
  const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
  const answer = await fetch(address, { headers: { authorization, 'x-svc-session-secret': secret } });
  const body: any = await answer.json();
  keepOutOfLogs(body.auth?.secret);
  return { status: answer.status, body };
}
const isLive = async (client: Client): Promise<boolean> => (await client.get('system', 'whoami')).error === undefined;

describe('the mail account of a session by OpenID Connect', () => {
  beforeAll(() =>
    cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${U1.userId}/mail-account`, {
      imap: { host: 'mail.test', port: dovecot.imaps, secure: true, login: U1.loginName },
      smtp: { host: 'mail.test', port: smtp, secure: false, starttls: true },
    }),
  );

  it('logs in with the access token of the login: to read, to send, and to sort', async () => {
    const client = await signOn();
    expect((await list(client, 0)).data).toEqual([]);
    expect(await send(client, U1.email)).toBeUndefined();
    expect(submissions.map(({ login, method }) => [login, method])).toEqual([[U1.loginName, 'XOAUTH2']]);
    expect((await client.get('mailfilter', 'list')).data).toEqual([]);
    expect(new Set(loginsOf(U1.loginName))).toEqual(new Set(['imap OAUTHBEARER TLS', 'managesieve OAUTHBEARER TLS']));
    expect((await client.get<any>('account', 'status', { id: 0 })).data[0].status).toBe('ok');
    expect((await client.put('account', 'validate', {}, { id: 0 })).data).toBe(true);
    expect((await client.get('quota', 'mail')).data).toEqual({ quota: -1, use: -1 });
    expect(await provider.countRefreshes()).toBe(0);
    const { status, body } = await askAsProxy(client);
    const { secret, ...auth } = body.auth;
    expect([status, auth]).toEqual([
      200,
      { type: 'XOAUTH2', loginName: U1.loginName, secretExpiresInSeconds: expect.any(Number) },
    ]);
    expect(auth.secretExpiresInSeconds).toBeGreaterThan(3_000);
    expect(auth.secretExpiresInSeconds).toBeLessThanOrEqual(body.session.expiresInSeconds);
    expect(submissions[0]!.token).toBe(secret);
  });

  it('is not shown the token where the operator does not name its host', async () => {
    const client = await signOn('shy/');
    expect((await list(client, 0)).code).toBe('MSG-1000');
    expect((await client.get('mailfilter', 'list')).code).toBe('MAIL_FILTER-0002');
    expect((await askAsProxy(client)).body.auth).toEqual({
      type: 'LOGIN',
      loginName: U1.loginName,
      secret: '',
      secretExpiresInSeconds: null,
    });
  });

  it('has the password in a session by password', async () => {
    expect((await list(U1, 0)).code).toBe('MSG-1000');
    expect((await askAsProxy(U1)).body.auth).toMatchObject({ type: 'LOGIN', secretExpiresInSeconds: null });
  });

  it('SO-60: gets a token that is near its end refreshed before it is used; when that is refused, the session ends', async () => {
    const client = await signOn('short/');
    const before = await provider.countRefreshes();
    const first = await askAsProxy(client);
    expect(first.body.auth).toMatchObject({ type: 'XOAUTH2', secret: expect.stringMatching(/^ey/) });
    expect(await provider.countRefreshes()).toBe(before + 1);
    expect((await list(client, 0)).data).toEqual([]);
    expect(await provider.countRefreshes()).toBe(before + 2);
    await provider.setDown(true);
    expect((await askAsProxy(client)).body.auth.type).toBe('LOGIN');
    await provider.setDown(false);
    expect(await isLive(client)).toBe(true);
    await provider.revokeGrants();
    expect(await askAsProxy(client)).toMatchObject({ status: 401, body: { code: 'SES-0203' } });
    expect(await isLive(client)).toBe(false);
    const second = await signOn('short/');
    await provider.revokeGrants();
    expect((await list(second, 0)).code).toBe('SES-0203');
    expect(await isLive(second)).toBe(false);
  });
});
