import { createHash, randomUUID } from 'node:crypto';
import type { Operation, Principal } from '@groupware/contracts';
import type { CallBody } from './call-body';

/** Origin of a key: a process for one call, the client, or a service that was called with a client's key. */
export type KeyOrigin = 'call' | 'client' | 'nested';

const ORIGINS: ReadonlySet<string> = new Set<KeyOrigin>(['call', 'client', 'nested']);
/** A key that a process chose is sent again until the deadline of its call; clocks may differ, and a commit may take long. */
const MARGIN_MS = 15 * 60_000;

/** Whether calls of an operation take a key: they are done once for it, however often they are sent. */
export const takesKey = ({ repeatable, idempotency }: Operation): boolean =>
  !repeatable && (idempotency === undefined || idempotency === 'effect');

/** Whether calls of an operation are begun once for the key that the client chose: their effect is not in the database. */
export const takesClaim = ({ repeatable, idempotency }: Operation): boolean => !repeatable && idempotency === 'claimed';

/** Digests texts to the form of a UUID. */
function digestId(...texts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** Keys of different callers are different ones, whatever they send. */
function ownerOf(principal: Principal): string {
  switch (principal.kind) {
    case 'user':
      return `user ${principal.contextId} ${principal.userId}`;
    case 'internal':
      return `internal ${principal.service} ${principal.contextId}`;
    case 'anonymous':
      return principal.kind;
    default:
      return `${principal.kind} ${principal.contextId ?? ''} ${principal.login}`;
  }
}

/** Digest of what is asked for. Secrets stay out of it: they could be guessed; so do places of files, which differ each time. */
function digestOf({ subject }: Operation, { query, body, files = [] }: CallBody): Buffer {
  const contents = files.map(({ name, sizeBytes, sha256 }) => [name, sizeBytes, sha256]);
  const withoutSecrets = (name: string, value: unknown) => (/password|secret/i.test(name) ? undefined : value);
  return createHash('sha256')
    .update(JSON.stringify([subject, query, body, contents], withoutSecrets))
    .digest();
}

/** The idempotency key of a call being answered. */
export class CallKey {
  /** Digest of the request; only where the client chose the key. */
  readonly request?: Buffer;
  /** When notes about the call may go, ms UTC. */
  readonly expiresAt: number;
  isEnded = false;
  private readonly steps = new Set<number>();
  private readonly calls = new Map<string, Set<number>>();

  constructor(
    readonly id: string,
    readonly origin: KeyOrigin,
    /** The call may have been done before. */
    readonly isRepeat: boolean,
    private readonly call: {
      readonly operation: Operation;
      readonly body: CallBody;
      readonly deadline: number;
      readonly lifetimeMs: number;
    },
  ) {
    if (origin === 'client') this.request = digestOf(call.operation, call.body);
    this.expiresAt = origin === 'call' ? call.deadline + MARGIN_MS : Date.now() + call.lifetimeMs;
  }

  /** The same key for one more run of the handler, which counts its transactions and calls anew. */
  renew(): CallKey {
    return new CallKey(this.id, this.origin, this.isRepeat, this.call);
  }

  /** Reserves the smallest free number for a transaction. */
  takeStep(): number {
    return takeNumber(this.steps);
  }

  /** Gives it back: the transaction was rolled back, and the next one stands in its place. */
  releaseStep(step: number): void {
    this.steps.delete(step);
  }

  /** Ends the key with its call: later work of the handler is no part of it. */
  endCall(): void {
    this.isEnded = true;
  }

  /** Transactions done so far. */
  get stepsDone(): number {
    return this.steps.size;
  }

  /**
   * Header of a call to another service, the same each time this one is answered. A call that failed gives its number back: the
   * next one stands in its place.
   */
  takeCall(subject: string): { readonly header: string; readonly release: () => void } {
    let numbers = this.calls.get(subject);
    if (!numbers) this.calls.set(subject, (numbers = new Set()));
    const number = takeNumber(numbers);
    const id = digestId(this.id, subject, String(number));
    return {
      header: headerOf(id, this.origin === 'call' ? 'call' : 'nested'),
      release: () => void numbers.delete(number),
    };
  }
}

function takeNumber(taken: Set<number>): number {
  let number = 1;
  while (taken.has(number)) number += 1;
  taken.add(number);
  return number;
}

const headerOf = (id: string, origin: KeyOrigin): string => `${id} ${origin}`;

/** Header of a call whose key the client chose. */
export const clientKeyHeader = (principal: Principal, key: string): string =>
  headerOf(digestId(ownerOf(principal), key), 'client');

/** Header of a call with a fresh key. */
export const freshKeyHeader = (): string => headerOf(randomUUID(), 'call');

/** The parts of such a header; undefined for one that a newer process may understand. */
export function parseKeyHeader(header: string): { id: string; origin: KeyOrigin } | undefined {
  const [id = '', origin = ''] = header.split(' ');
  return /^[0-9a-f-]{36}$/.test(id) && ORIGINS.has(origin) ? { id, origin: origin as KeyOrigin } : undefined;
}
