import { setTimeout as pause } from 'node:timers/promises';
import { isCatalogueError, RequestErrors, type Operation, type Principal } from '@groupware/contracts';
import type { MsgHdrs } from 'nats';
import type { CallBody } from './call-body';
import { toCatalogueError } from './call-errors';
import { CallKey, parseKeyHeader, takesClaim, takesKey } from './call-key';
import type { CallLabels } from './call-labels';
import { toKeptReply } from './call-responder';
import { HEADER } from './wire';

/** A reply as it is kept under the key of its call. */
export interface KeptReply {
  readonly bytes: Uint8Array;
  readonly metadata?: string;
}

/** Store of replies to calls with keys that clients chose. */
export interface ReplyStore {
  /** @throws SVL-0036 when the key was used for another request */
  find(key: CallKey, principal: Principal): Promise<KeptReply | undefined>;
  keep(key: CallKey, principal: Principal, reply: KeptReply): Promise<void>;
  /** Whether a transaction of the call was committed before. */
  isDone(key: CallKey, principal: Principal): Promise<boolean>;
}

/** Store of calls whose effects are not in the database: each is begun once for its key. */
export interface ClaimStore {
  /**
   * Takes a key for a call that begins: `mine` for the first one; then what is known of that.
   * @throws SVL-0036 when the key was used for another request, SVL-0032 when the store is away
   */
  claim(key: CallKey, service: string): Promise<'mine' | 'begun' | 'replyLost' | KeptReply>;
  /** Keeps what a call answered; without a reply, that it was done. */
  keep(key: CallKey, reply: KeptReply | undefined): Promise<void>;
  /** Gives the key back: nothing was done. */
  release(key: CallKey): Promise<void>;
}

const DEFAULT_KEY_LIFETIME_MS = 24 * 3_600_000;
/** A call with a key that another one has waits so long for the end of that, ms: it may be under way. */
const SAME_CALL_WAIT_MS = 3_000;
const SAME_CALL_PAUSE_MS = 100;
/** A call that was done waits so long before it asks once more for what its reply needs, ms. */
const AWAY_PAUSE_MS = 200;

/** Runs the handler of a call. */
type CallRun = (labels: CallLabels) => Promise<unknown>;

/** A reply that was found. */
export class Kept {
  constructor(readonly reply: KeptReply) {}
}

/** Runs calls with keys once, however often they are sent. */
export class IdempotentCalls {
  /** A service with operations whose effects are elsewhere has one. */
  private claims: ClaimStore | undefined;

  /**
   * @param replies default: such a call is answered anew, by what its transactions noted
   * @param keyLifetimeMs how long a key that a client chose is remembered, ms
   */
  constructor(
    private readonly replies: ReplyStore | undefined,
    private readonly keyLifetimeMs = DEFAULT_KEY_LIFETIME_MS,
  ) {}

  /** Sets the store of claims, before the first call. */
  useClaims(claims: ClaimStore | undefined): void {
    this.claims = claims;
  }

  /** The key of a call, where its operation takes one. */
  keyOf(operation: Operation, headers: MsgHdrs | undefined, body: CallBody, deadline: number): CallKey | undefined {
    const header = takesKey(operation) || takesClaim(operation) ? headers?.get(HEADER.callKey) : undefined;
    const parsed = header ? parseKeyHeader(header) : undefined;
    if (!parsed) return undefined;
    const call = { operation, body, deadline, lifetimeMs: this.keyLifetimeMs };
    return new CallKey(parsed.id, parsed.origin, headers!.has(HEADER.repeated), call);
  }

  /** Runs a call, or finds what was answered to it before: a {@link Kept}. */
  runOnce(labels: CallLabels, key: CallKey | undefined, run: CallRun): Promise<unknown> {
    return key && !labels.key ? this.runClaimed(labels, key, run) : this.runKeyed(labels, run);
  }

  /** Runs a call whose transactions note what was done. */
  private async runKeyed(labels: CallLabels, run: CallRun): Promise<unknown> {
    const { operation, principal, key } = labels;
    if (!key) return run(labels);
    try {
      const kept = key.origin === 'client' ? await this.replies?.find(key, principal) : undefined;
      return kept ? new Kept(kept) : await this.runUntilBack(labels, key, run);
    } catch (error) {
      throw isCatalogueError(error, RequestErrors.keyReused) ? (operation.keyReused?.() ?? error) : error;
    }
  }

  /** Runs it; where it was done before and its reply needs a service that is away, again until the deadline: that may be back. */
  private async runUntilBack(labels: CallLabels, key: CallKey, run: CallRun): Promise<unknown> {
    try {
      return await run(labels);
    } catch (error) {
      // It failed before it came to what was done before, which may be why.
      const isDone = key.isRepeat && key.stepsDone === 0 && (await this.replies?.isDone(key, labels.principal));
      if (!isDone) throw error;
      const isAway = isCatalogueError(error, RequestErrors.serviceUnavailable);
      if (!isAway || Date.now() + AWAY_PAUSE_MS >= labels.deadline)
        throw RequestErrors.replyLost().with({ cause: error });
      await pause(AWAY_PAUSE_MS);
      const again = key.renew();
      return await this.runUntilBack({ ...labels, key: again }, again, run);
    } finally {
      key.endCall();
    }
  }

  /**
   * Runs a call whose effect is not in the database, unless one with its key was begun before. That it failed is told again by doing
   * it again, unless its failure leaves open what was done.
   */
  private async runClaimed(labels: CallLabels, key: CallKey, run: CallRun): Promise<unknown> {
    const { operation, deadline } = labels;
    const { claims } = this;
    if (!claims) throw RequestErrors.serviceUnavailable(operation.module);
    const kept = await this.claim(claims, operation, key, deadline);
    if (kept) return kept;
    let result: unknown;
    try {
      result = await run(labels);
    } catch (error) {
      if (!toCatalogueError(error).entry.mayBeDone) await claims.release(key);
      throw error;
    }
    await claims.keep(key, await toKeptReply(result));
    return result;
  }

  /** Takes the key of a call; answers what the call before it answered. @throws SVL-0035 and SVL-0037 where that is not known */
  private async claim(
    claims: ClaimStore,
    operation: Operation,
    key: CallKey,
    deadline: number,
  ): Promise<Kept | undefined> {
    const end = Math.min(Date.now() + SAME_CALL_WAIT_MS, deadline);
    for (;;) {
      const state = await claims.claim(key, operation.service).catch((error: unknown) => {
        const isReused = isCatalogueError(error, RequestErrors.keyReused);
        throw isReused ? (operation.keyReused?.() ?? error) : error;
      });
      if (state === 'mine') return undefined;
      if (state === 'replyLost') throw RequestErrors.replyLost();
      if (state !== 'begun') return new Kept(state);
      if (Date.now() + SAME_CALL_PAUSE_MS >= end) throw RequestErrors.outcomeUnknown(operation.module);
      await pause(SAME_CALL_PAUSE_MS);
    }
  }
}
