import { setTransactionGuard } from '@groupware/contracts';
import { BreakableLink, redisUrl, until } from '@groupware/test-kit';
import { connectRedis } from './redis';

describe('a connection to Redis', () => {
  it('is not used inside a transaction', async () => {
    const redis = await connectRedis(redisUrl());
    setTransactionGuard(() => true);
    try {
      await expect((async () => redis.ping())()).rejects.toThrow('Redis command ping inside a transaction');
    } finally {
      setTransactionGuard(() => false);
      redis.disconnect();
    }
  });

  it('is made anew when it falls silent: commands fail in time and soon work again', async () => {
    const link = await BreakableLink.openTo(redisUrl());
    const redis = await connectRedis(link.url(redisUrl()));
    try {
      expect(await redis.ping()).toBe('PONG');
      expect(link.silence()).toBeGreaterThan(0);
      await expect(redis.ping()).rejects.toThrow();
      await until(() => redis.ping().then(Boolean, () => false), 10_000);
    } finally {
      redis.disconnect();
      await link.close();
    }
  }, 20_000);

  it('sends the commands of one turn in one write, those of the next in another', async () => {
    const redis = await connectRedis(redisUrl());
    try {
      await redis.ping();
      const joined = jest.spyOn(redis.stream, '_writev');
      const single = jest.spyOn(redis.stream, '_write');
      const answers = Promise.all(['a', 'b', 'c'].map((text) => redis.echo(text)));
      expect([joined.mock.calls.length, single.mock.calls.length]).toEqual([0, 0]);
      expect(await answers).toEqual(['a', 'b', 'c']);
      expect([joined.mock.calls.length, single.mock.calls.length]).toEqual([1, 0]);
      expect(await redis.echo('d')).toBe('d');
      expect([joined.mock.calls.length, single.mock.calls.length]).toEqual([1, 1]);
    } finally {
      redis.disconnect();
    }
  });
});
