import { randomUUID } from 'node:crypto';
import { MailFilterErrors, type Tenant } from '@groupware/contracts';
import { MAIL_REDIS } from '@groupware/mail-access';
import { ProcessSettings, RedisSettings } from '@groupware/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { MailFilterSettings } from '../mail-filter.config';

/** Owner of the rules that are locked. */
export interface LockOwner extends Tenant {
  readonly userId: number;
}

/** First and longest pause between two attempts to get a lock, ms. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/** Only who holds a lock may end it. */
const RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

/** Locks of users, across all processes: scripts have no versions by which two changes could notice each other. */
@Injectable()
export class UserLocks {
  constructor(
    @Inject(MAIL_REDIS) private readonly redis: Redis,
    private readonly process: ProcessSettings,
    private readonly store: RedisSettings,
    private readonly settings: MailFilterSettings,
  ) {}

  /** Works while no other call does for the user. @param deadline ms UTC @throws MAIL_FILTER-9001 when that time comes first */
  async use<T>({ contextId, userId }: LockOwner, deadline: number, work: () => Promise<T>): Promise<T> {
    const key = `${this.store.keyPrefix(this.process.busPrefix)}:mail-filter:lock:${contextId}:${userId}`;
    const token = randomUUID();
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      if ((await this.redis.set(key, token, 'PX', this.settings.lockMs, 'NX')) === 'OK') break;
      if (Date.now() + pause >= deadline) throw MailFilterErrors.locked(userId, contextId);
      // Half of the pause is random, so that those who wait do not come back together.
      await new Promise((resolve) => setTimeout(resolve, pause / 2 + (Math.random() * pause) / 2));
    }
    try {
      return await work();
    } finally {
      // A lock that cannot be given back ends by itself.
      await this.redis.eval(RELEASE, 1, key, token).catch(() => undefined);
    }
  }
}
