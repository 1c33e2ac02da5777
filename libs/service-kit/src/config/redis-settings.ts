import { Secret } from './secret';
import { Setting } from './setting';

/** Settings of Redis. */
export class RedisSettings {
  @Setting({
    env: 'REDIS_URL',
    doc: 'Redis for sessions, rate limits and shared budgets: redis://, rediss:// with TLS, redis-sentinel://user:password@host,host#master, or redis-cluster://user:password@host,host',
    type: 'secret',
  })
  redisUrl = new Secret('redis://127.0.0.1:6379');

  /**
   * Beginning of all keys of an installation. A cluster keeps keys by what stands in their first braces: all of ours are in one slot
   * there, as scripts and batches touch several of them at once.
   */
  keyPrefix(busPrefix: string): string {
    return /^rediss?-cluster:/.test(this.redisUrl.reveal()) ? `{${busPrefix}}` : busPrefix;
  }
}
