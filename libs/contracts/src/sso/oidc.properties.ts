import { parseProperty, property, type Property } from '../kit';

const ROOT = 'com.example.oidc';
const key = (name: string): string => `${ROOT}.${name}`;

/** Backends besides the one of the plain keys. */
export const OIDC_BACKENDS = property<string>({
  key: key('backends'),
  default: '',
  doc: 'Comma list of names of further OpenID providers. Each value of one may be set as `com.example.oidc.<name>.…` and is that of `com.example.oidc.…` otherwise; its addresses are `/oidc/<name>/…`.',
});

/** Whether logins by OpenID Connect are offered. */
export const OIDC_ENABLED = property<boolean>({
  key: key('enabled'),
  default: false,
  doc: 'Offer logins by OpenID Connect.',
});

/** Hosts of a backend. */
export const OIDC_HOSTS = property<string>({
  key: key('hosts'),
  default: 'all',
  doc: 'Comma list of host names whose users log in here; `all`: every host that no other backend names.',
});

/** Identifier of the product at the provider. */
export const OIDC_CLIENT_ID = property<string>({
  key: key('clientId'),
  default: '',
  doc: 'Identifier that the provider gave this product.',
});

/** Secret of the product at the provider. */
export const OIDC_CLIENT_SECRET = property<string>({
  key: key('clientSecret'),
  default: '',
  doc: 'Secret that the provider gave this product; empty for a public client.',
});

/** The provider. */
export const OIDC_ISSUER = property<string>({
  key: key('opIssuer'),
  default: '',
  doc: 'Issuer, the address of the provider. What the addresses below leave out is read from its `.well-known/openid-configuration`.',
});

/** Authorization endpoint. */
export const OIDC_AUTHORIZATION_ENDPOINT = property<string>({
  key: key('opAuthorizationEndpoint'),
  default: '',
  doc: 'Authorization endpoint of the provider; with token endpoint and keys nothing is discovered.',
});

/** Token endpoint. */
export const OIDC_TOKEN_ENDPOINT = property<string>({
  key: key('opTokenEndpoint'),
  default: '',
  doc: 'Token endpoint of the provider.',
});

/** Keys of the provider. */
export const OIDC_JWKS_ENDPOINT = property<string>({
  key: key('opJwkSetEndpoint'),
  default: '',
  doc: 'Address of the public keys of the provider.',
});

/** Logout endpoint of the provider. */
export const OIDC_LOGOUT_ENDPOINT = property<string>({
  key: key('opLogoutEndpoint'),
  default: '',
  doc: 'Logout endpoint of the provider.',
});

/** Return address of logins. */
export const OIDC_REDIRECT_URI = property<string>({
  key: key('rpRedirectURIAuth'),
  default: '',
  doc: 'Address to which the provider sends browsers back; default: `https://<host><base path>/oidc/auth`.',
});

/** Return address of logouts. */
export const OIDC_POST_LOGOUT_URI = property<string>({
  key: key('rpRedirectURIPostSSOLogout'),
  default: '',
  doc: 'Address to which the provider sends browsers back after a logout; default: `https://<host><base path>/oidc/logout`.',
});

/** Address to which browsers go after a logout. */
export const OIDC_AFTER_LOGOUT = property<string>({
  key: key('rpRedirectURILogout'),
  default: '',
  doc: 'Address of the page after a logout; default: the web client.',
});

/** Algorithm of ID tokens. */
export const OIDC_ALGORITHM = property<string>({
  key: key('jwsAlgorithm'),
  default: 'RS256',
  values: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
  doc: 'Signature algorithm of ID tokens; others are refused.',
});

/** Scopes that are asked for. */
export const OIDC_SCOPE = property<string>({
  key: key('scope'),
  default: 'openid',
  doc: 'Scopes that are asked for, separated by blanks; `offline_access` for a refresh token.',
});

/** Whether the provider hears of logouts. */
export const OIDC_SSO_LOGOUT = property<boolean>({
  key: key('ssoLogout'),
  default: false,
  doc: 'A logout leads through the logout page of the provider.',
});

/** How browsers come back to sessions. */
export const OIDC_AUTOLOGIN = property<string>({
  key: key('autologinCookieMode'),
  default: 'off',
  values: ['off', 'svc_direct', 'sso_redirect'],
  doc: 'How a browser with a live session comes back to it at the next login. `svc_direct`: by a cookie, straight to the web client. `sso_redirect`: through the provider, which is told whom the session is of. `off`: as anybody. Unless off, `login?action=autologin` is refused at the hosts of the backend.',
});

