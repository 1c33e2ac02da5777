import { outboundProviders } from '@groupware/outbound';
import { Logger } from '@groupware/service-kit';
import { sessionStoreProvider } from '@groupware/sessions';
import type { Provider } from '@nestjs/common';
import { AccountDependants } from './client/account-dependants';
import { AccountRequests } from './client/account-requests';
import { AccountTokenSource } from './client/account-token-source';
import { OAuthAccounts } from './client/oauth-accounts';
import { OAuthServices } from './client/oauth-services';
import { ServiceClient } from './client/service-client';
import { TokenRefreshes } from './client/token-refreshes';
import { TokenSeal } from './client/token-seal';
import { TokenVault } from './client/token-vault';
import { EndedSessions } from './ended-sessions';
import { OidcBackends } from './oidc/oidc-backends';
import { OidcClient } from './oidc/oidc-client';
import { OidcLogins } from './oidc/oidc-logins';
import { OidcLogouts } from './oidc/oidc-logouts';
import { SessionTokens } from './oidc/session-tokens';
import { CreateOAuthProvider1795450400000 } from './migrations/1795450400000-create-oauth-provider';
import { CreateOAuthAccounts1795450500000 } from './migrations/1795450500000-create-oauth-accounts';
import { AddIcons1796100000000 } from './migrations/1796100000000-add-icons';
import { AccountRepository } from './persistence/account.repository';
import { ClientRepository } from './persistence/client.repository';
import { GrantRepository } from './persistence/grant.repository';
import { Authorizations } from './provider/authorizations';
import { OAuthClients } from './provider/oauth-clients';
import { OAuthGrants } from './provider/oauth-grants';
import { ProviderSessions } from './provider/provider-sessions';
import { TokenEndpoint } from './provider/token-endpoint';
import { SamlLogins } from './saml/saml-logins';
import { SamlLogouts } from './saml/saml-logouts';
import { SamlProvider } from './saml/saml-provider';
import { Discovery } from './web/discovery';
import { OutboundFetch } from './web/outbound-fetch';

/** Providers of handlers. */
export const providers: readonly Provider[] = [
  sessionStoreProvider(Logger.for('sso')),
  ...outboundProviders,
  AccountDependants,
  AccountRepository,
  AccountRequests,
  AccountTokenSource,
  OAuthAccounts,
  OAuthServices,
  ServiceClient,
  TokenRefreshes,
  TokenSeal,
  TokenVault,
  Discovery,
  EndedSessions,
  OidcBackends,
  OidcClient,
  OidcLogins,
  OidcLogouts,
  SessionTokens,
  OutboundFetch,
  Authorizations,
  ClientRepository,
  GrantRepository,
  OAuthClients,
  OAuthGrants,
  ProviderSessions,
  TokenEndpoint,
  SamlLogins,
  SamlLogouts,
  SamlProvider,
];

/** Steps of the schema in order. */
export const migrations = [
  CreateOAuthProvider1795450400000,
  CreateOAuthAccounts1795450500000,
  AddIcons1796100000000,
] as const;
