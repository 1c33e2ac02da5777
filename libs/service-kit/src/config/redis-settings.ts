import { Secret } from './secret';
import { Setting } from './setting';

/** Settings of Redis. */
export class RedisSettings {
  @Setting({
    env: 'REDIS_URL',
    doc: 'Redis for sessions, rate limits and shared budgets: redis://, rediss:// with TLS, or redis-sentinel://user:password@host,host#master',
    type: 'secret',
  })
  redisUrl = new Secret('redis://127.0.0.1:6379');
}
