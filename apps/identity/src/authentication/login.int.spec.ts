import {
  appPasswords,
  capabilities,
  currentUser,
  login,
  loginHistory,
  multifactorDevice,
  passwordchange,
  provisioning,
  type Operation,
  type UserPrincipal,
} from '@groupware/contracts';
import { computeCookieHash, SESSION_FACTS, createSessionSettings } from '@groupware/sessions';
import { generate } from 'otplib';
import { LoginHistoryRepository } from '../persistence/login-history.repository';
import { codeOf, createEdge, MASTER, startIdentity, type RunningIdentity } from '../testing/running-identity';

const PASSWORD = 'a good password';
const hash = (client: string, userAgent = 'Test/1.0') =>
  computeCookieHash({ userAgent, client }, createSessionSettings());

describe('login', () => {
  let identity: RunningIdentity;
  let contextId: number;
  let userId: number;

  beforeAll(async () => {
    identity = await startIdentity();
    const context = await identity.call(provisioning.createContext, {
      body: {
        name: 'acme',
        loginMappings: ['defaultcontext'],
        admin: { name: 'admin', password: PASSWORD, surname: 'Min', email: 'admin@acme.example' },
      },
    });
    contextId = context.id;
    const user = await identity.call(provisioning.createUser, {
      query: { contextId },
      body: { name: 'u1', password: PASSWORD, surname: 'One', givenName: 'User', primaryEmail: 'u1@acme.example' },
    });
    userId = user.id;
  });
  afterAll(() => identity.close());

  const principalOf = async (session: string): Promise<UserPrincipal> =>
    (await identity.sessions.peek(session))!.principal;

  it('opens a session and writes cookies of which none holds its id', async () => {
    const { json, cookies } = await identity.login('u1@acme', PASSWORD, { client: 'c1' });
    expect(json).toEqual({
      session: expect.stringMatching(/^[0-9a-f]{32}$/),
      user: 'u1@acme',
      user_id: userId,
      context_id: contextId,
      locale: 'en_US',
    });
    expect(cookies!.map(({ name }) => name)).toContain(`svc-secret-${hash('c1')}`);
    expect(cookies!.some(({ value }) => value === json.session)).toBe(false);
    const session = await identity.sessions.peek(json.session);
    expect(session).toMatchObject({ contextId, userId, client: 'c1', ip: '192.0.2.10', hash: hash('c1') });
    expect(session!.principal).toMatchObject({
      kind: 'user',
      login: 'u1',
      displayName: 'User One',
      email: 'u1@acme.example',
      groups: [0, 1],
      capabilities: expect.arrayContaining(['calendar', 'webmail', 'infostore', 'autologin']),
    });
  });

  it('knows the context by name, id, mapping, and by default', async () => {
    for (const name of ['u1@acme', `u1@${contextId}`, 'U1@ACME', 'u1@defaultcontext', 'u1', ' u1 '])
      expect((await identity.login(name, PASSWORD)).json.user_id).toBe(userId);
  });

  it.each([
    ['a wrong password', 'u1@acme', 'wrong'],
    ['an unknown user', 'nobody@acme', PASSWORD],
    ['an unknown context', 'u1@nowhere', PASSWORD],
    ['an empty user', '@acme', PASSWORD],
  ])('answers %s alike', async (_what, name, password) => {
    expect(await codeOf(identity.login(name, password))).toBe('LGI-0006');
  });

  it('names missing parameters', async () => {
    await expect(identity.login('', PASSWORD)).rejects.toMatchObject({ code: 'SVL-0002', params: ['name'] });
    await expect(identity.login('u1', '')).rejects.toMatchObject({ code: 'SVL-0002', params: ['password'] });
  });

  it('takes parameters of the URL and lets the body win', async () => {
    const answer = await identity.request(login.login, {
      principal: { kind: 'anonymous' },
      query: { client: 'from-url', name: 'nobody' },
      body: { name: 'u1', password: PASSWORD },
    });
    expect((await identity.sessions.peek(answer.json.session))!.client).toBe('from-url');
  });

  it('refuses the user agent as client', async () => {
    expect(await codeOf(identity.login('u1', PASSWORD, { client: 'Test/1.0' }))).toBe('LGI-0021');
  });

  it('uses the parameter where the request has no user agent', async () => {
    const { json } = await identity.login('u1', PASSWORD, { client: 'c', clientUserAgent: 'App/2' }, { userAgent: '' });
    expect(await identity.sessions.peek(json.session)).toMatchObject({ hash: hash('c', 'App/2'), agentless: true });
  });

  it('stores the language only when told so', async () => {
    expect((await identity.login('u1', PASSWORD, { language: 'fr_FR' })).json.locale).toBe('en_US');
    expect((await identity.login('u1', PASSWORD, { language: 'de-de', storeLanguage: true })).json.locale).toBe(
      'de_DE',
    );
    expect((await identity.login('u1', PASSWORD)).json.locale).toBe('de_DE');
    for (const language of ['??', 'zh-Hans-CN', 'C', 'xx'])
      expect((await identity.login('u1', PASSWORD, { language, storeLanguage: true })).json.locale).toBe('de_DE');
    expect((await identity.login('u1', PASSWORD, { language: 'fr', storeLanguage: true })).json.locale).toBe('fr_FR');
    await identity.login('u1', PASSWORD, { language: 'en_US', storeLanguage: true });
  });

  it('refuses an authId that a live session has', async () => {
    await identity.login('u1', PASSWORD, { authId: 'once' });
    expect(await codeOf(identity.login('u1', PASSWORD, { authId: 'once' }))).toBe('SES-0008');
  });

  it('observes the limits that properties set for the user', async () => {
    const other = await identity.call(provisioning.createUser, {
      query: { contextId },
      body: { name: 'limited', password: PASSWORD, surname: 'Limited', primaryEmail: 'limited@acme.example' },
    });
    await identity.call(provisioning.setUserProperty, {
      query: { contextId, userId: other.id, property: 'com.example.sessiond.maxSessionPerUser' },
      body: { value: 2 },
    });
    const first = await identity.login('limited', PASSWORD);
    await identity.login('limited', PASSWORD);
    expect(await codeOf(identity.login('limited', PASSWORD))).toBe('SES-0007');
    expect(await identity.sessions.peek(first.json.session)).toBeDefined();
  });

  it('tells only the right password that a context or user is disabled', async () => {
    const { id } = await identity.call(provisioning.createContext, {
      body: {
        name: 'sleepy',
        admin: { name: 'admin', password: PASSWORD, surname: 'Min', email: 'admin@sleepy.example' },
      },
    });
    const user = await identity.call(provisioning.createUser, {
      query: { contextId: id },
      body: { name: 'off', password: PASSWORD, surname: 'Off', primaryEmail: 'off@sleepy.example', enabled: false },
    });
    expect(await codeOf(identity.login('off@sleepy', PASSWORD))).toBe('LGI-0013');
    expect(await codeOf(identity.login('off@sleepy', 'wrong'))).toBe('LGI-0006');
    await identity.call(provisioning.changeUser, {
      query: { contextId: id, userId: user.id },
      body: { enabled: true },
    });
    const open = await identity.login('off@sleepy', PASSWORD);
    await identity.call(provisioning.setContextState, { query: { contextId: id }, body: { enabled: false } });
    expect(await identity.sessions.peek(open.json.session)).toBeUndefined();
    expect(await codeOf(identity.login('off@sleepy', PASSWORD))).toBe('SES-0204');
    expect(await codeOf(identity.login('off@sleepy', 'wrong'))).toBe('LGI-0006');
    await identity.call(provisioning.setContextState, { query: { contextId: id }, body: { enabled: true } });
    expect(await codeOf(identity.login('off@sleepy', PASSWORD))).toBe('none');
  });

  const newTarget = (name: string) =>
    identity.call(provisioning.createUser, {
      query: { contextId },
      body: { name, password: PASSWORD, surname: 'Target', displayName: name, primaryEmail: `${name}@acme.example` },
    });

  it('locks a name out after too many failures from one address, for that address', async () => {
    await newTarget('target');
    const guesser = { remoteAddress: '198.51.100.1' };
    for (let attempt = 0; attempt < 20; attempt++)
      expect(await codeOf(identity.login('target', 'wrong', {}, guesser))).toBe('LGI-0006');
    expect(await codeOf(identity.login('target', PASSWORD, {}, guesser))).toBe('LGI-0028');
    expect(await codeOf(identity.login('target', PASSWORD))).toBe('none');
    expect(await codeOf(identity.login('u1', PASSWORD, {}, guesser))).toBe('none');
  });

  it('does not let guessing from many addresses lock out the owner', async () => {
    await newTarget('victim');
    const home = { remoteAddress: '192.0.2.77' };
    await identity.login('victim', PASSWORD, {}, home);
    await Promise.all(
      Array.from({ length: 100 }, (_, attempt) =>
        codeOf(identity.login('victim', 'wrong', {}, { remoteAddress: `198.51.100.${attempt}` })),
      ),
    );
    const elsewhere = (password: string, remoteAddress: string) =>
      codeOf(identity.login('victim', password, {}, { remoteAddress }));
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await elsewhere('wrong', `2001:db8:1:${attempt}::1`)).toBe('LGI-0006');
    expect(await elsewhere(PASSWORD, '2001:db8:1:9::1')).toBe('LGI-0028');
    expect(await elsewhere(PASSWORD, '2001:db8:2::1')).toBe('none');
    for (let attempt = 0; attempt < 5; attempt++) expect(await elsewhere('wrong', '192.0.2.77')).toBe('LGI-0006');
    expect(await codeOf(identity.login('victim', PASSWORD, {}, home))).toBe('none');
  });

  it('does not take the registration of another second factor for a check of one', async () => {
    const { id: userId } = await newTarget('keeper');
    const { json } = await identity.login('keeper', PASSWORD);
    const session = (await identity.sessions.peek(json.session))!;
    const principal: UserPrincipal = { ...session.principal, sessionId: session.id };
    const call = (operation: Operation, parts: object) =>
      identity.call(operation, { principal, edge: createEdge(), ...parts });
    const register = async () => {
      const { deviceId, challenge } = await call(multifactorDevice.startRegistration, {
        body: { providerName: 'TOTP' },
      });
      const body = { secret_code: await generate({ secret: challenge.sharedSecret }) };
      await call(multifactorDevice.finishRegistration, { query: { providerName: 'TOTP', deviceId }, body });
    };
    const shownAt = async () => (await identity.sessions.peek(session.id))!.parameters[SESSION_FACTS.secondFactor];
    await register();
    expect(Number(await shownAt())).toBeGreaterThan(Date.now() - 60_000);
    const earlier = String(Date.now() - 300_000);
    await identity.sessions.setParameter(session.id, SESSION_FACTS.secondFactor, earlier);
    await register();
    expect(await shownAt()).toBe(earlier);
    await identity.sessions.setParameter(session.id, SESSION_FACTS.secondFactor, String(Date.now() - 600_001));
    expect(await codeOf(register())).toBe('MFA-0015');
    expect(await identity.sql('select 1 from factor_device where user_id = $1', [userId])).toHaveLength(2);
  });

  it('ends the application passwords of a user whose own password changes', async () => {
    await newTarget('changer');
    const { json } = await identity.login('changer', PASSWORD);
    const session = (await identity.sessions.peek(json.session))!;
    const call = (operation: Operation, body: object) =>
      identity.call(operation, {
        principal: { ...session.principal, sessionId: session.id },
        edge: createEdge(),
        body,
      });
    const app = await call(appPasswords.add, { appScope: 'mail', appName: 'telephone' });
    const opened = await identity.login(app.login, app.password);
    await call(passwordchange.update, { old_password: PASSWORD, new_password: 'another good password' });
    expect(await identity.sessions.peek(opened.json.session)).toBeUndefined();
    expect(await codeOf(identity.login(app.login, app.password))).toBe('LGI-0006');
    expect(await identity.sessions.peek(session.id)).toBeDefined();
  });

  it('ends the application passwords of a user who renews a password that has expired', async () => {
    const { id: userId } = await newTarget('renewer');
    const { json } = await identity.login('renewer', PASSWORD);
    const session = (await identity.sessions.peek(json.session))!;
    const app = await identity.call(appPasswords.add, {
      principal: { ...session.principal, sessionId: session.id },
      body: { appScope: 'mail', appName: 'telephone' },
    });
    const opened = await identity.login(app.login, app.password);
    await identity.call(provisioning.setPassword, {
      principal: MASTER,
      query: { contextId: session.contextId, userId },
      body: { password: 'given by the admin', mustChange: true, keepSessions: true },
    });
    const body = { name: 'renewer', old_password: 'given by the admin', new_password: 'another good password' };
    await identity.call(passwordchange.renew, { edge: createEdge(), body });
    expect(await identity.sessions.peek(opened.json.session)).toBeUndefined();
    expect(await codeOf(identity.login(app.login, app.password))).toBe('LGI-0006');
    expect(await identity.sessions.peek(session.id)).toBeDefined();
  });

  it('compares no more passwords than it allows, of a thousand that come at once, however the name is spelled', async () => {
    await newTarget('hasty');
    const spellings = ['hasty', 'HASTY', ' hasty ', 'Hasty@ACME', 'hasty@acme'];
    const guess = (name: string, index: number) =>
      codeOf(identity.login(name, `guess ${index}`, {}, { remoteAddress: `2001:db8:77:1::${index.toString(16)}` }));
    const codes = await Promise.all(Array.from({ length: 1_000 }, (_, index) => guess(spellings[index % 5]!, index)));
    const countEach = (all: readonly string[]) =>
      Object.fromEntries([...new Set(all)].map((code) => [code, all.filter((each) => each === code).length]));
    expect(countEach(codes)).toEqual({ 'LGI-0006': 20, 'LGI-0028': 980 });
    const unknown = ['ghost', 'GHOST', '\uff27host', 'ghost@acme'];
    const ghosts = await Promise.all(Array.from({ length: 100 }, (_, index) => guess(unknown[index % 4]!, index)));
    expect(countEach(ghosts)).toEqual({ 'LGI-0006': 20, 'LGI-0028': 80 });
  }, 120_000);

  it('answers HTTP 429 to an address with too many failures', async () => {
    const edge = { remoteAddress: '203.0.113.1' };
    await Promise.all(
      Array.from({ length: 200 }, (_, index) => codeOf(identity.login(`guess${index}`, 'wrong', {}, edge))),
    );
    await expect(identity.login('u1', PASSWORD, {}, edge)).rejects.toMatchObject({
      code: 'SVL-0019',
      details: { headers: { 'Retry-After': expect.stringMatching(/^\d+$/) } },
    });
    expect(await codeOf(identity.login('u1', PASSWORD))).toBe('none');
  });

  it('logs out: the session is gone and its cookies expire', async () => {
    const { json, cookies } = await identity.login('u1', PASSWORD, { client: 'out' });
    const jar = Object.fromEntries(cookies!.map(({ name, value }) => [name, value!]));
    const logout = (edge: object) => identity.request(login.logout, { principal: { kind: 'anonymous' }, edge });
    expect((await logout({ cookies: jar })).status).toBe(400);
    expect((await logout({ session: 'f'.repeat(32), cookies: jar })).status).toBe(403);
    expect((await logout({ session: json.session })).status).toBe(403);
    expect(await identity.sessions.peek(json.session)).toBeDefined();
    const done = await logout({ session: json.session, cookies: jar });
    expect(done.status).toBeUndefined();
    expect(done.body).toHaveLength(0);
    expect(done.cookies).toContainEqual({ name: `svc-secret-${hash('out')}` });
    expect(await identity.sessions.peek(json.session)).toBeUndefined();
  });

  it('returns to a session by cookie where staySignedIn was asked', async () => {
    const { json, cookies } = await identity.login('u1', PASSWORD, { client: 'web', staySignedIn: true });
    const jar = Object.fromEntries(cookies!.map(({ name, value }) => [name, value!]));
    expect(jar[`svc-session-${hash('web')}`]).toBe(json.session);
    expect(cookies!.every(({ maxAgeSeconds }) => maxAgeSeconds === 604_800)).toBe(true);
    const auto = (edge: object, query: object = { client: 'web' }) =>
      identity.request(login.autologin, { principal: { kind: 'anonymous' }, query, edge });
    expect((await auto({ cookies: jar })).json).toMatchObject({ session: json.session, user_id: userId });
    for (const broken of [{ [`svc-secret-${hash('web')}`]: 'x' }, { [`svc-session-${hash('web')}`]: 'f'.repeat(32) }]) {
      const refused = await auto({ cookies: { ...jar, ...broken } });
      expect(refused.json).toMatchObject({ code: 'SVL-0003', category: 4, categories: 'TRY_AGAIN' });
      expect(refused.cookies).toContainEqual({ name: `svc-session-${hash('web')}` });
    }
    expect(await codeOf(auto({ cookies: {} }))).toBe('SVL-0003');
    expect(await codeOf(auto({ cookies: jar }, { client: 'other' }))).toBe('SVL-0003');
  });

  it('writes the cookies of a session again', async () => {
    const { json, cookies } = await identity.login('u1', PASSWORD, { client: 'again' });
    const again = await identity.request(login.refreshSecret, { principal: await principalOf(json.session) });
    expect(again.json).toBe('1');
    expect(again.cookies).toEqual(cookies);
  });

  it('answers what old clients ask', async () => {
    const anonymous = { principal: { kind: 'anonymous' } as const };
    expect(await identity.call(login.hasAutologin, anonymous)).toEqual({ autologin: true });
    expect((await identity.request(login.store, anonymous)).headers).toEqual({ Deprecation: 'version="v7.10.3"' });
    expect((await identity.request(login.redirect, { ...anonymous, query: { random: 'x' } })).status).toBe(400);
    expect((await identity.request(login.redeem, { ...anonymous, query: { random: 'x' } })).status).toBe(400);
  });

  it('tells who is logged in and what they may use', async () => {
    const principal = await principalOf((await identity.login('u1', PASSWORD)).json.session);
    expect(await identity.call(currentUser.me, { principal })).toEqual({
      context_id: contextId,
      user_id: userId,
      context_admin: 2,
      login_name: 'u1',
      display_name: 'User One',
    });
    const all = await identity.call(capabilities.all, { principal });
    expect(all).toContainEqual({ id: 'calendar', attributes: {} });
    expect(await identity.call(capabilities.get, { principal, query: { id: 'Calendar' } })).toEqual({
      id: 'calendar',
      attributes: {},
    });
    expect(await identity.call(capabilities.get, { principal, query: { id: 'unknown' } })).toEqual({});
  });

  it('keeps live sessions in step with the directory', async () => {
    const { json } = await identity.login('u1', PASSWORD);
    const query = { contextId, userId };
    await identity.call(provisioning.changeUser, { query, body: { displayName: 'Renamed' } });
    expect((await principalOf(json.session)).displayName).toBe('Renamed');
    const group = await identity.call(provisioning.createGroup, {
      query: { contextId },
      body: { name: 'crew', members: [userId] },
    });
    expect((await principalOf(json.session)).groups).toEqual([0, 1, group.id]);
    await identity.call(provisioning.setUserProperty, {
      query: { ...query, property: 'com.example.capability.drive' },
      body: { value: true },
    });
    expect((await principalOf(json.session)).capabilities).toContain('drive');
    await identity.call(provisioning.setUserAccess, { query, body: { flags: { calendar: false } } });
    expect((await principalOf(json.session)).capabilities).not.toContain('calendar');
    await identity.call(provisioning.setPassword, { query, body: { password: 'another one' } });
    expect(await identity.sessions.peek(json.session)).toBeUndefined();
    expect(await codeOf(identity.login('u1', PASSWORD))).toBe('LGI-0006');
    const kept = await identity.login('u1', 'another one');
    await identity.call(provisioning.setPassword, { query, body: { password: PASSWORD, keepSessions: true } });
    expect(await identity.sessions.peek(kept.json.session)).toBeDefined();
    await identity.call(provisioning.changeUser, { query, body: { enabled: false } });
    expect(await identity.sessions.peek(kept.json.session)).toBeUndefined();
    await identity.call(provisioning.changeUser, { query, body: { enabled: true } });
  });

  it('replaces hashes of older kinds at the next login', async () => {
    // {SSHA512} of "secret" with the salt "salt".
    const { createHash } = await import('node:crypto');
    const salted = Buffer.concat([createHash('sha512').update('secretsalt').digest(), Buffer.from('salt')]);
    const imported = await identity.call(provisioning.createUser, {
      query: { contextId },
      body: {
        name: 'imported',
        passwordHash: `{SSHA512}${salted.toString('base64')}`,
        surname: 'Imported',
        primaryEmail: 'imported@acme.example',
      },
    });
    expect(await codeOf(identity.login('imported', 'wrong'))).toBe('LGI-0006');
    expect(await codeOf(identity.login('imported', 'secret'))).toBe('none');
    const [row] = await identity.sql('select hash from credential where context_id = $1 and user_id = $2', [
      contextId,
      imported.id,
    ]);
    expect(row.hash).toMatch(/^\$argon2id\$/);
    expect(await codeOf(identity.login('imported', 'secret'))).toBe('none');
  });

  it('notes logins per client', async () => {
    await identity.login('admin', PASSWORD, { client: 'noted' });
    await identity.login('admin', PASSWORD, { client: 'noted' });
    const rows = await identity.sql(
      `select client, logins from login_history where context_id = $1 and user_id = 2 and client = 'noted'`,
      [contextId],
    );
    expect(rows).toEqual([{ client: 'noted', logins: 2 }]);
    const admin = await identity.call(provisioning.getUser, { principal: MASTER, query: { contextId, userId: 2 } });
    expect(admin.lastLogin).toBeGreaterThan(Date.now() - 60_000);
  });

  it('counts logins in any span, by an index', async () => {
    await identity.login('admin', PASSWORD, { client: 'counted' });
    const query = { startDate: Date.now() - 60_000, endDate: 1e300 };
    const { clients } = await identity.call(loginHistory.getLoginCounts, { query });
    expect(clients).toContainEqual({ client: 'counted', count: 1 });
    const { sum } = await identity.call(loginHistory.getLoginCounts, { query: { ...query, aggregate: true } });
    expect(sum).toBeGreaterThan(0);
    const statements: string[] = [];
    const planned = {
      objects: (sql: string) => (statements.push(sql), []),
      first: (sql: string) => (statements.push(sql), {}),
    };
    const history = new LoginHistoryRepository();
    await history.countByClient(planned as never, 0, 1);
    await history.countUsers(planned as never, 0, 1);
    for (const sql of statements) {
      const plan = await identity.sql(`explain ${sql.replaceAll('$1', '0').replaceAll('$2', '1')}`);
      expect(JSON.stringify(plan)).toContain('login_history_by_last_login');
    }
  });
});
