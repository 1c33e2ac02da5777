import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { tooManyRequests } from './attempts/attempt-limiter';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** Limit of events per key and window. */
export interface RateLimit {
  /** Distinguishes limiters on one store; part of the key. */
  readonly name: string;
  /** Functions are evaluated each time, so changed settings apply at once. */
  readonly points: number | (() => number);
  readonly windowMs: number | (() => number);
  /** Prefix of the installation. */
  readonly prefix?: string;
}

const toGetter = (value: number | (() => number)): (() => number) =>
  typeof value === 'function' ? value : () => value;

const toSeconds = (result: RateLimiterRes): number => Math.max(1, Math.ceil(result.msBeforeNext / 1000));

/**
 * Counts events per key in a window over all processes. Attempts at secrets are limited by `AttemptLimiter` instead, which
 * takes right ones back. While the store is away each process counts for itself, so that
 * neither attackers nor users profit from the outage.
 */
export class RateLimiter {
  private readonly limiter: RateLimiterRedis;
  private readonly local: RateLimiterMemory;
  private readonly points: () => number;
  private readonly windowMs: () => number;

  constructor(redis: Redis, limit: RateLimit) {
    this.points = toGetter(limit.points);
    this.windowMs = toGetter(limit.windowMs);
    const options = { points: this.points(), duration: this.windowMs() / 1000 };
    this.local = new RateLimiterMemory(options);
    this.limiter = new RateLimiterRedis({
      ...options,
      storeClient: redis,
      keyPrefix: `${limit.prefix ?? 'gw'}:rate:${limit.name}`,
      insuranceLimiter: this.local,
      rejectIfRedisNotReady: true,
    });
  }

  /** Keys hold login names and addresses; hashing bounds their length and keeps them out of the store. */
  private static keyOf(key: string): string {
    return createHash('sha256').update(key).digest('base64url').slice(0, 27);
  }

  /** Counts one event and answers the seconds to wait when that was one too many, else 0. */
  async count(key: string): Promise<number> {
    this.limiter.points = this.local.points = this.points();
    this.limiter.duration = this.local.duration = this.windowMs() / 1000;
    try {
      await this.limiter.consume(RateLimiter.keyOf(key));
      return 0;
    } catch (result) {
      if (result instanceof RateLimiterRes) return toSeconds(result);
      throw result;
    }
  }

  /** Counts one event. @throws SVL-0019 with Retry-After when that was one too many */
  async consumeEvent(key: string): Promise<void> {
    const wait = await this.count(key);
    if (wait > 0) throw tooManyRequests({ waitSeconds: wait });
  }
}
