import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@groupware/test-kit';
import { createFixtures, createContext, createTestUser, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { AdminClient } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const GLOBAL_PASSWORD = 'the password of all mailboxes';
const SECRET = /^(svc|open-xchange)-secret-/;
let world: TestEnvironment;
let cast: Fixtures;
let proxy: AdminClient;
let count = 0;

/** A user with a mail server. */
async function someone(server = true): Promise<TestUser> {
  const player = await createTestUser(world, cast.admin, cast.contextId, `s${(count += 1)}`);
  if (server)
    await cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${player.userId}/mail-account`, {
      imap: { host: 'imap.test', secure: true },
    });
  return player;
}
const matches = (actual: unknown, expected: object): boolean => {
  try {
    expect(actual).toMatchObject(expected);
    return true;
  } catch {
    return false;
  }
};
const secretOf = (player: TestUser) => [...player.jar].find(([name]) => SECRET.test(name))![1];
const validate = (session: string, secret?: string, client = proxy) =>
  client.request(
    'GET',
    `/preliminary/mail/v1/validate-session/${encodeURIComponent(session)}`,
    undefined,
    secret === undefined ? {} : { 'x-svc-session-secret': secret },
  );

beforeAll(async () => {
  world = await startTestEnvironment({
    variables: {
      MAIL_ACCOUNT_GLOBAL_PASSWORD: GLOBAL_PASSWORD,
      MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS: 'imaps://central.test:993',
    },
  });
  cast = await createFixtures(world);
  proxy = new AdminClient(world.internalUrl, world.service.login, world.service.password);
}, 120_000);
afterAll(() => world?.close());

describe('mail session validation', () => {
  it('RX-22: tells whose session it is and how to log in', async () => {
    const ann = await someone();
    const answer = await validate(ann.session, secretOf(ann));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(answer.body).toEqual({
      identity: {
        user: String(ann.userId),
        context: String(cast.contextId),
        displayName: expect.any(String),
        primaryEmail: ann.email,
      },
      imap: { host: 'imap.test', port: 993, secure: true },
      auth: { type: 'LOGIN', loginName: ann.email, secret: PASSWORD, secretExpiresInSeconds: null },
      session: { expiresInSeconds: expect.any(Number) },
    });
    expect(answer.body.session.expiresInSeconds).toBeGreaterThan(3_500);
  });

  it('RX-22: does not make the session last longer', async () => {
    const ann = await someone();
    const secret = secretOf(ann);
    const first = (await validate(ann.session, secret)).body.session.expiresInSeconds;
    for (let call = 0; call < 5; call++) {
      await sleep(250);
      await validate(ann.session, secret);
    }
    const last = (await validate(ann.session, secret)).body.session.expiresInSeconds;
    expect(first - last).toBeGreaterThanOrEqual(1);
  });

  it('RX-23: gives every failure of the session the same answer', async () => {
    const ann = await someone();
    const secret = secretOf(ann);
    const gone = await someone();
    const goneSecret = secretOf(gone);
    await gone.fetch('GET', '/login', { action: 'logout', session: gone.session });
    const bodyFor = (session: string) => ({
      code: 'SES-0203',
      category: 4,
      categories: 'TRY_AGAIN',
      error_params: [session],
      error: expect.any(String),
      error_desc: expect.any(String),
      error_id: expect.any(String),
    });
    const unknown = 'f'.repeat(32);
    const attempts: [string, string | undefined][] = [
      [ann.session, undefined],
      [ann.session, ''],
      [ann.session, 'wrong'],
      [ann.session, `${secret}0`],
      [gone.session, goneSecret],
      [unknown, secret],
      ["x' or 1=1", secret],
    ];
    for (const [session, given] of attempts) {
      const { status, body, headers } = await validate(session, given);
      expect({ status, body }).toEqual({ status: 401, body: { ...bodyFor(session), version: expect.any(String) } });
      expect(headers.get('www-authenticate')).toMatch(/^Basic /);
    }
    expect((await validate(ann.session, secret)).status).toBe(200);
    const stranger = new AdminClient(world.internalUrl, world.service.login, 'wrong');
    expect(await validate(ann.session, secret, stranger)).toMatchObject({ status: 401, body: { code: 'SES-0203' } });
  });

  it('RX-24: refuses users without a primary mail account', async () => {
    const bare = await someone(false);
    expect(await validate(bare.session, secretOf(bare))).toMatchObject({
      status: 403,
      body: { code: 'MAIL-0114', category: 3 },
    });
    const closed = await someone();
    await cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${closed.userId}/module-access`, {
      flags: { webmail: false },
    });
    expect((await validate(closed.session, secretOf(closed))).status).toBe(403);
  });

  it('RX-22: takes server, login and password from where the operator says', async () => {
    const contextId = await createContext(cast.admin, 'central');
    const ann = await createTestUser(world, cast.admin, contextId, 'ann');
    const of = `/admin/v1/contexts/${contextId}`;
    await cast.admin.expect('PUT', `${of}/users/${ann.userId}/mail-account`, { imap: { host: 'imap.test' } });
    const ask = () => validate(ann.session, secretOf(ann));
    expect((await ask()).body).toMatchObject({ imap: { host: 'imap.test', port: 143, secure: false } });
    const set = async (path: string, key: string, value: unknown, shows: object) => {
      await cast.admin.expect('PUT', `${path}/config/com.example.mail.${key}`, { value });
      await until(async () => matches((await ask()).body, shows), 20_000);
    };
    await set(of, 'mailServer', 'imaps://central.test', { imap: { host: 'imap.test' } });
    await set(of, 'mailServerSource', 'global', { imap: { host: 'central.test', port: 993, secure: true } });
    await set(of, 'loginSource', 'name', { auth: { loginName: 'ann' } });
    await set(of, 'passwordSource', 'global', { auth: { type: 'LOGIN', secret: GLOBAL_PASSWORD } });
    // The global password is for the servers of the operator alone.
    await set(of, 'mailServer', 'imaps://evil.test', { imap: { host: 'evil.test' }, auth: { secret: '' } });
    await set(of, 'mailServer', 'imaps://central.test', { auth: { secret: GLOBAL_PASSWORD } });
    await set(`${of}/users/${ann.userId}`, 'primaryAccountDisabled', true, { code: 'MAIL-0114' });
    expect((await ask()).status).toBe(403);
    await cast.admin.expect('PUT', `${of}/state`, { enabled: false, reason: 'test' });
    await until(async () => (await ask()).status === 401, 20_000);
    expect((await ask()).body).toMatchObject({ code: 'SES-0203', error_params: [ann.session] });
  });

  it('stops listening after five wrong secrets', async () => {
    const ann = await someone();
    for (let attempt = 0; attempt < 5; attempt++)
      expect((await validate(ann.session, `no ${attempt}`)).status).toBe(401);
    expect((await validate(ann.session, secretOf(ann))).status).toBe(401);
  });
});
