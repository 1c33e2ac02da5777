import { ProcessSettings, Properties, type Logger, type Secret } from '@groupware/service-kit';
import type { FactoryProvider, Type } from '@nestjs/common';
import { sessionSettings } from './session-settings';
import { SessionStore } from './session-store';

/**
 * Provides the store of sessions.
 * @param redis settings that name the server
 * @param keys settings with the keys for sealed values, newest first
 */
export const sessionStoreProvider = (
  redis: Type<{ readonly redisUrl: Secret }>,
  keys: Type<{ secretKeys(): Buffer[] }>,
  log: Logger,
): FactoryProvider<SessionStore> => ({
  provide: SessionStore,
  inject: [redis, keys, ProcessSettings, Properties],
  useFactory: (
    { redisUrl }: { readonly redisUrl: Secret },
    config: { secretKeys(): Buffer[] },
    process: ProcessSettings,
    properties: Properties,
  ) =>
    SessionStore.connect({
      url: redisUrl.reveal(),
      prefix: process.busPrefix,
      secretKeys: config.secretKeys(),
      settings: sessionSettings((property) => properties.serverValue(property)),
      onError: (error) => log.warn({ error: error.message }, 'session store'),
    }),
});
