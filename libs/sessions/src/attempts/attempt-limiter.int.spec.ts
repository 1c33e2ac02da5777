import { randomBytes } from 'node:crypto';
import { withLabels } from '@groupware/service-kit';
import { Redis } from 'ioredis';
import { connectRedis } from '../redis';
import { AttemptLimiter, type AttemptLimiterOptions } from './attempt-limiter';

const REQUESTS = 1_000;
const POINTS = 7;
const prefix = `test-${randomBytes(6).toString('hex')}`;
const limits = { address: { points: POINTS, windowMs: 60_000 } };
const connections: Redis[] = [];
let serial = 0;

async function connection(): Promise<Redis> {
  const redis = await connectRedis(process.env.REDIS_URL!, () => undefined);
  connections.push(redis);
  return redis;
}

/** A connection to a closed port. */
async function deadConnection(): Promise<Redis> {
  const redis = await connectRedis('redis://127.0.0.1:1', () => undefined);
  connections.push(redis);
  return redis;
}

/** Limiters of several processes that count together. */
async function processes<Name extends string>(
  count: number,
  parts: Omit<AttemptLimiterOptions<Name>, 'name'>,
): Promise<AttemptLimiter<Name>[]> {
  const options = { ...parts, prefix, name: `spec-${++serial}` };
  return Promise.all(Array.from({ length: count }, async () => new AttemptLimiter(await connection(), options)));
}

const failing = <Name extends string>(limiter: AttemptLimiter<Name>, keys: Partial<Record<Name, string>>) =>
  limiter.attempt(keys, () => undefined);
const refused = (code = 'SVL-0019') => expect.objectContaining({ code });
/** Room for a turn of other work, as a look-up takes it. */
const later = () => new Promise<void>((resolve) => setImmediate(resolve));

let redis: Redis;
beforeAll(async () => {
  redis = await connection();
});
afterAll(async () => {
  const keys = await redis.keys(`${prefix}:*`);
  if (keys.length > 0) await redis.del(keys);
  for (const each of connections) each.disconnect();
});

describe.each([
  ['with a shared store', async () => processes(3, { limits })],
  [
    'while the store is away',
    async () => [new AttemptLimiter(await deadConnection(), { name: 'away', prefix, limits })],
  ],
])('AttemptLimiter %s', (_where, create) => {
  let limiters: AttemptLimiter<'address'>[];
  let address: string;
  beforeAll(async () => {
    limiters = await create();
  });
  beforeEach(() => {
    address = `192.0.2.${++serial}`;
  });
  const limiterOf = (request: number) => limiters[request % limiters.length]!;

  it('compares no more wrong secrets than it allows, of a thousand at once', async () => {
    let compared = 0;
    const outcomes = await Promise.allSettled(
      Array.from({ length: REQUESTS }, (_, request) =>
        limiterOf(request).attempt({ address }, async () => {
          compared++;
          await later();
          return undefined;
        }),
      ),
    );
    expect(compared).toBe(POINTS);
    const errors = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(errors).toHaveLength(REQUESTS - POINTS);
    for (const error of errors) expect(error).toEqual(refused());
    await expect(failing(limiterOf(0), { address: 'another' })).resolves.toMatchObject({ found: undefined });
  }, 30_000);

  it('lets many right ones through at once, and none of them counts', async () => {
    const right = async (request: number) =>
      limiterOf(request).attempt({ address }, async () => (await later(), request));
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, request) => right(request)));
    expect(outcomes.map(({ found }) => found)).toEqual(Array.from({ length: 200 }, (_, request) => request));
    expect(await failing(limiterOf(0), { address })).toMatchObject({ remaining: POINTS - 1 });
  }, 30_000);

  it('keeps failures when a right one comes between, and counts no errors', async () => {
    await failing(limiterOf(0), { address });
    await limiterOf(1).attempt({ address }, () => 'right');
    const away = new Error('away');
    await expect(limiterOf(2).attempt({ address }, () => Promise.reject(away))).rejects.toBe(away);
    expect(await failing(limiterOf(0), { address })).toMatchObject({ remaining: POINTS - 2 });
  });

  it('counts in no call that may come twice', async () => {
    const [limiter] = await processes(1, { limits });
    const isChecked = jest.fn();
    const attempt = () => limiter!.attempt({ address: 'twice' }, isChecked);
    await expect(withLabels({}, attempt, { isRepeatable: true })).rejects.toThrow('is not repeatable');
    expect(isChecked).not.toHaveBeenCalled();
    expect((await withLabels({}, attempt)).remaining).toBe(POINTS - 1);
  });

  it('counts on no key when one of them refuses, and tells which', async () => {
    const both = { narrow: { points: 1, windowMs: 60_000 }, wide: { points: 2, windowMs: 60_000 } };
    const away = limiters.length === 1;
    const [limiter] = away
      ? [new AttemptLimiter(await deadConnection(), { name: 'both', prefix, limits: both })]
      : await processes(1, { limits: both });
    const wide = address;
    await failing(limiter!, { narrow: 'a', wide });
    const names: string[] = [];
    for (let guess = 0; guess < 5; guess++)
      await limiter!
        .attempt(
          { narrow: 'a', wide },
          () => 'never asked',
          ({ limit, waitSeconds }) => {
            names.push(limit);
            return Object.assign(new Error('no'), { waitSeconds });
          },
        )
        .catch((error) => expect(error.waitSeconds).toBeGreaterThan(50));
    expect(names).toEqual(Array.from({ length: 5 }, () => 'narrow'));
    expect(await failing(limiter!, { narrow: 'b', wide })).toMatchObject({ remaining: 0 });
  });

  it('holds a limit only while a gauge is full, which refuses nobody itself', async () => {
    const guarded = {
      account: { points: 3, windowMs: 60_000, gauge: true },
      stranger: { points: 1, windowMs: 60_000, whileFull: 'account' as const },
    };
    const [limiter] =
      limiters.length === 1
        ? [new AttemptLimiter(await deadConnection(), { name: 'gauge', prefix, limits: guarded })]
        : await processes(1, { limits: guarded });
    const account = address;
    for (let guess = 0; guess < 3; guess++) await failing(limiter!, { account, stranger: 'guesser' });
    await expect(failing(limiter!, { account, stranger: 'guesser' })).rejects.toEqual(refused());
    expect(await failing(limiter!, { account, stranger: 'owner' })).toMatchObject({ found: undefined });
    expect(await failing(limiter!, { account })).toMatchObject({ found: undefined });
    expect(await failing(limiter!, { account: 'other', stranger: 'guesser' })).toMatchObject({ found: undefined });
  });
});

