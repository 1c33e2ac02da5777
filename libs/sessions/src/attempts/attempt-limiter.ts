import { createHash } from 'node:crypto';
import { RequestErrors, type CatalogueError } from '@groupware/contracts';
import { isCallRepeatable } from '@groupware/service-kit';
import type { Redis } from 'ioredis';
import type { CounterRule, RefusedAttempt } from './attempt-counters';
import { LocalAttemptCounters } from './local-attempt-counters';
import { RedisAttemptCounters } from './redis-attempt-counters';

/**
 * Limit of failed attempts per key and window. Functions are evaluated each time, so changed settings apply at once.
 */
export interface AttemptLimit<Name extends string = string> {
  readonly points: number | (() => number);
  readonly windowMs: number | (() => number);
  /** True for a limit that never refuses by itself, but activates others while it is reached. */
  readonly gauge?: boolean;
  /** The limit that must be reached for this one to hold. */
  readonly whileFull?: Name;
}

/** Options of a limiter. */
export interface AttemptLimiterOptions<Name extends string> {
  /** Distinguishes limiters on one store; part of the key. */
  readonly name: string;
  /** The limits; where several are reached the first decides. */
  readonly limits: Readonly<Record<Name, AttemptLimit<NoInfer<Name>>>>;
}

/** Why an attempt was refused. */
export interface Refusal<Name extends string> {
  readonly limit: Name;
  /** At least 1. */
  readonly waitSeconds: number;
}

/** Outcome of an attempt. */
export interface AttemptOutcome<T> {
  /** Result of the check; undefined for a wrong secret. */
  readonly found: T | undefined;
  /** Attempts that may still fail before the next is refused. */
  readonly remaining: number;
}

/** An attempt that counts, with what ends it: `refund` takes it back. */
interface CountedAttempt {
  readonly kind: 'counted';
  readonly remaining: number;
  readonly settle: (refund: boolean) => Promise<void>;
}

/** Longest wait for the outcome of attempts that are under way, ms. */
const MAX_WAIT_MS = 5_000;
/** Polling interval of waiting attempts, ms: other processes do not signal their end. */
const LOOK_MS = 250;
/** Attempts per process that wait for the outcome of others; more are refused. */
const MAX_WAITING = 1_000;
/** Retry-After when only pending attempts fill the limit, seconds. */
const BUSY_SECONDS = 1;

/** The error of a door that has none of its own: SVL-0019 with Retry-After. */
export const tooManyRequests = ({ waitSeconds }: { readonly waitSeconds: number }): CatalogueError =>
  RequestErrors.tooManyRequests(waitSeconds).with({ headers: { 'Retry-After': String(waitSeconds) } });

const resolveValue = (setting: number | (() => number)): number =>
  typeof setting === 'function' ? setting() : setting;

/**
 * Limits attempts at secrets. An attempt counts on all of its keys in one step before its secret is looked at, and a right
 * one is taken back: however many come at once, no more secrets are compared than may be wrong. Attempts that only those
 * under way stand against wait for their outcome, so that many right ones at once are not refused.
 *
 * While the store is away each process counts for itself, from what it let through before.
 */
export class AttemptLimiter<Name extends string> {
  private readonly shared: RedisAttemptCounters;
  private readonly local: LocalAttemptCounters;
  private readonly waiting = new Map<string, Set<() => void>>();
  private waitingCount = 0;

  constructor(
    redis: Redis,
    private readonly options: AttemptLimiterOptions<Name> & { readonly prefix: string },
    private readonly now: () => number = Date.now,
  ) {
    this.shared = new RedisAttemptCounters(redis);
    this.local = new LocalAttemptCounters(now);
  }

