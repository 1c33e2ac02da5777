import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
const HIGHEST_CONTEXT = 0x7fffffff;

/** A token that names its context, and the digest that is stored of it. */
export interface InvitationToken {
  readonly token: string;
  readonly digest: Buffer;
}

const digestToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** A new token for a user of a context. */
export function generateInvitationToken(contextId: number): InvitationToken {
  const token = `${contextId}.${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { token, digest: digestToken(token) };
}

/** The context that a token names, and its digest; undefined for what is no token. */
export function parseInvitationToken(token: string): { contextId: number; digest: Buffer } | undefined {
  const contextId = Number(/^(\d{1,10})\.[\w-]{43}$/.exec(token)?.[1] ?? NaN);
  return contextId >= 1 && contextId <= HIGHEST_CONTEXT ? { contextId, digest: digestToken(token) } : undefined;
}
