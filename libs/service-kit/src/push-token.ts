import { createHash } from 'node:crypto';
import type { Transport } from '@groupware/contracts';

/** Transports whose subscriptions are called, so that a change may leave one out. */
const CALLED = ['webpush', 'webhook'] as const satisfies readonly Transport[];

/** Hash that push tokens are compared by, base64url; the token itself is a secret of the client. */
export const hashPushToken = (transport: Transport, token: string): string =>
  createHash('sha256').update(`${transport}\0${token}`).digest('base64url');

/** Hashes of a token whose transport is not known. */
export const hashPushTokens = (token: string): string[] => CALLED.map((transport) => hashPushToken(transport, token));
