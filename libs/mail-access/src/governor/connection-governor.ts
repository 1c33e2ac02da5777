import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { MailFailure } from '../mail-failure';
import { pause } from '../pause';
import { defineGovernorScripts, type GovernorCommands } from './governor-scripts';
import { GovernorSettings } from './governor-settings';

/** Request for a connection. */
export interface ConnectionWish {
  /** Host and port: what budgets are for. */
  readonly host: string;
  /** Protocol and protection, such as `imap/tls`: pauses are for these, so that wrong settings of one user stop no others. */
  readonly manner: string;
  /** Unique name of the account, such as `7:3:1`. */
  readonly account: string;
  /** `user`: a user waits for the answer; `background`: only when none does. */
  readonly priority: 'user' | 'background';
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /** Told, again and again, that it waits since the host has all connections that it may have. */
  readonly onFull?: () => void;
}

/** The right to one connection; release it when the connection is closed. */
export interface ConnectionLease {
  /** Tells how the attempt went; a row of failures makes all processes leave the host alone for a while. */
  report(outcome: 'ok' | 'failed'): Promise<void>;
  release(): Promise<void>;
}

/** Hooks for events of the governor. */
export interface GovernorHooks {
  /** A host is left alone for some time, ms. */
  readonly onPause?: (host: string, pauseMs: number) => void;
  /** The store did not answer. */
  readonly onStoreDown?: (error: unknown) => void;
  /** ms UTC. */
  readonly now?: () => number;
}

/** A waiting user that gave no sign of life for so long is forgotten, ms. */
const WAITING_MS = 2_000;
/** After a pause one connection probes the host; others follow when it worked, or after this time, ms. */
const PROBE_MS = 15_000;
/** Answer for a lease at a host that failed lately. */
const HAS_FAILED = 1;
/** A connection to the store that is being made anew is waited for so long, ms. */
const RECONNECT_MS = 500;
/** Connections per host and process while the store is away: few, because other processes count for themselves, too. */
const LOCAL_PER_HOST = 10;

/**
 * Shares out connections to mail servers between all processes: a budget per account and per host, users before background
 * work and among each other in the order they came, and pauses for servers that fail. While the store is away each process
 * keeps to a small budget of its own.
 */
export class ConnectionGovernor {
  private readonly redis: Redis & GovernorCommands;
  private readonly local = new Map<string, number>();
  private readonly held = new Set<ConnectionLease>();
  /** Ends when the connection to the store is back, or is not waited for any more. */
  private reconnection: Promise<boolean> | undefined;
  private readonly now: () => number;

  constructor(
    redis: Redis,
    private readonly prefix: string,
    private readonly settings: GovernorSettings = new GovernorSettings(),
    private readonly hooks: GovernorHooks = {},
  ) {
    this.redis = defineGovernorScripts(redis);
    this.now = hooks.now ?? Date.now;
  }

  /**
   * Waits for the right to connect.
   * @throws MailFailure `busy` when there is none in time, `unreachable` for a host that is left alone at the moment
   */
  async acquire(wish: ConnectionWish): Promise<ConnectionLease> {
    const id = randomUUID();
    const end = this.now() + (wish.priority === 'user' ? this.settings.waitMs : 0);
    for (;;) {
      let wait: number;
      try {
        wait = await this.tryAcquire(wish, id);
      } catch (error) {
        this.hooks.onStoreDown?.(error);
        return this.localLease(wish);
      }
      if (wait === 0 || wait === HAS_FAILED) return this.lease(wish, id, wait === HAS_FAILED);
      if (wait < 0) throw new MailFailure('unreachable', String(Math.ceil(-wait / 1000)));
      if (this.now() + wait >= end || wish.signal?.aborted) {
        await this.forget(wish, id);
        throw new MailFailure('busy');
      }
      if (wish.onFull && (await this.isFull(wish.host))) wish.onFull();
      // Half of the pause is random, so that those who wait do not come back together.
      await pause(wait / 2 + Math.random() * wait, { signal: wish.signal });
    }
  }

  /** Gives back all leases that are held here, before the store is left: others would count them until they end by themselves. */
  async releaseAll(): Promise<void> {
    await Promise.all([...this.held].map((lease) => lease.release()));
  }

  /** Open connections to a host by the books. */
  async countOf(host: string): Promise<number> {
    return this.redis.zcount(this.key(host, 'active'), this.now(), '+inf');
  }

