import { defineModule, Field, plain, rest } from '../../kit';

/** Outcome of sealing again after a change of the secret key. */
export class ResealedSecrets {
  @Field.int({ doc: 'Secrets looked at' }) checked!: number;
  @Field.int({ doc: 'Secrets sealed with the newest key' }) resealed!: number;
  @Field.int({ doc: 'Secrets that no key opens; they stay as they are' }) unreadable!: number;
}

/** Declares the operation by which a service seals what it keeps with the newest key. */
export const resealing = (path: `/admin/v1/${string}/reseal`, doc: string) =>
  rest<object, undefined, ResealedSecrets>({
    http: 'POST',
    path,
    callers: ['master'],
    doc,
    reply: plain<ResealedSecrets>(ResealedSecrets),
    repeatable: true,
    deadlineMs: 3_600_000,
  });

/** Secrets of calendars of the web, for operators. */
export const calendarSecrets = defineModule(
  'calendar-secrets',
  {
    resealCalendarSecrets: resealing(
      '/admin/v1/secrets/calendar/reseal',
      'Seals addresses and passwords of calendars of the web with the newest secret key',
    ),
  },
  { service: 'calendar' },
);

/** Secrets of storages elsewhere, for operators. */
export const fileSecrets = defineModule(
  'file-secrets',
  {
    resealFileSecrets: resealing(
      '/admin/v1/secrets/files/reseal',
      'Seals passwords of storages elsewhere with the newest secret key',
    ),
  },
  { service: 'files' },
);

/** Secrets of users, guests and file stores, for operators. */
export const identitySecrets = defineModule(
  'identity-secrets',
  {
    resealIdentitySecrets: resealing(
      '/admin/v1/secrets/identity/reseal',
      'Seals second factors, tokens of links and credentials of file stores with the newest secret key',
    ),
  },
  { service: 'identity' },
);

/** Secrets of subscriptions, for operators. */
export const pushSecrets = defineModule(
  'push-secrets',
  {
    resealPushSecrets: resealing(
      '/admin/v1/secrets/push/reseal',
      'Seals tokens of subscriptions and the key of Web Push with the newest secret key',
    ),
  },
  { service: 'push' },
);

/** Secrets of accounts with services elsewhere, for operators. */
export const ssoSecrets = defineModule(
  'sso-secrets',
  {
    resealSsoSecrets: resealing(
      '/admin/v1/secrets/sso/reseal',
      'Seals tokens of accounts with services elsewhere with the newest secret key',
    ),
  },
  { service: 'sso' },
);
