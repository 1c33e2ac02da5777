import { property } from '../kit';

/** Names of cookies, headers and properties: the original vendor's instead of, or besides, the renamed ones. */
export const COMPAT_NAMES = property<boolean>({
  key: 'com.example.compat.names',
  default: false,
  doc: 'Names of the original product, so that its clients and settings work unchanged. Cookies are written under its names and taken under both; the header `X-Svc-Session-Secret` is taken as `X-OX-Session-Secret`, too; properties of the server may be named `com.openexchange.…`, where the name of this product has no value. When false only the names of this product count.',
});

/** How the hash in cookie names is found when a request is checked. */
export const COOKIE_HASH = property<string>({
  key: 'com.example.cookie.hash',
  default: 'calculate',
  values: ['calculate', 'remember'],
  doc: 'calculate: compute the hash in cookie names from each request, so that a changed User-Agent ends the session; remember: take the hash stored at login.',
});

/** Extra headers in the cookie hash. */
export const COOKIE_HASH_FIELDS = property<string>({
  key: 'com.example.cookie.hash.fields',
  default: '',
  doc: 'Comma list of request headers whose values become part of the cookie hash.',
});

/** Salt of the cookie hash. */
export const COOKIE_HASH_SALT = property<string>({
  key: 'com.example.cookie.hash.salt',
  default: 'replaceMe1234567890',
  doc: 'Salt of the cookie hash. A change makes every cookie unknown.',
});

/** Life of cookies of sessions with staySignedIn. */
export const COOKIE_LIFETIME = property<number>({
  key: 'com.example.cookie.ttl',
  default: 604_800_000,
  min: 0,
  doc: 'Life in ms of cookies of sessions opened with staySignedIn; 0 means until the browser closes.',
});

/** When the cookie for automatic login holds the session id. */
export const SESSION_COOKIE = property<string>({
  key: 'com.example.login.sessionCookie',
  default: 'staySignedIn',
  values: ['staySignedIn', 'always'],
  doc: 'When the cookie for automatic login holds the session id itself, as in the original product: only with staySignedIn, or always. Else it holds another name of the session.',
});

/** Idle time of ordinary sessions. */
export const SESSION_DEFAULT_LIFETIME = property<number>({
  key: 'com.example.sessiond.sessionDefaultLifeTime',
  default: 3_600_000,
  min: 1_000,
  doc: 'Idle time in ms after which a session without staySignedIn ends.',
});

/** Idle time of sessions with staySignedIn. */
export const SESSION_LONG_LIFETIME = property<number>({
  key: 'com.example.sessiond.sessionLongLifeTime',
  default: 604_800_000,
  min: 1_000,
  doc: 'Idle time in ms after which a session with staySignedIn ends.',
});

/** Sessions per user. */
export const MAX_SESSIONS_PER_USER = property<number>({
  key: 'com.example.sessiond.maxSessionPerUser',
  default: 100,
  min: -1,
  scopes: ['user', 'context', 'server'],
  doc: 'Most live sessions of one user; -1 means no limit.',
});

/** Sessions per user and client. */
export const MAX_SESSIONS_PER_CLIENT = property<number>({
  key: 'com.example.sessiond.maxSessionPerClient',
  default: -1,
  min: -1,
  scopes: ['user', 'context', 'server'],
  doc: 'Most live sessions of one user with the same client; -1 means no limit.',
});

/** Automatic login. */
export const AUTOLOGIN = property<boolean>({
  key: 'com.example.sessiond.autologin',
  default: true,
  doc: 'Allow automatic login by cookie; when false it answers SVL-0015.',
});

/** Address check. */
export const IP_CHECK = property<boolean>({
  key: 'com.example.IPCheck',
  default: false,
  doc: 'Refuse requests whose client address differs from the one the session was opened from.',
});

/** Address ranges without check. */
export const IP_CHECK_WHITE_LIST = property<string>({
  key: 'com.example.IPCheckWhitelist',
  default: '',
  doc: 'Comma list of addresses and CIDR ranges whose sessions may change their address.',
});

/** Clients without check. */
export const CLIENT_WHITE_LIST = property<string>({
  key: 'com.example.clientWhitelist',
  default: '',
  doc: 'Comma list of client ids whose sessions may change their address.',
});

/** Subnet of IPv4 addresses. */
export const IP_MASK_V4 = property<number>({
  key: 'com.example.IPMaskV4',
  default: 32,
  min: 0,
  max: 32,
  doc: 'Prefix length within which IPv4 addresses count as the same for the address check.',
});

/** Subnet of IPv6 addresses. */
export const IP_MASK_V6 = property<number>({
  key: 'com.example.IPMaskV6',
  default: 128,
  min: 0,
  max: 128,
  doc: 'Prefix length within which IPv6 addresses count as the same for the address check.',
});

