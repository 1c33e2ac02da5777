import {
  oauthAccessToken,
  oauthAccounts,
  oauthAuthorization,
  oauthClients,
  oauthDefer,
  oauthGrants,
  oauthRevoke,
  oauthServices,
  oauthTokens,
  oauthTokenInfo,
  oidcAuth,
  oidcBackchannel,
  oidcInit,
  oidcLogout,
  samlAcs,
  samlInit,
  samlMetadata,
  samlSls,
  ssoSecrets,
} from '@groupware/contracts';
import { OutboundSettings } from '@groupware/outbound';
import { BasePathSettings, defineService, RedisSettings, SecretKeySettings } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { migrations, providers } from './sso.parts';

/** The service of single sign-on. */
export const service = defineService({
  name: 'sso',
  contracts: [
    ssoSecrets,
    oauthServices,
    oauthAccounts,
    oauthTokens,
    oauthDefer,
    oidcInit,
    oidcAuth,
    oidcLogout,
    oidcBackchannel,
    oauthAuthorization,
    oauthAccessToken,
    oauthRevoke,
    oauthTokenInfo,
    oauthGrants,
    oauthClients,
    samlInit,
    samlAcs,
    samlSls,
    samlMetadata,
  ],
  config: [BasePathSettings, RedisSettings, SecretKeySettings, OutboundSettings],
  directory: __dirname,
  migrations,
  providers,
  checks: (module) => ({ redis: () => module.get(SessionStore, { strict: false }).ping() }),
  beforeClose: (module) => module.get(SessionStore, { strict: false }).close(),
});
