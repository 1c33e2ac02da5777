import { setTimeout as sleep } from 'node:timers/promises';
import { uniquePrefix } from '@groupware/test-kit';
import { Redis } from 'ioredis';
import { MailFailure } from '../mail-failure';
import { ConnectionGovernor, type ConnectionWish } from './connection-governor';
import { GovernorSettings } from './governor-settings';

const clients: Redis[] = [];
const connect = () => {
  const client = new Redis(process.env.REDIS_URL!, { maxRetriesPerRequest: 1, enableOfflineQueue: false });
  client.on('error', () => undefined);
  clients.push(client);
  return new Promise<Redis>((resolve) => client.once('ready', () => resolve(client)));
};
const settingsOf = (changes: Partial<GovernorSettings> = {}) =>
  Object.assign(new GovernorSettings(), { connectsPerSecond: 10_000, waitMs: 300, ...changes });
const wish = (changes: Partial<ConnectionWish> = {}): ConnectionWish => ({
  host: 'mail.test:993',
  manner: 'imap/tls',
  account: '1:3:1',
  priority: 'user',
  ...changes,
});
const kindOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'lease',
    (error: MailFailure) => error.kind,
  );
let redis: Redis;

beforeAll(async () => {
  redis = await connect();
});
afterAll(() => clients.forEach((client) => client.disconnect()));

