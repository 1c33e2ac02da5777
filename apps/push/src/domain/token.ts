import { PushErrors, type Transport } from '@groupware/contracts';

/** A browser as the Push API describes it. */
export interface WebPushToken {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** Address of a webhook, and the secret that its calls are signed with. */
export interface WebhookToken {
  readonly url: string;
  readonly secret: string;
}

/** Bytes of a public key on P-256, uncompressed (RFC 8291). */
const P256_BYTES = 65;
const AUTH_BYTES = 16;
const MIN_SECRET = 16;
const MAX_SECRET = 256;

function parse(transport: Transport, token: string): Record<string, unknown> {
  try {
    const value = JSON.parse(token) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw PushErrors.badToken(transport, 'no JSON object');
}

function checkUrl(transport: Transport, text: unknown, allowPlain: boolean): string {
  const url = typeof text === 'string' ? parseUrl(text) : null;
  if (!url || !(url.protocol === 'https:' || (allowPlain && url.protocol === 'http:')))
    throw PushErrors.badToken(transport, allowPlain ? 'no URL' : 'no https URL');
  if (url.username || url.password) throw PushErrors.badToken(transport, 'a URL with credentials');
  return url.href;
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

const bytesOf = (text: unknown): number =>
  typeof text === 'string' && /^[A-Za-z0-9_+/-]*={0,2}$/.test(text) ? Buffer.from(text, 'base64').length : -1;

/** Reads the JSON of a PushSubscription. @throws PNS-9003 */
export function readWebPushToken(token: string, allowPlain: boolean): WebPushToken {
  const { endpoint, keys } = parse('webpush', token);
  const { p256dh, auth } = (typeof keys === 'object' && keys ? keys : {}) as Record<string, unknown>;
  if (bytesOf(p256dh) !== P256_BYTES) throw PushErrors.badToken('webpush', 'keys.p256dh');
  if (bytesOf(auth) !== AUTH_BYTES) throw PushErrors.badToken('webpush', 'keys.auth');
  return { endpoint: checkUrl('webpush', endpoint, allowPlain), keys: { p256dh, auth } as WebPushToken['keys'] };
}

/** Reads `{url, secret}`. @throws PNS-9003 */
export function readWebhookToken(token: string, allowPlain: boolean): WebhookToken {
  const { url, secret } = parse('webhook', token);
  if (typeof secret !== 'string' || secret.length < MIN_SECRET || secret.length > MAX_SECRET)
    throw PushErrors.badToken('webhook', `the secret needs ${MIN_SECRET} to ${MAX_SECRET} characters`);
  return { url: checkUrl('webhook', url, allowPlain), secret };
}
