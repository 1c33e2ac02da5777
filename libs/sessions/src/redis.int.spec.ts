import { BreakableLink, redisUrl, until } from '@groupware/test-kit';
import { connectRedis } from './redis';

describe('a connection to Redis', () => {
  it('is made anew when it falls silent: commands fail in time and soon work again', async () => {
    const link = await BreakableLink.to(redisUrl());
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
});
