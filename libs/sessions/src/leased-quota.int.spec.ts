import { randomBytes } from 'node:crypto';
import { until } from '@groupware/test-kit';
import type { Redis } from 'ioredis';
import { LeasedQuota, type QuotaOwner } from './leased-quota';
import { connectRedis } from './redis';

const prefix = `test-${randomBytes(6).toString('hex')}`;
const LEASE_MS = 60_000;
let connections: Redis[];
/** Of two processes. */
let first: LeasedQuota;
let second: LeasedQuota;
let serial = 0;

beforeAll(async () => {
  connections = await Promise.all([0, 1].map(() => connectRedis(process.env.REDIS_URL!, () => undefined)));
  [first, second] = connections.map((redis) => new LeasedQuota(redis, prefix, LEASE_MS)) as [LeasedQuota, LeasedQuota];
});
afterAll(() => connections.forEach((redis) => redis.disconnect()));

const ownersOf = (user: number, context = 15): QuotaOwner[] => {
  serial += 1;
  return [
    { key: `user ${serial}`, max: user },
    { key: `context ${serial}`, max: context },
  ];
};
const ask = (quota: LeasedQuota, lease: string, owners: readonly QuotaOwner[], need: number, held = 0) =>
  quota.request(lease, owners, { held, need, want: need });

describe('a leased quota', () => {
  it('holds for all processes together, for each of its owners', async () => {
    const owners = ownersOf(10);
    expect(await ask(first, 'a', owners, 6)).toEqual({ granted: 6 });
    expect(await ask(second, 'b', owners, 5)).toEqual({ owner: owners[0], total: 11 });
    expect(await ask(second, 'b', owners, 4)).toEqual({ granted: 4 });
    const other = [{ key: `${owners[0]!.key} other`, max: 10 }, owners[1]!];
    expect(await ask(first, 'c', other, 6)).toEqual({ owner: owners[1], total: 16 });
    await first.release('a', owners);
    expect(await ask(second, 'b', owners, 6, 4)).toEqual({ granted: 6 });
  });

  it('is never exceeded by requests at the same time', async () => {
    const owners = ownersOf(100, 1_000);
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_none, index) => ask(index % 2 ? first : second, `lease ${index}`, owners, 7)),
    );
    expect(outcomes.filter((outcome) => 'granted' in outcome)).toHaveLength(14);
  });

  it('gives what is wanted where there is room for it, else what is needed', async () => {
    const owners = ownersOf(10);
    expect(await first.request('a', owners, { held: 0, need: 2, want: 8 })).toEqual({ granted: 8 });
    expect(await first.request('b', owners, { held: 0, need: 2, want: 8 })).toEqual({ granted: 2 });
  });

  it('forgets what a process held that is gone, and nothing else', async () => {
    const owners = ownersOf(10);
    const dying = new LeasedQuota(connections[0]!, prefix, 100);
    await ask(dying, 'dead', owners, 6);
    await ask(first, 'alive', owners, 4);
    await until(async () => 'granted' in (await ask(second, 'next', owners, 6)));
    expect(await ask(second, 'one more', owners, 1)).toEqual({ owner: owners[0], total: 11 });
  });

  it('counts a lease again that the store lost, and leaves no key for ever', async () => {
    const owners = ownersOf(10);
    await ask(first, 'a', owners, 6);
    const keys = owners.map(({ key }) => `${prefix}:quota:${key}`);
    for (const key of keys) expect(await connections[0]!.pttl(key)).toBeGreaterThan(0);
    await connections[0]!.del(...keys);
    await first.request('a', owners, { held: 6, need: 0, want: 0 });
    expect(await ask(second, 'b', owners, 5)).toEqual({ owner: owners[0], total: 11 });
  });
});
