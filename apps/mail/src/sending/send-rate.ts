import { MailErrors, SEND_PAUSE, SEND_PAUSE_OF_PRIMARY, type UserPrincipal } from '@groupware/contracts';
import { MAIL_REDIS } from '@groupware/mail-access';
import { ProcessSettings, Properties, RedisSettings } from '@groupware/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { PRIMARY_ACCOUNT } from '../domain/mail-folder';

/** The pause that users keep between two mails. */
@Injectable()
export class SendRate {
  constructor(
    @Inject(MAIL_REDIS) private readonly redis: Redis,
    private readonly properties: Properties,
    private readonly process: ProcessSettings,
    private readonly store: RedisSettings,
  ) {}

  /** Lets one mail of an account pass; it does not count when the work fails. @throws MSG-0075 */
  async countMail<T>(user: UserPrincipal, account: number, work: () => Promise<T>): Promise<T> {
    const pauseMs = await this.properties.get(SEND_PAUSE, user);
    if (pauseMs === 0) return work();
    if (account !== PRIMARY_ACCOUNT && (await this.properties.get(SEND_PAUSE_OF_PRIMARY, user))) return work();
    const key = `${this.store.keyPrefix(this.process.busPrefix)}:mail:sent:${user.contextId}:${user.userId}`;
    if ((await this.redis.set(key, '1', 'PX', pauseMs, 'NX')) === null)
      throw MailErrors.sentTooOften(Math.ceil(pauseMs / 1_000));
    try {
      return await work();
    } catch (error) {
      // It ends by itself; why the mail was not sent, or may have been, must be told.
      await this.redis.del(key).catch(() => undefined);
      throw error;
    }
  }
}
