import { createHash, randomBytes } from 'node:crypto';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { SessionErrors } from '@groupware/contracts';
import { Redis } from 'ioredis';
import { secretCookieName } from './session-cookies';
import { SessionGuard } from './session-guard';
import { sessionDigest } from './session-records';
import { createSessionSettings, type SessionSettings } from './session-settings';
import { SessionStore } from './session-store';
import { newSession } from './testing/session.builder';

const url = process.env.REDIS_URL!;
const prefix = `test-${randomBytes(6).toString('hex')}`;
const secretKeys = [randomBytes(32)];
const settings = createSessionSettings();
const stores: SessionStore[] = [];

async function storeWith(parts: Partial<SessionSettings> = {}, at = url): Promise<SessionStore> {
  const store = await SessionStore.connect({ url: at, prefix, secretKeys, settings: { ...settings, ...parts } });
  stores.push(store);
  return store;
}

const code = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: { code: string }) => error.code,
  );

/** Sessions opened at the same time: commands that wait for long are given up. */
const AT_ONCE = 50;

describe('SessionStore', () => {
  let store: SessionStore;
  let redis: Redis;
  let user = 100;

  beforeAll(async () => {
    store = await storeWith();
    redis = new Redis(url);
  });
  beforeEach(() => user++);
  afterAll(async () => {
    await Promise.all(stores.map((each) => each.close()));
    const keys = await redis.keys(`${prefix}:*`);
    if (keys.length > 0) await redis.del(keys);
    await redis.quit();
  });

  it('gives back what it was given, under an id of 32 hex digits', async () => {
    const session = await store.createSession(newSession({ userId: user }));
    expect(session.id).toMatch(/^[0-9a-f]{32}$/);
    expect(session.secret).toMatch(/^[0-9a-f]{32}$/);
    expect(session.principal.sessionId).toBe(session.id);
    const found = await store.lookUp(session.id);
    expect(found).toMatchObject({ id: session.id, secret: session.secret, login: 'anna@demo', userId: user });
    expect((await store.lookUpAlternative(session.alternativeId))?.id).toBe(session.id);
  });

  it('knows nothing of other ids', async () => {
    expect(await store.lookUp('0'.repeat(32))).toBeUndefined();
    expect(await store.lookUp('not an id')).toBeUndefined();
    expect(await store.lookUpAlternative('1'.repeat(32))).toBeUndefined();
    expect(await store.peek('*')).toBeUndefined();
  });

  it('moves the end at a look-up and not at a peek', async () => {
    const session = await store.createSession(newSession({ userId: user }));
    const key = `${prefix}:session:${sessionDigest(session.id)}`;
    await redis.pexpire(key, 60_000);
    const peeked = await store.peek(session.id);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
    expect(peeked!.lastActive).toBeLessThan(Date.now() - 3_000_000);
    await store.lookUp(session.id);
    expect(await redis.pttl(key)).toBeGreaterThan(3_500_000);
    expect((await store.peek(session.id))!.lastActive).toBeGreaterThan(Date.now() - 10_000);
  });

  it('gives sessions with staySignedIn a week and keeps it at each look-up', async () => {
    const session = await store.createSession(newSession({ userId: user, staySignedIn: true }));
    await store.lookUp(session.id);
    expect(await redis.pttl(`${prefix}:session:${sessionDigest(session.id)}`)).toBeGreaterThan(604_000_000);
  });

  it('ends a session after its idle time and frees its place at the limit', async () => {
    const short = await storeWith({ defaultLifetimeMs: 60 });
    const session = await short.createSession(newSession({ userId: user }), { perUser: 1, perClient: -1 });
    expect(await code(short.createSession(newSession({ userId: user }), { perUser: 1, perClient: -1 }))).toBe(
      'SES-0007',
    );
    while (await redis.exists(`${prefix}:session:${sessionDigest(session.id)}`))
      await new Promise((next) => setTimeout(next, 10));
    expect(await short.lookUp(session.id)).toBeUndefined();
    expect(await code(short.createSession(newSession({ userId: user }), { perUser: 1, perClient: -1 }))).toBe(
      'no error',
    );
    expect(await redis.hlen(`${prefix}:user:7:${user}`)).toBe(1);
  });

  it('refuses sessions beyond the limits and leaves the older ones alone', async () => {
    const limits = { perUser: 3, perClient: 2 };
    const first = await store.createSession(newSession({ userId: user }), limits);
    await store.createSession(newSession({ userId: user }), limits);
    expect(await code(store.createSession(newSession({ userId: user }), limits))).toBe('SES-0207');
    await store.createSession(newSession({ userId: user, client: 'c2' }), limits);
    expect(await code(store.createSession(newSession({ userId: user, client: 'c3' }), limits))).toBe('SES-0007');
    expect(await store.lookUp(first.id)).toBeDefined();
  });

  it('never lets racing logins pass the limit together', async () => {
    const limits = { perUser: 5, perClient: -1 };
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => code(store.createSession(newSession({ userId: user }), limits))),
    );
    expect(outcomes.filter((outcome) => outcome === 'no error')).toHaveLength(5);
    expect(new Set(outcomes)).toEqual(new Set(['no error', 'SES-0007']));
  });

  it('refuses the authId of a live session and takes that of an ended one', async () => {
    const authId = randomBytes(8).toString('hex');
    const first = await store.createSession(newSession({ userId: user, authId }));
    const duplicate = store.createSession(newSession({ userId: user, authId, login: 'berta' }));
    await expect(duplicate).rejects.toMatchObject({ code: 'SES-0008', params: ['*', 'berta'] });
    await store.removeSession(first.id);
    expect((await store.createSession(newSession({ userId: user, authId }))).authId).toBe(authId);
  });

  it('ends sessions one by one, by user but one, and by context', async () => {
    const [a, b, c] = await Promise.all(
      [1, 2, 3].map(() => store.createSession(newSession({ userId: user, contextId: 8 }))),
    );
    const other = await store.createSession(newSession({ userId: user, contextId: 9 }));
    const colleague = await store.createSession(newSession({ userId: user + 50_000, contextId: 8 }));
    expect((await store.removeSession(a!.id))?.id).toBe(a!.id);
    expect(await store.removeSession(a!.id)).toBeUndefined();
    expect(await store.removeByUser(8, user, { except: c!.id })).toEqual([b!.id]);
    expect(await store.lookUp(c!.id)).toBeDefined();
    expect((await store.removeByContext(8)).sort()).toEqual([c!.id, colleague.id].sort());
    expect(await store.listUsersWithSessions(8)).toEqual([]);
    expect(await store.lookUp(other.id)).toBeDefined();
    expect(await store.removeMany([other.id, 'f'.repeat(32)])).toEqual([other.id]);
  });

  it('ends the sessions of a thousand users at once', async () => {
    const users = Array.from({ length: 1000 }, (_, index) => 10_000 + index);
    for (let first = 0; first < users.length; first += AT_ONCE)
      await Promise.all(
        users.slice(first, first + AT_ONCE).map((userId) => store.createSession(newSession({ userId, contextId: 77 }))),
      );
    expect(await store.removeByContext(77)).toHaveLength(1000);
    expect(await redis.keys(`${prefix}:user:77:*`)).toEqual([]);
  });

  it('hands out tokens that are good once, for one purpose, and sealed', async () => {
    const tokens = store.oneTimeTokens<{ secret: string }>({ kind: 'a', lifetimeMs: 60_000 });
    const others = store.oneTimeTokens<{ secret: string }>({ kind: 'b', lifetimeMs: 60_000 });
    const token = await tokens.issueToken({ secret: 'hidden words' });
    expect(await others.redeemToken(token)).toBeUndefined();
    expect(await tokens.peekToken(token)).toEqual({ secret: 'hidden words' });
    for (const key of await redis.keys(`${prefix}:once:*`)) {
      expect(key).not.toContain(token);
      expect(await redis.get(key)).not.toContain('hidden');
    }
    expect(await tokens.redeemToken(token)).toEqual({ secret: 'hidden words' });
    expect(await tokens.redeemToken(token)).toBeUndefined();
    const short = store.oneTimeTokens<object>({ kind: 'c', lifetimeMs: 20 });
    const gone = await short.issueToken({});
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await short.redeemToken(gone)).toBeUndefined();
  });

  it('gives all sessions of a user a new principal and keeps their ends', async () => {
    const sessions = await Promise.all([1, 2].map(() => store.createSession(newSession({ userId: user }))));
    await redis.pexpire(`${prefix}:session:${sessionDigest(sessions[0]!.id)}`, 60_000);
    const { sessionId: _id, ...principal } = sessions[0]!.principal;
    await store.refreshPrincipal(7, user, { ...principal, groups: [0, 5], locale: 'de_DE' });
    const peeked = await Promise.all(sessions.map(({ id }) => store.peek(id)));
    expect(peeked.map((session) => session!.principal)).toEqual(
      sessions.map(({ id }) => ({ ...principal, groups: [0, 5], locale: 'de_DE', sessionId: id })),
    );
    expect(peeked[0]!.expiresAt).toBeLessThan(Date.now() + 61_000);
  });

  it('loses no change when several are made at once', async () => {
    const { id } = await store.createSession(newSession({ userId: user }));
    await Promise.all([
      store.setParameter(id, 'mfa', 'done'),
      store.updateAddress(id, '198.51.100.9'),
      store.setParameter(id, 'x', '1'),
    ]);
    await store.setParameter(id, 'x', undefined);
    expect(await store.peek(id)).toMatchObject({ ip: '198.51.100.9', parameters: { mfa: 'done' } });
  });

  it('does not revive a session that was removed', async () => {
    const session = await store.createSession(newSession({ userId: user }));
    await store.removeSession(session.id);
    await store.updateAddress(session.id, '198.51.100.9');
    expect(await store.peek(session.id)).toBeUndefined();
  });

  it('keeps neither ids, cookie values nor passwords readable', async () => {
    const session = await store.createSession(newSession({ userId: user, password: 'very secret' }));
    await store.setParameter(session.id, 'x', '1');
    const record = await redis.get(`${prefix}:session:${sessionDigest(session.id)}`);
    const index = await redis.hkeys(`${prefix}:user:7:${user}`);
    const owner = await redis.get(`${prefix}:auth:${createHash('sha256').update(session.authId).digest('base64url')}`);
    expect(index).toEqual([sessionDigest(session.id)]);
    for (const secret of [session.id, session.secret, session.alternativeId, session.authId, 'very secret'])
      expect(JSON.stringify([record, index, owner])).not.toContain(secret);
    expect(store.unsealPassword((await store.lookUp(session.id))!)).toBe('very secret');
  });

  it('opens no record under the key of another session', async () => {
    const [mine, other] = await Promise.all([1, 2].map(() => store.createSession(newSession({ userId: user }))));
    const [mineKey, otherKey] = [mine!, other!].map(({ id }) => `${prefix}:session:${sessionDigest(id)}`);
    await redis.set(mineKey!, (await redis.get(otherKey!))!, 'PX', 60_000);
    expect(await store.lookUp(mine!.id)).toBeUndefined();
    expect(await store.removeSession(mine!.id)).toBeUndefined();
  });

  describe('SessionGuard', () => {
    const request = (session: { id: string; secret: string; hash: string }) => ({
      sessionId: session.id,
      cookies: `${secretCookieName(session.hash)}=${session.secret}`,
      userAgent: 'Mozilla/5.0',
      remoteAddress: '192.0.2.1',
    });

    it('lets a request with session and secret pass', async () => {
      const guard = new SessionGuard(store);
      const session = await store.createSession(newSession({ userId: user }));
      expect((await guard.authenticate(request(session))).id).toBe(session.id);
      const original = { ...request(session), cookies: `open-xchange-secret-${session.hash}=${session.secret}` };
      expect(await code(guard.authenticate(original))).toBe('SES-0206');
      const compatible = new SessionGuard(store, { ...settings, compatNames: true });
      expect((await compatible.authenticate(original)).id).toBe(session.id);
      expect((await compatible.authenticate(request(session))).id).toBe(session.id);
    });

    it('refuses requests without session, with an unknown or malformed one', async () => {
      const guard = new SessionGuard(store);
      const session = await store.createSession(newSession({ userId: user }));
      expect(await code(guard.authenticate({ ...request(session), sessionId: undefined }))).toBe('SES-0201');
      expect(await code(guard.authenticate({ ...request(session), sessionId: '' }))).toBe('SES-0201');
      expect(await code(guard.authenticate({ ...request(session), sessionId: 'e'.repeat(32) }))).toBe('SES-0203');
      const malformed = guard.authenticate({ ...request(session), sessionId: '1234567' });
      await expect(malformed).rejects.toMatchObject({
        code: 'SES-0203',
        message: expect.not.stringContaining('1234567'),
        params: [expect.not.stringContaining('1234567')],
      });
    });

    it('finds the session of a page by its public cookie or its name, with the secret only', async () => {
      const guard = new SessionGuard(store);
      const [ended, session] = [
        await store.createSession(newSession({ userId: user })),
        await store.createSession(newSession({ userId: user })),
      ];
      await store.removeSession(ended.id);
      const { sessionId: _none, cookies: secret, ...around } = request(session);
      const open = (one: { alternativeId: string }) => `svc-public-session-x=${one.alternativeId}`;
      const find = (cookies: string | undefined, named?: string) =>
        guard.authenticatePublic(named, { ...around, cookies });
      expect((await find(`${open(session)}; ${secret}`)).id).toBe(session.id);
      expect((await find(`${open(ended)}; ${open(session)}; ${secret}`)).id).toBe(session.id);
      expect((await find(secret, session.alternativeId)).id).toBe(session.id);
      expect(await code(find(secret))).toBe('SES-0201');
      expect(await code(find(undefined))).toBe('SES-0201');
      expect(await code(find(`${open(ended)}; ${secret}`))).toBe('SES-0203');
      expect(await code(find(`${open(session)}; ${secret}`, ended.alternativeId))).toBe('SES-0203');
      expect(await code(find(open(session)))).toBe('SES-0206');
      expect(await code(find(`x${open(session)}; ${secret}`))).toBe('SES-0201');
    });

    it('refuses a missing, a wrong and a foreign secret, expires the cookie, and leaves both sessions alone', async () => {
      const guard = new SessionGuard(store);
      const one = await store.createSession(newSession({ userId: user }));
      const two = await store.createSession(newSession({ userId: user, client: 'c2', hash: 'other' }));
      for (const cookies of [undefined, `${secretCookieName(one.hash)}=${two.secret}`, request(two).cookies]) {
        const error = await guard.authenticate({ ...request(one), cookies }).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: 'SES-0206' });
        const names = guard.listCookieRemovals(error).map(({ name }) => name);
        expect(names).toContain(secretCookieName(one.hash));
        expect(names).not.toContain(secretCookieName(two.hash));
        expect(names).not.toContain('svc-shard');
      }
      expect(await store.peek(one.id)).toBeDefined();
      expect(await store.peek(two.id)).toBeDefined();
    });

    it('takes another user agent for another browser, unless told to remember', async () => {
      const session = await store.createSession(newSession({ userId: user }));
      const moved = { ...request(session), userAgent: 'Other/1' };
      expect(await code(new SessionGuard(store).authenticate(moved))).toBe('SES-0206');
      expect(await code(new SessionGuard(store, { ...settings, hash: 'remember' }).authenticate(moved))).toBe(
        'no error',
      );
    });

    it('refuses another address when the check is on, and notes it when it is off', async () => {
      const session = await store.createSession(newSession({ userId: user }));
      const moved = { ...request(session), remoteAddress: '198.51.100.7' };
      const strict = new SessionGuard(store, { ...settings, ipCheck: true });
      await expect(strict.authenticate(moved)).rejects.toMatchObject({
        code: 'SES-0205',
        params: ['192.0.2.1', '198.51.100.7'],
      });
      await new SessionGuard(store).authenticate(moved);
      while ((await store.peek(session.id))!.ip !== '198.51.100.7') await new Promise((next) => setTimeout(next, 5));
      expect(await code(strict.authenticate(moved))).toBe('no error');
    });

    it('names public session and shard cookie while the browser lacks them', async () => {
      const guard = new SessionGuard(store);
      const session = await store.createSession(newSession({ userId: user }));
      const missing = guard.createMissingCookies(session, request(session));
      expect(missing.map(({ value }) => value)).toEqual([session.alternativeId, 'default']);
      const cookies = Object.fromEntries(missing.map(({ name, value }) => [name, value!]));
      expect(guard.createMissingCookies(session, { ...request(session), cookies })).toEqual([]);
    });

    it('finds the session of a public session id and still wants the secret', async () => {
      const guard = new SessionGuard(store);
      const session = await store.createSession(newSession({ userId: user }));
      expect((await guard.authenticatePublic(session.alternativeId, request(session))).id).toBe(session.id);
      const bare = { ...request(session), cookies: undefined };
      expect(await code(guard.authenticatePublic(session.alternativeId, bare))).toBe('SES-0206');
      expect(await code(guard.authenticatePublic('d'.repeat(32), request(session)))).toBe('SES-0203');
      expect(await code(guard.authenticatePublic(undefined, request(session)))).toBe('SES-0201');
    });
  });

  describe('RateLimiter', () => {
    it('counts per key over connections and tells how long to wait', async () => {
      const limit = { name: randomBytes(4).toString('hex'), points: 3, windowMs: 60_000 };
      const [here, there] = [store.rateLimiter(limit), (await storeWith()).rateLimiter(limit)];
      expect(await here.count('a')).toBe(0);
      expect(await there.count('a')).toBe(0);
      expect(await here.count('a')).toBe(0);
      expect(await here.count('a')).toBeGreaterThan(50);
      expect(await here.count('b')).toBe(0);
      await expect(there.consumeEvent('a')).rejects.toMatchObject({
        code: 'SVL-0019',
        details: { headers: { 'Retry-After': expect.stringMatching(/^\d+$/) } },
      });
    });
  });
});

