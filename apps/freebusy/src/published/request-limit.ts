import { FREE_BUSY_RATE } from '@groupware/contracts';
import { connectRedis, RateLimiter } from '@groupware/sessions';
import { clientNetwork, Logger, ProcessSettings, Properties, RedisSettings } from '@groupware/service-kit';
import type { FactoryProvider, OnModuleDestroy } from '@nestjs/common';
import type { Redis } from 'ioredis';

const MINUTE_MS = 60_000;
const log = Logger.for('freebusy.limit');

/** Limits requests per client address, across processes. */
export class RequestLimit implements OnModuleDestroy {
  private readonly limiter: RateLimiter;

  constructor(
    private readonly redis: Redis,
    prefix: string,
    points: () => number,
  ) {
    this.limiter = new RateLimiter(redis, { name: 'published-free-busy', points, windowMs: MINUTE_MS, prefix });
  }

  /** Counts a request. @throws SVL-0019 with Retry-After beyond the limit */
  async consumeRequest(address: string): Promise<void> {
    await this.limiter.consumeEvent(clientNetwork(address));
  }

  /** Asks the store. */
  async ping(): Promise<void> {
    await this.redis.ping();
  }

  /** Called by Nest when the service stops. */
  onModuleDestroy(): void {
    this.redis.disconnect();
  }
}

/** Provides the limit with its own connection. */
export const requestLimitProvider: FactoryProvider<RequestLimit> = {
  provide: RequestLimit,
  inject: [RedisSettings, ProcessSettings, Properties],
  useFactory: async (settings: RedisSettings, process: ProcessSettings, properties: Properties) =>
    new RequestLimit(
      await connectRedis(settings.redisUrl.reveal(), (error) => log.warn({ err: error.message }, 'rate limit store')),
      settings.keyPrefix(process.busPrefix),
      () => properties.serverValue(FREE_BUSY_RATE),
    ),
};
