import { errorCatalog } from '../kit';

/** Errors of push notifications. The public API gives no numbers, so these are ours. */
export const PushErrors = errorCatalog('PNS', {
  unknownTransport: { number: 5, category: 'USER_INPUT', message: 'There is no transport %1.' },
  badTopic: { number: 7, category: 'USER_INPUT', message: 'This is no topic: %1.' },
  badToken: { number: 9003, category: 'USER_INPUT', message: 'The token does not fit the transport %1: %2.' },
  tooManySubscriptions: {
    number: 9004,
    category: 'CAPACITY',
    message: 'There are %1 subscriptions already; no more can be made.',
  },
  transportDisabled: {
    number: 9005,
    category: 'PERMISSION_DENIED',
    message: 'The transport %1 is not enabled for this user.',
  },
  tooManyStreams: {
    number: 9006,
    category: 'CAPACITY',
    message: 'There are %1 open streams already (%2).',
    http: 429,
    edgeStatus: true,
  },
  noUpgrade: {
    number: 9007,
    category: 'USER_INPUT',
    message: 'This address answers WebSocket requests only.',
    http: 426,
    edgeStatus: true,
  },
  badMail: { number: 9010, category: 'USER_INPUT', message: 'The pushed mail cannot be taken: %1.', http: 400 },
});