  private async isFull(host: string): Promise<boolean> {
    const count = await this.countOf(host).catch(() => 0);
    return count >= this.settings.perHost;
  }

  private tryAcquire(wish: ConnectionWish, id: string): Promise<number> {
    const { perHost, perAccount, backgroundPercent, connectsPerSecond, leaseMs } = this.settings;
    return this.ask(() =>
      this.redis.mailAcquire(
        ...this.keys(wish),
        this.breakerOf(wish),
        this.key(wish.host, 'next'),
        this.now(),
        id,
        leaseMs,
        perHost,
        perAccount,
        wish.priority === 'background' ? 1 : 0,
        backgroundPercent,
        1000 / connectsPerSecond,
        WAITING_MS,
        PROBE_MS,
      ),
    );
  }

  /** Asks the store, and once more where its connection broke and comes back within a moment. */
  private async ask(question: () => Promise<number>): Promise<number> {
    try {
      return await question();
    } catch (error) {
      if (this.isConnected || !(await this.comesBack())) throw error;
      return question();
    }
  }

  /** Whether commands reach the store; a stream that broke is no connection, although the client has not heard of it yet. */
  private get isConnected(): boolean {
    const { status, stream } = this.redis as { status: string; stream?: { writable: boolean } };
    return status === 'ready' && stream?.writable !== false;
  }

  /** Whether the connection comes back; all who ask meanwhile wait together. */
  private comesBack(): Promise<boolean> {
    this.reconnection ??= once(this.redis, 'ready', { signal: AbortSignal.timeout(RECONNECT_MS) })
      .then(
        () => true,
        () => false,
      )
      .finally(() => (this.reconnection = undefined));
    return this.reconnection;
  }

  private lease(wish: ConnectionWish, id: string, hasFailed: boolean): ConnectionLease {
    const { leaseMs } = this.settings;
    const keys = this.keys(wish);
    const renew = () =>
      void this.ask(() => this.redis.mailRenew(keys[0]!, keys[1]!, this.now(), id, leaseMs)).catch((error) =>
        this.hooks.onStoreDown?.(error),
      );
    const timer = setInterval(renew, leaseMs / 3).unref();
    const lease: ConnectionLease = {
      // A host that worked before and works now is no news.
      report: (outcome) => (outcome === 'ok' && !hasFailed ? Promise.resolve() : this.report(wish, outcome)),
      release: async () => {
        clearInterval(timer);
        if (this.held.delete(lease)) await this.forget(wish, id);
      },
    };
    this.held.add(lease);
    return lease;
  }

  private async report(wish: ConnectionWish, outcome: 'ok' | 'failed'): Promise<void> {
    const { breakerFailures, breakerPauseMs, breakerMaxPauseMs } = this.settings;
    try {
      const pauseMs = await this.ask(() =>
        this.redis.mailReport(
          this.breakerOf(wish),
          this.now(),
          outcome === 'failed' ? 1 : 0,
          breakerFailures,
          breakerPauseMs,
          breakerMaxPauseMs,
          Math.random(),
        ),
      );
      if (pauseMs > 0) this.hooks.onPause?.(`${wish.manner} ${wish.host}`, pauseMs);
    } catch (error) {
      this.hooks.onStoreDown?.(error);
    }
  }

  private async forget(wish: ConnectionWish, id: string): Promise<void> {
    // A lease that cannot be given back ends by itself.
    const question = () => this.redis.mailRelease(...this.keys(wish), id);
    await this.ask(question).catch((error) => this.hooks.onStoreDown?.(error));
  }

  private localLease({ host }: ConnectionWish): ConnectionLease {
    const used = this.local.get(host) ?? 0;
    if (used >= Math.min(LOCAL_PER_HOST, this.settings.perHost)) throw new MailFailure('busy');
    this.local.set(host, used + 1);
    let released = false;
    return {
      report: async () => undefined,
      release: async () => {
        if (released) return;
        released = true;
        const left = (this.local.get(host) ?? 1) - 1;
        if (left > 0) this.local.set(host, left);
        else this.local.delete(host);
      },
    };
  }

  private keys({ host, account }: ConnectionWish): string[] {
    return [
      this.key(host, 'active'),
      this.key(host, `account:${account}`),
      this.key(host, 'waiting'),
      this.key(host, 'alive'),
    ];
  }

  private breakerOf({ host, manner }: ConnectionWish): string {
    return this.key(host, `breaker:${manner}`);
  }

  private key(host: string, what: string): string {
    return `${this.prefix}:mail:{${host}}:${what}`;
  }
}