it('gives no attempts anew when the store goes away, and takes back right ones of before', async () => {
  const redis = await connection();
  const limiter = new AttemptLimiter(redis, { name: `spec-${++serial}`, prefix, limits });
  const keys = { address: 'outage' };
  let answer!: (found: string | undefined) => void;
  const underWay = limiter.attempt(keys, () => new Promise<string | undefined>((resolve) => (answer = resolve)));
  await limiter.attempt(keys, () => 'right');
  for (let guess = 1; guess < POINTS; guess++) await failing(limiter, keys);
  redis.disconnect();
  answer('right');
  await underWay;
  expect(await failing(limiter, keys)).toMatchObject({ remaining: 0 });
  await expect(failing(limiter, keys)).rejects.toEqual(refused());
});

describe('what is taken back', () => {
  it('is of the same window only, and never below zero', async () => {
    const [limiter] = await processes(1, { limits });
    const key = async () => (await redis.keys(`${prefix}:attempts:spec-${serial}:*`))[0]!;
    await limiter!.attempt({ address: 'a' }, async () => {
      await redis.del(await key());
      await failing(limiter!, { address: 'a' });
      return 'right';
    });
    expect(await redis.hmget(await key(), 'count', 'pending')).toEqual(['1', '0']);
    await limiter!.attempt({ address: 'a' }, async () => {
      await redis.hmset(await key(), 'count', 0, 'pending', 0);
      return 'right';
    });
    expect(await redis.hmget(await key(), 'count', 'pending')).toEqual(['0', '0']);
  });

  it('leaves a window that ends by itself', async () => {
    const [limiter] = await processes(1, { limits: { address: { points: 1, windowMs: 60_000 } } });
    await failing(limiter!, { address: 'a' });
    const [key] = await redis.keys(`${prefix}:attempts:spec-${serial}:*`);
    expect(await redis.pttl(key!)).toBeGreaterThan(50_000);
    expect(key).not.toContain(':a:');
    await redis.del(key!);
    expect(await failing(limiter!, { address: 'a' })).toMatchObject({ remaining: 0 });
  });
});
