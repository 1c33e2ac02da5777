import { createHmac } from 'node:crypto';
import { WebClient, type WebAnswer } from '@groupware/outbound';
import { Injectable } from '@nestjs/common';
import webPush from 'web-push';
import { readWebhookToken, readWebPushToken } from '../domain/token';
import { PushConfig } from '../push.config';
import { DeliveryConfig } from './delivery.config';
import type { Delivery, DueSubscription } from './delivery.repository';
import { VapidKeyStore } from './vapid-keys';

/** Largest answer that is read; its content is not used. */
const MAX_ANSWER_BYTES = 16_384;
/** A push service keeps a message so long for a browser that is away, seconds. */
const TTL_SECONDS = 4 * 3600;
/** Room for one message: RFC 8291 demands that push services take 4,096 bytes encrypted. */
const MAX_MESSAGE_BYTES = 3_800;

/** The JSON that is sent: the same for browsers and webhooks. */
const messageOf = (deliveries: readonly Delivery[]): string =>
  JSON.stringify({ notices: deliveries.map(({ noticeId, topic, data, at }) => ({ id: noticeId, topic, at, data })) });

/** As many of the oldest as fit into one message of Web Push; at least one, without its data where that is too large. */
function fitting(deliveries: readonly Delivery[]): { message: string; count: number } {
  for (let count = deliveries.length; count > 0; count--) {
    const message = messageOf(deliveries.slice(0, count));
    if (Buffer.byteLength(message) <= MAX_MESSAGE_BYTES) return { message, count };
  }
  return { message: messageOf([{ ...deliveries[0]!, data: {} }]), count: 1 };
}

/** The signature of a webhook: HMAC-SHA-256 over the time stamp, a dot and the body, in hex. */
const signatureOf = (secret: string, timestamp: number, body: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');

/** Outcome of a call of a subscription. */
export interface SendOutcome {
  /** How many of the deliveries were in the message. */
  readonly count: number;
  readonly answer: WebAnswer;
}

/** Calls browsers' push services and webhooks, through the outbound guard. */
@Injectable()
export class Senders {
  constructor(
    private readonly web: WebClient,
    private readonly keys: VapidKeyStore,
    private readonly push: PushConfig,
    private readonly config: DeliveryConfig,
  ) {}

  /** Sends the oldest deliveries. @throws OutboundFailure, CertificateFailure, PNS-9003 */
  async send(
    { transport, contextId, userId }: DueSubscription,
    token: string,
    deliveries: readonly Delivery[],
    nowMs: number,
  ): Promise<SendOutcome> {
    const request =
      transport === 'webpush' ? await this.webPush(token, deliveries) : this.webhook(token, deliveries, nowMs);
    const answer = await this.web.fetch({
      ...request,
      purpose: transport,
      method: 'POST',
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: this.config.timeoutMs,
      // A signed message goes where it was meant to go, or nowhere.
      maxRedirects: 0,
      allowPlain: this.push.allowPlain,
      onBehalfOf: `${contextId}:${userId}`,
    });
    return { count: request.count, answer };
  }

  private async webPush(token: string, deliveries: readonly Delivery[]) {
    const subscription = readWebPushToken(token, this.push.allowPlain);
    const { message, count } = fitting(deliveries);
    const { endpoint, headers, body } = webPush.generateRequestDetails(subscription, message, {
      vapidDetails: { subject: this.config.vapidSubject, ...(await this.keys.keys()) },
      TTL: TTL_SECONDS,
      contentEncoding: 'aes128gcm',
    });
    const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return { url: endpoint, headers: texts, body: body, count };
  }

  private webhook(token: string, deliveries: readonly Delivery[], nowMs: number) {
    const { url, secret } = readWebhookToken(token, this.push.allowPlain);
    const body = messageOf(deliveries);
    const timestamp = Math.floor(nowMs / 1000);
    const headers = {
      'content-type': 'application/json',
      'x-svc-push-timestamp': String(timestamp),
      'x-svc-push-signature': `v1=${signatureOf(secret, timestamp, body)}`,
      'x-svc-push-id': deliveries[0]!.noticeId,
    };
    return { url, headers, body, count: deliveries.length };
  }
}
