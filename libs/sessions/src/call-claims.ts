import { RequestErrors } from '@groupware/contracts';
import type { CallKey, ClaimStore, KeptReply } from '@groupware/messaging';
import type { Redis } from 'ioredis';
import { SealedText } from './sealed-text';

/** Longest reply that is kept, bytes. */
const MAX_REPLY_BYTES = 256 * 1024;

/** The first call gets nil; further ones get what is there. */
const CLAIM = `
  local known = redis.call('GET', KEYS[1])
  if known then return known end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return false`;

interface Claim {
  /** Digest of the request. */
  readonly request?: string;
  /** Sealed reply, or null for one that was not kept. */
  readonly reply?: string | null;
}

/** Claims of calls in Redis, for all processes of a service. Replies are sealed, for they may hold what users wrote. */
export class CallClaims implements ClaimStore {
  private readonly sealed: SealedText;

  /** @param onProblem hears why a reply was not kept, or a key not given back */
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    secretKeys: readonly Uint8Array[],
    private readonly onProblem: (error: unknown) => void,
  ) {
    this.sealed = new SealedText(secretKeys, 'call-reply');
  }

  async claim(key: CallKey, service: string): Promise<'mine' | 'begun' | 'replyLost' | KeptReply> {
    const name = this.nameOf(key);
    const lifetimeMs = Math.max(key.expiresAt - Date.now(), 1);
    let known: string | null;
    try {
      known = (await this.redis.eval(CLAIM, 1, name, JSON.stringify(claimOf(key)), lifetimeMs)) as string | null;
    } catch (cause) {
      throw RequestErrors.serviceUnavailable(service).with({ cause });
    }
    if (known === null) return 'mine';
    const { request, reply } = JSON.parse(known) as Claim;
    if (request !== claimOf(key).request) throw RequestErrors.keyReused();
    if (reply === undefined) return 'begun';
    const text = reply === null ? undefined : this.sealed.open(reply, name);
    if (text === undefined) return 'replyLost';
    const { bytes, metadata } = JSON.parse(text) as { bytes: string; metadata?: string };
    return { bytes: Buffer.from(bytes, 'base64'), ...(metadata === undefined ? {} : { metadata }) };
  }

  async keep(key: CallKey, reply: KeptReply | undefined): Promise<void> {
    const name = this.nameOf(key);
    const isKept = reply !== undefined && reply.bytes.length <= MAX_REPLY_BYTES;
    const text = isKept && JSON.stringify({ ...reply, bytes: Buffer.from(reply.bytes).toString('base64') });
    const claim: Claim = { ...claimOf(key), reply: text ? this.sealed.seal(text, name) : null };
    // Without it the call may have been done: it is not begun again.
    await this.redis.set(name, JSON.stringify(claim), 'KEEPTTL', 'XX').catch(this.onProblem);
  }

  async release(key: CallKey): Promise<void> {
    await this.redis.del(this.nameOf(key)).catch(this.onProblem);
  }

  private nameOf({ id }: CallKey): string {
    return `${this.prefix}:call:${id}`;
  }
}

const claimOf = ({ request }: CallKey): Claim => (request ? { request: request.toString('base64') } : {});
