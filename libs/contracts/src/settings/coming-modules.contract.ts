import { action, allowCallers, defineModule, PASSWORD_SCOPE, value } from '../kit';

const list = (doc: string) =>
  ({
    http: 'GET',
    auth: 'session',
    appScopes: [PASSWORD_SCOPE],
    access: allowCallers('nothing of this kind exists yet'),
    doc,
    reply: value<readonly unknown[]>('empty list'),
  }) as const;

// Clients ask these modules when they start, whether their user has something there or not.

/** The secret by which stored passwords of a user are sealed. */
export const recoverySecret = defineModule(
  'recovery/secret',
  {
    check: action({
      http: 'GET',
      auth: 'session',
      appScopes: [PASSWORD_SCOPE],
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