describe('while the store is away', () => {
  let proxy: Server;
  let port: number;
  const sockets = new Set<Socket>();

  const listen = () =>
    new Promise<void>((ready) => {
      const target = new URL(url);
      proxy = createServer((client) => {
        const server = connect(Number(target.port), target.hostname);
        for (const socket of [client, server]) {
          sockets.add(socket);
          socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
        }
        client.pipe(server).pipe(client);
        client.on('close', () => server.destroy());
        server.on('close', () => client.destroy());
      });
      proxy.listen(port ?? 0, '127.0.0.1', () => {
        port = (proxy.address() as { port: number }).port;
        ready();
      });
    });
  const cut = async () => {
    const closed = new Promise((done) => proxy.close(done));
    for (const socket of sockets) socket.destroy();
    await closed;
  };

  afterAll(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await cut();
  });

  it('fails at once with SES-0208, limits rates in memory, and heals by itself', async () => {
    await listen();
    const store = await storeWith({}, Object.assign(new URL(url), { hostname: '127.0.0.1', port }).href);
    const limiter = store.rateLimiter({ name: randomBytes(4).toString('hex'), points: 1, windowMs: 60_000 });
    const session = await store.createSession(newSession({ userId: 1 }));
    await cut();
    const before = Date.now();
    while ((await code(store.lookUp(session.id))) === 'no error') await new Promise((next) => setTimeout(next, 5));
    await expect(store.lookUp(session.id)).rejects.toMatchObject({ code: SessionErrors.storeDown().code });
    expect(await code(store.createSession(newSession({ userId: 1 })))).toBe('SES-0208');
    expect(await code(store.removeByUser(7, 1))).toBe('SES-0208');
    expect(await limiter.count('a')).toBe(0);
    expect(await limiter.count('a')).toBeGreaterThan(0);
    expect(Date.now() - before).toBeLessThan(5_000);
    await listen();
    while ((await code(store.ping())) !== 'no error') await new Promise((next) => setTimeout(next, 20));
    expect((await store.lookUp(session.id))?.id).toBe(session.id);
  });
});