  /**
   * Checks a secret, when none of the keys had too many attempts.
   * @param keys what the attempt counts for; limits without a key, and those that depend on them, do not hold
   * @param check compares the secret: undefined means that it is wrong and counts. An error is no outcome, such as a
   * database that is away: it is not counted, so nothing may throw that depends on the secret.
   * @param refuse makes the error of a refusal
   * @throws Error in a call that the bus may send again by itself: one attempt would count as two
   */
  async attempt<T>(
    keys: Readonly<Partial<Record<Name, string>>>,
    check: () => Promise<T | undefined> | T | undefined,
    refuse: (refusal: Refusal<Name>) => Error = tooManyRequests,
  ): Promise<AttemptOutcome<T>> {
    if (isCallRepeatable()) throw new Error('an operation that counts attempts is not repeatable');
    const names = (Object.keys(this.options.limits) as Name[]).filter((name) => {
      const { whileFull = name } = this.options.limits[name];
      return keys[name] !== undefined && keys[whileFull] !== undefined;
    });
    const rules = this.toRules(names, keys);
    const { remaining, settle } = await this.beginAttempt(rules, names, refuse);
    let refund = true;
    try {
      const found = await check();
      refund = found !== undefined;
      return { found, remaining: Math.max(0, remaining) };
    } finally {
      await settle(refund);
      this.wakeNext(rules);
    }
  }

  private async beginAttempt(
    rules: readonly CounterRule[],
    names: readonly Name[],
    refuse: (refusal: Refusal<Name>) => Error,
  ): Promise<CountedAttempt> {
    const giveUpAt = this.now() + MAX_WAIT_MS;
    for (;;) {
      const outcome = await this.count(rules);
      if (outcome.kind === 'counted') return outcome;
      const isBusy = outcome.kind === 'busy';
      if (!isBusy || this.now() >= giveUpAt || this.waitingCount >= MAX_WAITING)
        throw refuse({
          limit: names[outcome.at]!,
          waitSeconds: isBusy ? BUSY_SECONDS : Math.max(1, Math.ceil(outcome.waitMs / 1000)),
        });
      await this.waitForSlot(rules[outcome.at]!.key);
    }
  }

  private async count(rules: readonly CounterRule[]): Promise<CountedAttempt | RefusedAttempt> {
    const shared = await this.shared.beginAttempt(rules).catch(() => undefined);
    if (!shared) {
      const outcome = await this.local.beginAttempt(rules);
      return outcome.kind === 'begun' ? this.toCounted(rules, outcome.remaining, undefined, outcome.windows) : outcome;
    }
    if (shared.kind !== 'begun') return shared;
    return this.toCounted(rules, shared.remaining, shared.windows, this.local.mirrorAttempt(rules));
  }

  private toCounted(
    rules: readonly CounterRule[],
    remaining: number,
    shared: readonly string[] | undefined,
    local: readonly string[],
  ): CountedAttempt {
    const settle = async (refund: boolean): Promise<void> => {
      await this.local.settleAttempt(rules, local, refund);
      // A count that stays only because the store went away ends with its window.
      if (shared) await this.shared.settleAttempt(rules, shared, refund).catch(() => undefined);
    };
    return { kind: 'counted', remaining, settle };
  }

  /** Waits until an attempt of this process on the key ends, or for a short time. */
  private async waitForSlot(key: string): Promise<void> {
    const waiting = this.waiting.get(key) ?? new Set();
    this.waiting.set(key, waiting);
    this.waitingCount++;
    let wake!: () => void;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      wake = resolve;
      waiting.add(wake);
      timer = setTimeout(resolve, LOOK_MS);
    });
    clearTimeout(timer);
    waiting.delete(wake);
    if (waiting.size === 0 && this.waiting.get(key) === waiting) this.waiting.delete(key);
    this.waitingCount--;
  }

  /** An ended attempt has made room for one other at most. */
  private wakeNext(rules: readonly CounterRule[]): void {
    for (const { key } of rules) {
      const waiting = this.waiting.get(key);
      const [first] = waiting ?? [];
      if (first) {
        waiting!.delete(first);
        first();
      }
    }
  }

  private toRules(names: readonly Name[], keys: Readonly<Partial<Record<Name, string>>>): CounterRule[] {
    return names.map((name) => {
      const { points, windowMs, gauge = false, whileFull } = this.options.limits[name];
      return {
        key: this.toKey(name, keys[name]!),
        points: resolveValue(points),
        windowMs: resolveValue(windowMs),
        gauge,
        ...(whileFull === undefined ? {} : { whileFull: names.indexOf(whileFull) }),
      };
    });
  }

  /** Keys hold login names and addresses; hashing bounds their length and keeps them out of the store. */
  private toKey(limit: Name, key: string): string {
    const digest = createHash('sha256').update(key).digest('base64url').slice(0, 27);
    return `${this.options.prefix}:attempts:${this.options.name}:${limit}:${digest}`;
  }
}
