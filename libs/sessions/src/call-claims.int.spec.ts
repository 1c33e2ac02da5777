import { randomBytes, randomUUID } from 'node:crypto';
import type { CallKey } from '@groupware/messaging';
import type { Redis } from 'ioredis';
import { CallClaims } from './call-claims';
import { connectRedis } from './redis';

const prefix = `test-${randomBytes(6).toString('hex')}`;
const problems: unknown[] = [];
let redis: Redis;
let claims: CallClaims;

beforeAll(async () => {
  redis = await connectRedis(process.env.REDIS_URL!);
  claims = new CallClaims(redis, prefix, [Buffer.alloc(32, 1)], (error) => problems.push(error));
});
afterAll(() => redis.disconnect());

const keyOf = (request = 'request', id: string = randomUUID(), lifetimeMs = 60_000): CallKey =>
  ({ id, request: Buffer.from(request), expiresAt: Date.now() + lifetimeMs }) as unknown as CallKey;
const reply = { bytes: Buffer.from('"what a user wrote"'), metadata: '{"timestamp":1}' };

describe('a claim', () => {
  it('is of the first call, and gives the others its reply', async () => {
    const key = keyOf();
    expect(await claims.claim(key, 'mail')).toBe('mine');
    expect(await claims.claim(key, 'mail')).toBe('begun');
    await claims.keep(key, reply);
    expect(await claims.claim(key, 'mail')).toEqual(reply);
    expect(await redis.get(`${prefix}:call:${key.id}`)).not.toContain(Buffer.from('user').toString('base64'));
  });

  it('is of no other request', async () => {
    const key = keyOf();
    await claims.claim(key, 'mail');
    await expect(claims.claim(keyOf('another', key.id), 'mail')).rejects.toMatchObject({ code: 'SVL-0036' });
  });

  it('can be given back', async () => {
    const key = keyOf();
    await claims.claim(key, 'mail');
    await claims.release(key);
    expect(await claims.claim(key, 'mail')).toBe('mine');
  });

  it('ends with the life of its key', async () => {
    const key = keyOf('request', randomUUID(), 5_000);
    await claims.claim(key, 'mail');
    await claims.keep(key, reply);
    const left = await redis.pttl(`${prefix}:call:${key.id}`);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(5_000);
  });

  it('says of a reply that is too long, or none, that it was done', async () => {
    for (const lost of [undefined, { bytes: Buffer.alloc(300_000) }]) {
      const key = keyOf();
      await claims.claim(key, 'mail');
      await claims.keep(key, lost);
      expect(await claims.claim(key, 'mail')).toBe('replyLost');
    }
  });

  it('is refused while the store is away', async () => {
    const away = await connectRedis('redis://127.0.0.1:1');
    const without = new CallClaims(away, prefix, [Buffer.alloc(32, 1)], (error) => problems.push(error));
    try {
      await expect(without.claim(keyOf(), 'mail')).rejects.toMatchObject({ code: 'SVL-0032' });
      expect(problems).toEqual([]);
      await without.keep(keyOf(), reply);
      await without.release(keyOf());
      expect(problems).toHaveLength(2);
    } finally {
      away.disconnect();
    }
  });
});
