import { Secret, Setting } from '@groupware/service-kit';

/** Settings of the free/busy service. */
export class FreeBusyConfig {
  @Setting({ env: 'REDIS_URL', doc: 'Redis for sessions and rate limits', type: 'secret' })
  redisUrl = new Secret('redis://127.0.0.1:6379');
}
