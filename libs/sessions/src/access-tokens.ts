import { createHash } from 'node:crypto';

/**
 * The id of the session behind an access token: a digest, so that the store holds no token. The first bit is that of sessions with the
 * ordinary idle time.
 */
export function toTokenSessionId(token: string): string {
  const digest = createHash('sha256').update(token).digest();
  digest[0] = digest[0]! & 0x7f;
  return digest.toString('hex', 0, 16);
}
