import { action, allowCallers, defineModule, Field, value } from '../kit';

/** Parameters of the list of accounts elsewhere. */
export class OAuthAccountsQuery {
  @Field.text({ doc: 'Only accounts of this service', optional: true, maxLength: 256 }) serviceId?: string;
}

const list = (doc: string) =>
  ({
    http: 'GET',
    auth: 'session',
    access: allowCallers('nothing of this kind exists yet'),
    doc,
    reply: value<readonly unknown[]>('empty list'),
  }) as const;

// Clients ask these modules when they start, whether their user has something there or not.

/** Services elsewhere with which users may have accounts. */
export const oauthServices = defineModule(
  'oauth/services',
  { all: action(list('Services that users may connect with: none is offered')) },
  { service: 'settings' },
);

/** Accounts of users with services elsewhere. */
export const oauthAccounts = defineModule(
  'oauth/accounts',
  {
    all: action({
      ...list('Accounts of the user with services elsewhere: as no service is offered, there are none'),
      query: OAuthAccountsQuery,
    }),
  },
  { service: 'settings' },
);

/** The secret by which stored passwords of a user are sealed. */
export const recoverySecret = defineModule(
  'recovery/secret',
  {
    check: action({
      http: 'GET',
      auth: 'session',
      access: allowCallers('says the same to everybody'),
      doc: 'Whether stored passwords can be read. The server has the key itself, so that no secret of users can be lost',
      reply: value<{ readonly secretWorks: boolean }>('{secretWorks: true}'),
    }),
  },
  { service: 'settings' },
);

/** Subscriptions of users to data elsewhere. */
export const subscriptions = defineModule(
  'subscriptions',
  { all: action(list('Subscriptions of the user: as there are no sources, there are none')) },
  { service: 'settings' },
);

/** Sources that users may subscribe to. */
export const subscriptionSources = defineModule(
  'subscriptionSources',
  { all: action(list('Sources that users may subscribe to: none is offered')) },
  { service: 'settings' },
);