describe('the connection governor', () => {
  it('keeps to the budgets of account and host, over all processes', async () => {
    const prefix = uniquePrefix();
    const [one, two] = [await connect(), await connect()].map(
      (client) => new ConnectionGovernor(client, prefix, settingsOf({ perAccount: 2, perHost: 3 })),
    ) as [ConnectionGovernor, ConnectionGovernor];
    const first = await one.acquire(wish());
    await two.acquire(wish());
    expect(await kindOf(one.acquire(wish()))).toBe('busy');
    await two.acquire(wish({ account: '1:3:2' }));
    expect(await kindOf(one.acquire(wish({ account: '1:3:3' })))).toBe('busy');
    expect(await kindOf(one.acquire(wish({ account: '1:3:3', host: 'other.test:993' })))).toBe('lease');
    await first.release();
    await first.release();
    expect(await kindOf(two.acquire(wish({ account: '1:3:3' })))).toBe('lease');
    expect(await one.countOf('mail.test:993')).toBe(3);
  });

  it('gives a free place to users in the order they came, and before background work', async () => {
    const governor = new ConnectionGovernor(redis, uniquePrefix(), settingsOf({ perHost: 1, waitMs: 3_000 }));
    const holder = await governor.acquire(wish({ account: 'a' }));
    const order: string[] = [];
    const waitFor = async (account: string) => {
      const lease = await governor.acquire(wish({ account }));
      order.push(account);
      await sleep(20);
      await lease.release();
    };
    const waiting: Promise<void>[] = [];
    for (const account of ['b', 'c', 'd']) {
      waiting.push(waitFor(account));
      await sleep(40);
    }
    const background = governor.acquire(wish({ account: 'e', priority: 'background' }));
    expect(await kindOf(background)).toBe('busy');
    await holder.release();
    await Promise.all(waiting);
    expect(order).toEqual(['b', 'c', 'd']);
  });

  it('leaves a share of the places to users', async () => {
    const settings = settingsOf({ perHost: 4, backgroundPercent: 50 });
    const governor = new ConnectionGovernor(redis, uniquePrefix(), settings);
    const background = (account: string) => kindOf(governor.acquire(wish({ account, priority: 'background' })));
    expect([await background('a'), await background('b'), await background('c')]).toEqual(['lease', 'lease', 'busy']);
    expect(await kindOf(governor.acquire(wish({ account: 'd' })))).toBe('lease');
  });

  it('forgets connections of processes that are gone', async () => {
    const governor = new ConnectionGovernor(redis, uniquePrefix(), settingsOf({ perHost: 1, leaseMs: 1_000 }), {
      now: () => Date.now() - 5_000,
    });
    await governor.acquire(wish());
    const later = new ConnectionGovernor(redis, (governor as any).prefix, settingsOf({ perHost: 1 }));
    expect(await kindOf(later.acquire(wish({ account: 'x' })))).toBe('lease');
  });

  it('leaves a server alone that fails, probes it once, and goes on when that worked', async () => {
    const pauses: number[] = [];
    let now = Date.now();
    const settings = settingsOf({ breakerFailures: 3, breakerPauseMs: 1_000, breakerMaxPauseMs: 3_000, waitMs: 0 });
    const governor = new ConnectionGovernor(redis, uniquePrefix(), settings, {
      now: () => now,
      onPause: (_host, pauseMs) => pauses.push(pauseMs),
    });
    const fail = async () => {
      const lease = await governor.acquire(wish());
      await lease.report('failed');
      await lease.release();
    };
    await fail();
    await fail();
    expect(pauses).toEqual([]);
    await fail();
    expect(pauses).toHaveLength(1);
    expect(await kindOf(governor.acquire(wish()))).toBe('unreachable');
    expect(await kindOf(governor.acquire(wish({ manner: 'imap/starttls' })))).toBe('lease');

    for (let round = 0; round < 3; round++) {
      now += 4_000;
      const probe = await governor.acquire(wish());
      expect(await kindOf(governor.acquire(wish({ account: 'other' })))).toBe('busy');
      await probe.report('failed');
      await probe.release();
    }
    expect(pauses).toHaveLength(4);
    expect(pauses[1]!).toBeGreaterThan(pauses[0]!);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(3_750);

    now += 4_000;
    const probe = await governor.acquire(wish());
    await probe.report('ok');
    expect(await kindOf(governor.acquire(wish({ account: 'other' })))).toBe('lease');
  });

  it('gives back all that it holds when its process ends', async () => {
    const prefix = uniquePrefix();
    const settings = settingsOf({ perAccount: 3, waitMs: 0 });
    const [ending, other] = [
      new ConnectionGovernor(redis, prefix, settings),
      new ConnectionGovernor(redis, prefix, settings),
    ];
    const leases = await Promise.all(Array.from({ length: 3 }, () => ending.acquire(wish())));
    expect(await kindOf(other.acquire(wish()))).toBe('busy');
    await ending.releaseAll();
    const taken = await Promise.all(Array.from({ length: 3 }, () => other.acquire(wish())));
    // A connection that says good-bye later gives back nothing of the others.
    await leases[0]!.release();
    expect(await kindOf(other.acquire(wish()))).toBe('busy');
    await taken[0]!.release();
    expect(await kindOf(other.acquire(wish()))).toBe('lease');
  });

  it('does not let everybody connect at the same moment', async () => {
    const settings = settingsOf({ connectsPerSecond: 100, perHost: 1_000, perAccount: 1_000, waitMs: 5_000 });
    const governor = new ConnectionGovernor(redis, uniquePrefix(), settings);
    const start = Date.now();
    await Promise.all(Array.from({ length: 160 }, () => governor.acquire(wish())));
    // A second's worth at once, the rest one by one.
    expect(Date.now() - start).toBeGreaterThan(450);
  });

  it('waits for a connection to the store that broke and comes back, and lends and takes back as before', async () => {
    const client = await connect();
    let told = 0;
    const governor = new ConnectionGovernor(client, uniquePrefix(), settingsOf(), { onStoreDown: () => (told += 1) });
    const listeners = client.listenerCount('ready');
    client.stream.destroy();
    const acquiring = Promise.all(Array.from({ length: 3 }, () => governor.acquire(wish())));
    await sleep(0);
    expect(client.listenerCount('ready')).toBe(listeners + 1);
    const [lease, ...others] = await acquiring;
    expect(await governor.countOf('mail.test:993')).toBe(3);
    await Promise.all(others.map((other) => other.release()));
    client.stream.destroy();
    await lease!.release();
    expect(await governor.countOf('mail.test:993')).toBe(0);
    expect(told).toBe(0);
  });

  it('keeps to a small budget of its own while the store is away', async () => {
    const away = new Redis({ port: 1, lazyConnect: true, enableOfflineQueue: false, retryStrategy: () => null });
    away.on('error', () => undefined);
    let told = 0;
    const governor = new ConnectionGovernor(away, 'x', settingsOf(), { onStoreDown: () => (told += 1) });
    const leases = await Promise.all(Array.from({ length: 10 }, () => governor.acquire(wish())));
    expect(await kindOf(governor.acquire(wish()))).toBe('busy');
    await leases[0]!.release();
    expect(await kindOf(governor.acquire(wish()))).toBe('lease');
    expect(told).toBeGreaterThan(10);
  });
});
