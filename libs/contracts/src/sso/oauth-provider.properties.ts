import { property } from '../kit';

const everywhere = ['user', 'context', 'server'] as const;

/** Whether applications may ask users for access. */
export const OAUTH_PROVIDER = property<boolean>({
  key: 'com.example.oauth.provider.enabled',
  default: false,
  scopes: everywhere,
  doc: 'Users may grant applications that an operator registered access to parts of their data (OAuth 2.0).',
});

/** Whether codes need a proof key. */
export const OAUTH_REQUIRE_PKCE = property<boolean>({
  key: 'com.example.oauth.provider.requirePkce',
  default: false,
  doc: 'Refuse authorization requests without a code challenge S256 (RFC 7636). One that was sent is checked in any case.',
});

/** Life of access tokens. */
export const OAUTH_ACCESS_LIFE = property<number>({
  key: 'com.example.oauth.provider.accessTokenLifetime',
  default: 3_600_000,
  min: 60_000,
  max: 86_400_000,
  doc: 'Life of access tokens in ms. One that is not used ends with the idle time of sessions, if that is shorter.',
});

/** Life of authorization codes. */
export const OAUTH_CODE_LIFE = property<number>({
  key: 'com.example.oauth.provider.authCodeLifetime',
  default: 600_000,
  min: 1_000,
  max: 600_000,
  doc: 'Life of authorization codes in ms.',
});

/** Most grants. */
export const OAUTH_MAX_GRANTS = property<number>({
  key: 'com.example.oauth.provider.maxGrantsPerClient',
  default: 50,
  min: 1,
  max: 1_000,
  doc: 'Most grants that one user gives one application; the oldest goes for a new one.',
});

/** Most wrong secrets. */
export const OAUTH_WRONG_SECRETS = property<number>({
  key: 'com.example.oauth.provider.wrongSecretsPerMinute',
  default: 20,
  min: 1,
  max: 10_000,
  doc: 'Most requests for tokens with a wrong secret of one application that come from one address in a minute; then more are refused (SVL-0019), also with the right one.',
});

/** Errors as the RFC has them. */
export const OAUTH_RFC_ERRORS = property<boolean>({
  key: 'com.example.oauth.provider.rfcErrors',
  default: false,
  doc: 'Answer invalid_grant and invalid_client (RFC 6749, section 5.2) instead of invalid_request and unauthorized_client.',
});
