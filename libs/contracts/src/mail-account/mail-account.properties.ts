import { property, type PropertyScope } from '../kit';

const everywhere: readonly PropertyScope[] = ['user', 'context', 'server'];

/** The mail server of primary accounts. */
export const MAIL_SERVER = property<string>({
  key: 'com.example.mail.mailServer',
  default: '',
  scopes: everywhere,
  doc: 'Mail server of primary mail accounts, as imaps://host:port or host; empty: users have no usable primary mail account.',
});

/** The transport server of primary accounts. */
export const TRANSPORT_SERVER = property<string>({
  key: 'com.example.mail.transportServer',
  default: '',
  scopes: everywhere,
  doc: 'Server that sends the mail of primary accounts, as smtps://host:port or host.',
});

/** STARTTLS with the mail server of primary accounts. */
export const MAIL_START_TLS = property<boolean>({
  key: 'com.example.mail.mailStartTls',
  default: false,
  scopes: everywhere,
  doc: 'Use STARTTLS with the mail server of primary accounts.',
});

/** STARTTLS with the transport server of primary accounts. */
export const TRANSPORT_START_TLS = property<boolean>({
  key: 'com.example.mail.mailTransportStartTls',
  default: false,
  scopes: everywhere,
  doc: 'Use STARTTLS with the transport server of primary accounts.',
});

/** Source of the settings for the server of a primary account. */
export const MAIL_SERVER_SOURCE = property<string>({
  key: 'com.example.mail.mailServerSource',
  default: 'user',
  values: ['user', 'global'],
  scopes: ['context', 'server'],
  doc: 'user: the server provisioned for the user, else the one of the properties; global: only the properties.',
});

/** Source of the login name at a primary account. */
export const MAIL_LOGIN_SOURCE = property<string>({
  key: 'com.example.mail.loginSource',
  default: 'mail',
  values: ['login', 'mail', 'name'],
  scopes: everywhere,
  doc: 'Login at the primary mail account when none is provisioned: login (mail login provisioned, else the primary address), mail (primary address) or name (user name).',
});

/** Source of the password of a primary account. */
export const MAIL_PASSWORD_SOURCE = property<string>({
  key: 'com.example.mail.passwordSource',
  default: 'session',
  values: ['session', 'global'],
  scopes: ['context', 'server'],
  doc: 'Password at primary mail accounts: session (the one of the login) or global (MAIL_ACCOUNT_GLOBAL_PASSWORD).',
});

/** Credentials that primary accounts log in with. */
export const MAIL_AUTH_TYPE = property<string>({
  key: 'com.example.mail.authType',
  default: 'login',
  values: ['login', 'xoauth2', 'oauthbearer'],
  scopes: everywhere,
  doc: 'Login at primary mail accounts: with the password (login), or, in sessions of OpenID Connect, with the access token of the login (xoauth2, oauthbearer) at the hosts of com.example.oidc.mailServers, by OAUTHBEARER where the server knows it, else by XOAUTH2; a mail proxy is told the mechanism of this value.',
});

/** The name of primary accounts. */
export const PRIMARY_ACCOUNT_NAME = property<string>({
  key: 'com.example.mail.primaryAccountName',
  default: 'E-Mail',
  scopes: ['context', 'server'],
  doc: 'Display name of primary mail accounts.',
});

/** Whether access to primary accounts is switched off. */
export const PRIMARY_ACCOUNT_DISABLED = property<boolean>({
  key: 'com.example.mail.primaryAccountDisabled',
  default: false,
  scopes: everywhere,
  doc: 'Switches mail access of the user off: the primary account is shown as disabled.',
});

/** Most accounts of one user. */
export const MAX_MAIL_ACCOUNTS = property<number>({
  key: 'com.example.mailaccount.maxAccounts',
  default: 50,
  min: 1,
  max: 1_000,
  scopes: everywhere,
  doc: 'Most external mail accounts of one user.',
});

/** Whether the unified mail account is in lists. */
export const LIST_UNIFIED_MAIL = property<boolean>({
  key: 'com.example.mailaccount.listUnifiedMail',
  default: false,
  scopes: everywhere,
  doc: 'Show the unified mail account among the accounts of account?action=all.',
});

/** The port of transport servers that name none. */
export const DEFAULT_TRANSPORT_PORT = property<number>({
  key: 'com.example.mailaccount.defaultTransportPort',
  default: 25,
  min: 1,
  max: 65_535,
  doc: 'Port of transport servers without TLS that name none: 25, or 587 as most providers want it.',
});

/** How seldom POP3 accounts are fetched. */
export const MIN_POP3_REFRESH = property<number>({
  key: 'com.example.mailaccount.pop3MinRefreshRate',
  default: 10,
  min: 1,
  scopes: everywhere,
  doc: 'Least and default number of minutes between two fetches of a POP3 account.',
});

/** Whether connections without TLS may be used. */
export const ALLOW_PLAIN_MAIL = property<boolean>({
  key: 'com.example.mailaccount.allowPlain',
  default: true,
  scopes: everywhere,
  doc: 'Allow mail accounts without TLS; false answers MSG-0111.',
});

/** Whether users may accept certificates. */
export const ACCEPT_CERTIFICATES = property<boolean>({
  key: 'com.example.mailaccount.acceptCertificates',
  default: true,
  scopes: everywhere,
  doc: 'Users may accept certificates of mail servers that are not trusted; false also ignores those accepted before.',
});
