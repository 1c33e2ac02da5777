import { action, allowCallers, defineModule, Field, json, one } from '../kit';
import { PushErrors } from './push.errors';
import { MAX_TOPIC_LENGTH } from './topics';

const OWN = allowCallers('subscriptions and notices of the user of the session only');

/**
 * How a subscription is told. `sse` and `websocket` choose the topics of streams; `webpush` and `webhook` are called from here.
 * Mobile clients name the others, too: their subscriptions are kept for services that deliver by those.
 */
export const TRANSPORTS = ['sse', 'websocket', 'webpush', 'webhook', 'apn', 'apn_http2', 'gcm', 'wns'] as const;
/** See {@link TRANSPORTS}. */
export type Transport = (typeof TRANSPORTS)[number];

/** Longest token: a Web Push subscription or a webhook as JSON. */
export const MAX_PUSH_TOKEN_LENGTH = 4096;
/** Most topics of one subscription. */
export const MAX_TOPICS = 100;

/** Data of a subscription (`SubscriptionData`). Body and parameters are one set of values. */
export class SubscriptionData {
  @Field.text({ doc: 'Name of the client', optional: true, maxLength: 128 }) client?: string | null;
  @Field.text({
    doc: 'Address of the device, required. webpush: JSON of the PushSubscription; webhook: JSON {url, secret}; sse, websocket: any text',
    optional: true,
    maxLength: MAX_PUSH_TOKEN_LENGTH,
  })
  token?: string | null;
  @Field.text({ doc: `Required: ${TRANSPORTS.join(', ')}`, optional: true, maxLength: 64 }) transport?: string | null;
  @Field.listOf('text', {
    doc: `Required: topics such as ox:mail:new, ox:mail:*, *; each of at most ${MAX_TOPIC_LENGTH} characters`,
    optional: true,
    maxItems: MAX_TOPICS,
  })
  topics?: string[] | null;
}

/** Subscription to end (`UnsubscriptionData`). */
export class UnsubscriptionData {
  @Field.text({ doc: 'Name of the client; absent: any', optional: true, maxLength: 128 }) client?: string | null;
  @Field.text({ doc: 'As subscribed, required', optional: true, maxLength: MAX_PUSH_TOKEN_LENGTH }) token?:
    string | null;
  @Field.text({ doc: 'As subscribed, required', optional: true, maxLength: 64 }) transport?: string | null;
}

/** Outcome (`PnsData`). */
export class PnsData {
  @Field.boolean({ doc: 'true' }) success!: boolean;
}

/** Key that a browser needs to subscribe by Web Push. */
export class WebPushKey {
  @Field.text({ doc: 'Public key of this installation, base64url: the applicationServerKey of the Push API' })
  key!: string;
}

/** Subscriptions of push notifications. */
export const pns = defineModule(
  'pns',
  {
    subscribe: action({
      access: OWN,
      http: 'PUT',
      doc: 'Subscribes a client to topics; the same token again replaces what was subscribed. Values may stand in the body or in the URL',
      query: SubscriptionData,
      body: json(SubscriptionData, { required: false }),
      reply: one(PnsData),
      repeatable: true,
      errors: [
        PushErrors.unknownTransport,
        PushErrors.badTopic,
        PushErrors.badToken,
        PushErrors.tooManySubscriptions,
        PushErrors.transportDisabled,
      ],
    }),
    webPushKey: action({
      access: OWN,
      http: 'GET',
      doc: 'The key by which push services of browsers know this installation (RFC 8292)',
      reply: one(WebPushKey),
    }),
    unsubscribe: action({
      access: OWN,
      http: 'PUT',
      doc: 'Ends a subscription; one that does not exist is no error',
      query: UnsubscriptionData,
      body: json(UnsubscriptionData, { required: false }),
      reply: one(PnsData),
      repeatable: true,
      errors: [PushErrors.unknownTransport],
    }),
  },
  { service: 'push' },
);
