import { randomUUID } from 'node:crypto';
import { MAIL_REDIS } from '@groupware/mail-access';
import { ProcessSettings, RedisSettings } from '@groupware/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { MailWatchSettings } from './mail-watch-settings';

/** User who is listened for. */
export interface WatchedUser {
  readonly contextId: number;
  readonly userId: number;
}

/** Up to where mails of a mailbox were told. */
export interface ToldMails {
  /** UIDVALIDITY. */
  readonly validity: string;
  /** The first UID that was not told. */
  readonly next: number;
}

/** So long it is remembered up to where mails were told, ms: what comes while a client is away for a moment is told afterwards. */
const TOLD_MS = 600_000;
/** Holder of a lease that no process has: the user is not listened for at the moment. */
const NOBODY = 'nobody';
/** Users asked for in one round trip. */
const USERS_PER_TRIP = 250;

/** Keys: lease, sign that the user looks, told mails. Arguments: holder, lease, life of told mails. Answers whether to go on. */
const RENEW = `
local holder = redis.call('get', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
if redis.call('exists', KEYS[2]) == 0 then
  if holder then redis.call('del', KEYS[1]) end
  return 0
end
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
redis.call('pexpire', KEYS[3], ARGV[3])
return 1`;

/** Key: lease. Arguments: holder, the next holder, life. An empty next holder gives the lease back. */
const LEAVE = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('del', KEYS[1]) else redis.call('set', KEYS[1], ARGV[2], 'px', ARGV[3]) end
return 1`;

/** Which process listens for which users, and who looks: shared by all processes. */
@Injectable()
export class WatchLeases {
  private readonly holder = randomUUID();

  constructor(
    @Inject(MAIL_REDIS) private readonly redis: Redis,
    private readonly process: ProcessSettings,
    private readonly store: RedisSettings,
    private readonly settings: MailWatchSettings,
  ) {}

  /** Notes that the user looks and takes the lease; false when a process has it. */
  async take(user: WatchedUser): Promise<boolean> {
    const { idleMs, leaseMs } = this.settings;
    await this.redis.set(this.key(user, 'looks'), '1', 'PX', idleMs);
    return (await this.redis.set(this.key(user, 'lease'), this.holder, 'PX', leaseMs, 'NX')) === 'OK';
  }

  /** Notes that users look; answers those whose lease no process has. */
  async extend(users: readonly WatchedUser[]): Promise<WatchedUser[]> {
    const answers = await this.inTrips(users, (pipeline, user) => {
      pipeline.set(this.key(user, 'looks'), '1', 'PX', this.settings.idleMs);
      pipeline.exists(this.key(user, 'lease'));
    });
    return users.filter((_user, index) => answers[index * 2 + 1] === 0);
  }

  /** Renews leases; answers the users for whom it is no longer for this process to listen. */
  async renew(users: readonly WatchedUser[]): Promise<WatchedUser[]> {
    const answers = await this.inTrips(users, (pipeline, user) => {
      const keys = ['lease', 'looks', 'told'].map((what) => this.key(user, what));
      pipeline.eval(RENEW, keys.length, ...keys, this.holder, this.settings.leaseMs, TOLD_MS);
    });
    return users.filter((_user, index) => answers[index] === 0);
  }

  /** Gives the lease back. */
  async release(user: WatchedUser): Promise<void> {
    await this.redis.eval(LEAVE, 1, this.key(user, 'lease'), this.holder, '', 0);
  }

  /** Lets no process listen for a while. */
  async pause(user: WatchedUser): Promise<void> {
    await this.redis.eval(LEAVE, 1, this.key(user, 'lease'), this.holder, NOBODY, this.settings.pauseMs);
  }

  /** Up to where the mails of an account were told; undefined when that is not known. */
  async findTold(user: WatchedUser, account: number): Promise<ToldMails | undefined> {
    const [validity, next] = (await this.redis.hget(this.key(user, 'told'), String(account)))?.split(':') ?? [];
    return validity && next ? { validity, next: Number(next) } : undefined;
  }

  /** Notes up to where the mails of an account were told. */
  async noteTold(user: WatchedUser, account: number, { validity, next }: ToldMails): Promise<void> {
    const key = this.key(user, 'told');
    await this.redis.hset(key, String(account), `${validity}:${next}`);
    await this.redis.pexpire(key, TOLD_MS);
  }

  /** Asks the same for many users. @throws the first error of an answer */
  private async inTrips(
    users: readonly WatchedUser[],
    ask: (pipeline: ReturnType<Redis['pipeline']>, user: WatchedUser) => void,
  ): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (let at = 0; at < users.length; at += USERS_PER_TRIP) {
      const pipeline = this.redis.pipeline();
      for (const user of users.slice(at, at + USERS_PER_TRIP)) ask(pipeline, user);
      for (const [error, answer] of (await pipeline.exec()) ?? []) {
        if (error) throw error;
        answers.push(answer);
      }
    }
    return answers;
  }

  private key({ contextId, userId }: WatchedUser, what: string): string {
    return `${this.store.keyPrefix(this.process.busPrefix)}:mail-watch:{${contextId}:${userId}}:${what}`;
  }
}
