import { OutboundGuard, PortList, Ports } from '@groupware/outbound';
import { Logger, ProcessSettings, RedisSettings, SecretKeySettings, Setting } from '@groupware/service-kit';
import { CallClaims, connectRedis } from '@groupware/sessions';
import { Inject, Injectable, type FactoryProvider, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { Validate } from 'class-validator';
import type { Redis } from 'ioredis';
import { ConnectionGovernor } from './governor/connection-governor';
import { GovernorSettings } from './governor/governor-settings';
import { MailConnector } from './mail-connector';

/** Settings of connections to mail servers. */
export class MailAccessSettings {
  @Setting({ env: 'MAIL_PORTS', doc: 'Ports of mail servers that users may name' })
  @Validate(Ports)
  ports: string[] = ['25', '110', '143', '465', '587', '993', '995', '2525', '4190'];
}

/** Key of the connection to the store of budgets, which ends with the service. */
export const MAIL_REDIS = 'MAIL_REDIS';

const log = Logger.for('mail-access');
/** Lines about a store that is away are written at most so often, ms. */
const COMPLAINT_MS = 60_000;

/** Leaves the store of budgets when the service has closed, and nothing lent there. */
@Injectable()
class MailStoreShutdown implements OnApplicationShutdown {
  constructor(
    private readonly governor: ConnectionGovernor,
    @Inject(MAIL_REDIS) private readonly redis: Redis,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.governor.releaseAll();
    this.redis.disconnect();
  }
}

/**
 * Providers of {@link MailConnector}. The service lists {@link RedisSettings}, {@link MailAccessSettings} and
 * {@link GovernorSettings} among its settings and has the providers of the outbound guard.
 */
export const mailAccessProviders: readonly Provider[] = [
  MailStoreShutdown,
  {
    provide: MAIL_REDIS,
    inject: [RedisSettings],
    useFactory: ({ redisUrl }: RedisSettings) =>
      connectRedis(redisUrl.reveal(), (error) => log.warn({ error: error.message }, 'store of mail connections')),
  },
  {
    provide: ConnectionGovernor,
    inject: [MAIL_REDIS, RedisSettings, ProcessSettings, GovernorSettings],
    useFactory: (redis: Redis, store: RedisSettings, process: ProcessSettings, settings: GovernorSettings) => {
      let complained = 0;
      return new ConnectionGovernor(redis, store.keyPrefix(process.busPrefix), settings, {
        onPause: (server, pauseMs) => log.warn({ server, pauseMs }, 'a mail server fails and is left alone'),
        onStoreDown: (error) => {
          if (Date.now() - complained < COMPLAINT_MS) return;
          complained = Date.now();
          log.error({ error: String(error) }, 'budgets of mail connections are not shared at the moment');
        },
      });
    },
  },
  {
    provide: MailConnector,
    inject: [OutboundGuard, ConnectionGovernor, MailAccessSettings],
    useFactory: (guard: OutboundGuard, governor: ConnectionGovernor, settings: MailAccessSettings) =>
      new MailConnector(guard, governor, new PortList(settings.ports)),
  },
];

/**
 * Provides the claims of calls that change something at a mail server. The service has {@link mailAccessProviders} and lists
 * {@link SecretKeySettings}.
 */
export const mailClaimsProvider: FactoryProvider<CallClaims> = {
  provide: CallClaims,
  inject: [MAIL_REDIS, RedisSettings, SecretKeySettings, ProcessSettings],
  useFactory: (redis: Redis, store: RedisSettings, keys: SecretKeySettings, { busPrefix }: ProcessSettings) =>
    new CallClaims(redis, store.keyPrefix(busPrefix), keys.secretKeys(), (error) =>
      log.error({ error: String(error) }, 'what a call with an idempotency key did was not kept'),
    ),
};