/** Path of the web client. */
export const OIDC_UI_PATH = property<string>({
  key: key('uiWebPath'),
  default: '',
  doc: 'Path of the web client after a login; default: `com.example.UIWebPath`.',
});

/** Claim with the user. */
export const OIDC_USER_CLAIM = property<string>({
  key: key('userLookupClaim'),
  default: 'sub',
  doc: 'Claim that names the user.',
});

const NAME_PARTS = ['full', 'local-part', 'domain'] as const;

/** Part of the claim with the user. */
export const OIDC_USER_PART = property<string>({
  key: key('userLookupNamePart'),
  default: 'local-part',
  values: NAME_PARTS,
  doc: 'Part of that claim which is the name of the user: full, or what is before or behind its last @.',
});

/** Claim with the context. */
export const OIDC_CONTEXT_CLAIM = property<string>({
  key: key('contextLookupClaim'),
  default: 'sub',
  doc: 'Claim that names the context by one of its login mappings.',
});

/** Part of the claim with the context. */
export const OIDC_CONTEXT_PART = property<string>({
  key: key('contextLookupNamePart'),
  default: 'domain',
  values: NAME_PARTS,
  doc: 'Part of that claim which is the login mapping; nothing there means the default mapping.',
});

/** Whether unknown users are made. */
export const OIDC_PROVISIONING = property<boolean>({
  key: key('autoProvisioning'),
  default: false,
  doc: 'Make a user of a known context who is not there yet, from the claims name, given_name, family_name and email.',
});

/** Leeway before the end of access tokens. */
export const OIDC_REFRESH_TIME = property<number>({
  key: key('oauthRefreshTime'),
  default: 60_000,
  min: 0,
  max: 3_600_000,
  doc: 'How long before its end an access token is refreshed when it is used, ms.',
});

/** Servers that take its access tokens. */
export const OIDC_MAIL_SERVERS = property<string>({
  key: key('mailServers'),
  default: '',
  doc: 'Comma list of hosts of mail servers that the access token of a login may be shown to, where `com.example.mail.authType` has primary accounts log in with it; no others ever see it.',
});

/** Plain HTTP to the provider. */
export const OIDC_PLAIN = property<boolean>({
  key: key('allowPlain'),
  default: false,
  doc: 'Accept addresses of the provider without TLS: for providers on this machine only.',
});

/** An OpenID provider that is set up, with what users of it need. */
export interface OidcBackend {
  /** Empty for the one of the plain keys. */
  readonly name: string;
  readonly hosts: readonly string[];
  /** Whether logins are offered. */
  readonly enabled: boolean;
  /** A further value. */
  value<T extends string | number | boolean>(of: Property<T>): T;
}

/** Reader of values of the server. */
export interface ServerTexts {
  serverText(key: string): string | undefined;
  serverValue<T extends string | number | boolean>(of: Property<T>): T;
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

function backendOf(name: string, texts: ServerTexts): OidcBackend {
  const value = <T extends string | number | boolean>(of: Property<T>): T => {
    const text = name ? texts.serverText(`${ROOT}.${name}.${of.key.slice(ROOT.length + 1)}`) : undefined;
    const own = text === undefined ? undefined : parseProperty(of, text);
    return own === undefined ? texts.serverValue(of) : (own as T);
  };
  return {
    name,
    hosts: listOf(value(OIDC_HOSTS).toLowerCase()),
    enabled: value(OIDC_ENABLED) && value(OIDC_CLIENT_ID) !== '' && value(OIDC_ISSUER) !== '',
    value,
  };
}

/** The backends that are enabled, that of the plain keys last. */
export function listOidcBackends(texts: ServerTexts): readonly OidcBackend[] {
  const names = listOf(texts.serverValue(OIDC_BACKENDS)).filter((name) => /^[\w-]{1,64}$/.test(name));
  return [...names, ''].map((name) => backendOf(name, texts)).filter(({ enabled }) => enabled);
}

/**
 * The backend of a host: one that names it before one for all.
 * @param host with or without port
 */
export function findOidcBackend(host: string, texts: ServerTexts): OidcBackend | undefined {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  const backends = listOidcBackends(texts);
  return backends.find(({ hosts }) => hosts.includes(name)) ?? backends.find(({ hosts }) => hosts.includes('all'));
}

/** Whether browsers come back to the sessions of a host by OpenID Connect, so that no other automatic login may. */
export const hasOidcAutologin = (host: string, texts: ServerTexts): boolean =>
  (findOidcBackend(host, texts)?.value(OIDC_AUTOLOGIN) ?? 'off') !== 'off';
