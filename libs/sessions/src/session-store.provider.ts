import { ProcessSettings, Properties, RedisSettings, SecretKeySettings, type Logger } from '@groupware/service-kit';
import type { FactoryProvider } from '@nestjs/common';
import { createSessionSettings } from './session-settings';
import { SessionStore } from './session-store';

/** Provides the store of sessions. The service lists {@link RedisSettings} and {@link SecretKeySettings} among its settings. */
export const sessionStoreProvider = (log: Logger): FactoryProvider<SessionStore> => ({
  provide: SessionStore,
  inject: [RedisSettings, SecretKeySettings, ProcessSettings, Properties],
  useFactory: (redis: RedisSettings, keys: SecretKeySettings, { busPrefix }: ProcessSettings, properties: Properties) =>
    SessionStore.connect({
      url: redis.redisUrl.reveal(),
      prefix: redis.keyPrefix(busPrefix),
      secretKeys: keys.secretKeys(),
      settings: createSessionSettings((property) => properties.serverValue(property)),
      onError: (error) => log.warn({ error: error.message }, 'session store'),
    }),
});
