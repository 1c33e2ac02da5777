import { property } from '../kit';

const everywhere = ['user', 'context', 'server'] as const;

/** Second factors. */
export const MULTIFACTOR = property<boolean>({
  key: 'com.example.multifactor.enabled',
  default: true,
  scopes: everywhere,
  doc: 'Users may register second factors (capability multifactor).',
});

/** Kinds of second factors. */
export const MULTIFACTOR_PROVIDERS = property<string>({
  key: 'com.example.multifactor.providers',
  default: 'TOTP,WEB-AUTH,U2F,SMS,BACKUP_STRING',
  scopes: everywhere,
  doc: 'Comma list of the kinds of second factors that are offered. SMS also needs a gateway.',
});

/** How long a second factor counts as recent. */
export const RECENT_FACTOR = property<number>({
  key: 'com.example.multifactor.recentAuthenticationTime',
  default: 600_000,
  min: 10_000,
  doc: 'Time in ms for which a second factor counts as recent, which removing a device and registering another one ask for.',
});

/** Wrong second factors. */
export const FACTOR_ATTEMPTS = property<number>({
  key: 'com.example.multifactor.maxAttempts',
  default: 10,
  min: 1,
  doc: 'Wrong second factors of one user within ten minutes until further ones are refused: from all networks together that never showed one, and from each network that did. Also wrong answers while a device is registered.',
});

/** Text messages. */
export const SMS_PER_HOUR = property<number>({
  key: 'com.example.multifactor.sms.perHour',
  default: 10,
  min: 1,
  doc: 'Most text messages with codes sent for one user in an hour.',
});

/** Domain of WebAuthn. */
export const WEBAUTHN_DOMAIN = property<string>({
  key: 'com.example.multifactor.webauthn.rpId',
  default: '',
  doc: 'Domain that WebAuthn credentials are bound to; empty: the host of the request.',
});

/** Pages of WebAuthn. */
export const WEBAUTHN_ORIGINS = property<string>({
  key: 'com.example.multifactor.webauthn.origins',
  default: '',
  doc: 'Comma list of origins (https://…) that WebAuthn and U2F answers may come from; empty: the host of the request.',
});

/** Title of this product in authenticator programs. */
export const FACTOR_ISSUER = property<string>({
  key: 'com.example.multifactor.issuer',
  default: 'Groupware',
  doc: 'Name of this installation in authenticator programs.',
});

/** Enforcement of second factors. */
export const ENFORCE_MULTIFACTOR = property<boolean>({
  key: 'com.example.multifactor.enforce.enabled',
  default: false,
  scopes: everywhere,
  doc: 'Users without second factor must register one after the grace period: their sessions open nothing else.',
});

/** Grace period in logins. */
export const ENFORCE_GRACE_LOGINS = property<number>({
  key: 'com.example.multifactor.enforce.graceLogins',
  default: 3,
  min: 0,
  scopes: everywhere,
  doc: 'Logins without second factor before enforcement begins.',
});

/** Grace period in days. */
export const ENFORCE_GRACE_DAYS = property<number>({
  key: 'com.example.multifactor.enforce.graceDays',
  default: 14,
  min: 0,
  scopes: everywhere,
  doc: 'Days after the first login before enforcement begins.',
});