/** Client id of logins that name none. */
export const DEFAULT_CLIENT = property<string>({
  key: 'com.example.login.defaultClient',
  default: 'default',
  doc: 'Client id of logins that name none.',
});

/** Mapping of login names without one. */
export const DEFAULT_MAPPING = property<string>({
  key: 'com.example.login.defaultMapping',
  default: 'defaultcontext',
  doc: 'Login mapping that a login name without @ is looked up under.',
});

/** Failed logins per account and address. */
export const LOGIN_ATTEMPTS_PER_NAME = property<number>({
  key: 'com.example.login.attempts.perLogin',
  default: 20,
  min: 1,
  doc: 'Failed logins of one account from one address within the window until further ones are refused (LGI-0028). Here and for the other limits all addresses of an IPv6 /64 network are one, attempts under way count, and right ones do not.',
});

/** Failed logins per account from addresses that never logged in to it. */
export const LOGIN_ATTEMPTS_FROM_STRANGERS = property<number>({
  key: 'com.example.login.attempts.perLoginFromStrangers',
  default: 100,
  min: 1,
  doc: 'Failed logins of one account from all addresses within the window until addresses that did not log in to it within 30 days get com.example.login.attempts.perStranger attempts each: guessing from many addresses does not lock the owner out.',
});

/** Failed logins per account from one place, while it is guessed at from many. */
export const LOGIN_ATTEMPTS_OF_A_STRANGER = property<number>({
  key: 'com.example.login.attempts.perStranger',
  default: 3,
  min: 1,
  doc: 'Failed logins of one account from one IPv4 address or IPv6 /48 network within the window, once com.example.login.attempts.perLoginFromStrangers is reached, until further ones are refused (LGI-0028). Addresses that logged in to it within 30 days keep com.example.login.attempts.perLogin.',
});

/** Random tokens. */
export const RANDOM_TOKENS = property<boolean>({
  key: 'com.example.login.randomTokenEnabled',
  default: false,
  doc: 'Answer a random token at login that opens the same session once, by login?action=redirect or redeem.',
});

/** Life of random tokens. */
export const RANDOM_TOKEN_LIFETIME = property<number>({
  key: 'com.example.login.randomTokenLifetime',
  default: 300_000,
  min: 1_000,
  max: 3_600_000,
  doc: 'Life of a random token in ms.',
});

/** Life of tokens for another application or a second step. */
export const LOGIN_TOKEN_LIFETIME = property<number>({
  key: 'com.example.login.tokenLifetime',
  default: 60_000,
  min: 1_000,
  max: 600_000,
  doc: 'Life in ms of the tokens of tokenLogin, token?action=acquireToken and jump?action=identityToken.',
});

/** Path of the web client. */
export const UI_WEB_PATH = property<string>({
  key: 'com.example.UIWebPath',
  default: '/appsuite/',
  doc: 'Path of the web client that logins by form, token or HTTP Basic lead to when the request names none.',
});

/** Whether forms need no authId. */
export const FORM_LOGIN_WITHOUT_AUTH_ID = property<boolean>({
  key: 'com.example.ajax.login.formLoginWithoutAuthId',
  default: false,
  doc: 'Take logins by HTML form also without the parameter authId.',
});

/** Systems that may get identity tokens. */
export const JUMP_SYSTEMS = property<string>({
  key: 'com.example.jump.systems',
  default: '',
  doc: 'Comma list of names of systems that jump?action=identityToken makes tokens for.',
});

/** Failed logins per address. */
export const LOGIN_ATTEMPTS_PER_ADDRESS = property<number>({
  key: 'com.example.login.attempts.perAddress',
  default: 200,
  min: 1,
  doc: 'Failed logins from one address within the window until further ones are answered with HTTP 429.',
});

/** Window of failed logins. */
export const LOGIN_ATTEMPTS_WINDOW = property<number>({
  key: 'com.example.login.attempts.window',
  default: 300_000,
  min: 1_000,
  doc: 'Window in ms in which failed logins are counted.',
});

/** Failed administrator logins. */
export const ADMIN_ATTEMPTS_PER_MINUTE = property<number>({
  key: 'com.example.admin.attemptsPerMinute',
  default: 10,
  min: 1,
  doc: 'Failed logins of masters, resellers and context administrators at the REST API per account and address in one minute until further ones get HTTP 429.',
});

/** Pre-assembly of contexts. */
export const PRE_ASSEMBLY_ENABLED = property<boolean>({
  key: 'com.example.contexts.pre-assembly.enabled',
  default: false,
  doc: 'Whether operators may make empty contexts that later creations claim.',
});
