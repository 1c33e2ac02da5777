import { createHash } from 'node:crypto';
import { OutboundFailure } from '@groupware/outbound';
import { LRUCache } from 'lru-cache';
import { findRefusal } from './imap-refusal';
import { ImapSession } from './imap-session';
import { SilenceWatch } from './silence-watch';
import { pause } from '../pause';
import { MailFailure, mailFailureOf, type MailFailureKind } from '../mail-failure';
import type { HeldConnection, MailConnector, MailUse } from '../mail-connector';
import type { ImapConnection } from '../imap-attempt';
import type { ImapPoolSettings } from './imap-pool-settings';
import type { MailCredentials, MailServer } from '../mail-server';

/** So many logins that failed are remembered. */
const MOST_FAILED = 10_000;

/** A mailbox to log in to. */
export interface ImapLogin {
  readonly server: MailServer;
  readonly credentials: MailCredentials;
  readonly use: MailUse;
}

/** How a session is used. */
export interface SessionUse {
  /** Mailbox that will be selected: a session that has it already is preferred. */
  readonly mailbox?: string;
  /**
   * True when the work may be done twice: then a broken connection is replaced once, and one that could not be opened is opened
   * again. Never for APPEND and the like.
   */
  readonly repeatable: boolean;
  /** Ends the work: its connection is closed. */
  readonly signal: AbortSignal;
}

interface PooledSession {
  /** Host and port. */
  readonly place: string;
  readonly session: ImapSession;
  readonly held: HeldConnection<ImapConnection>;
  /** When it was opened, on the clock of `performance.now`. */
  readonly openedAt: number;
  timer?: NodeJS.Timeout;
  /** When it was given back, on the clock of `performance.now`. */
  idleSince?: number;
}

interface AccountSessions {
  idle: PooledSession[];
  /** Open or opening. */
  open: number;
  readonly waiting: ((session: PooledSession | undefined) => void)[];
}

/**
 * Keeps connections to mailboxes for a while, a few per user and account, each for one caller at a time. A session belongs to
 * the account, the server and the credentials it was opened with: others never get it.
 */
export class ImapPool {
  private readonly accounts = new Map<string, AccountSessions>();
  /** Failures of a short time ago: of logins that servers refused, and of servers that could not be reached. */
  private readonly failed = new LRUCache<string, MailFailure>({ max: MOST_FAILED });
  private closed = false;

  constructor(
    private readonly connector: MailConnector,
    private readonly settings: ImapPoolSettings,
  ) {}

  /** Lets `work` use a session. @throws MailFailure, ImapRefusal, and what the work throws by itself */
  async use<T>(login: ImapLogin, options: SessionUse, work: (session: ImapSession) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const pooled = await this.acquireRepeatedly(login, options);
      const { client } = pooled.session;
      const abort = () => client.close();
      options.signal.addEventListener('abort', abort, { once: true });
      const watch = new SilenceWatch(client, this.settings.silenceMs);
      try {
        return await work(pooled.session);
      } catch (error) {
        const refusal = findRefusal(error);
        if (refusal) throw refusal;
        // Errors of the work itself leave the connection as it was.
        if (client.usable && !isConnectionError(error)) throw error;
        client.close();
        if (options.signal.aborted) throw new MailFailure('timeout', '', error);
        if (!options.repeatable || attempt > 1) throw mailFailureOf(error);
      } finally {
        watch.stopWatching();
        options.signal.removeEventListener('abort', abort);
        // The others are of the same time: each would be asked in vain for a sign of life.
        if (watch.isSilent) this.closeIdleOf(keyOf(login));
        this.release(login, pooled);
      }
    }
  }

  /** Closes the idle sessions of a user. @param owner begin of the names of the user's accounts */
  closeIdle(owner: string): void {
    for (const key of this.accounts.keys()) if (key.startsWith(`${owner}:`)) this.closeIdleOf(key);
  }

  /** Closes all sessions, those in use when they are given back. */
  close(): void {
    this.closed = true;
    for (const account of this.accounts.values())
      for (const pooled of account.idle.splice(0)) this.drop(account, pooled);
    this.accounts.clear();
  }

  /** Number of open connections of all accounts. */
  get size(): number {
    return [...this.accounts.values()].reduce((sum, { open }) => sum + open, 0);
  }

  /** For what may be repeated, a connection that could not be opened is opened again: servers drop some while many end. */
  private async acquireRepeatedly(login: ImapLogin, options: SessionUse): Promise<PooledSession> {
    const { repeatable, signal } = options;
    const { reopenings, reopenAfterMs } = this.settings;
    for (let left = repeatable ? reopenings : 0, pauseMs = reopenAfterMs; ; left -= 1, pauseMs *= 2)
      try {
        return await this.acquire(login, options);
      } catch (error) {
        if (left > 0 && !signal.aborted && isHungUp(error)) {
          await pause(pauseMs, { signal });
          continue;
        }
        // A connection that was not tried again may have failed by chance; one that its caller ended says nothing.
        if (repeatable && !signal.aborted && isUnreachable(error)) this.remember(keyOf(login), error);
        throw error;
      }
  }

  private closeIdleOf(key: string): void {
    const account = this.accounts.get(key);
    for (const pooled of account?.idle.splice(0) ?? []) this.endIdle(key, account!, pooled);
  }

  private async acquire(login: ImapLogin, { mailbox, signal }: SessionUse): Promise<PooledSession> {
    if (signal.aborted) throw new MailFailure('timeout');
    const key = keyOf(login);
    const failure = this.failed.get(key);
    // A server with which sessions are open is there.
    if (failure && !(failure.kind === 'unreachable' && this.accounts.has(key)))
      throw new MailFailure(failure.kind, failure.detail);
    const account = this.accounts.get(key) ?? { idle: [], open: 0, waiting: [] };
    this.accounts.set(key, account);
    for (;;) {
      const at = account.idle.findIndex(({ session }) => session.selected === mailbox);
      const [pooled] = account.idle.splice(at < 0 ? account.idle.length - 1 : at, 1);
      if (!pooled) break;
      clearTimeout(pooled.timer);
      if (await this.isAlive(pooled, signal)) return pooled;
      pooled.held.close();
      this.forgetPlace(key, account);
      if (signal.aborted) throw new MailFailure('timeout');
      // The place of the account may be gone with its last session.
      if (this.accounts.get(key) !== account) return this.acquire(login, { mailbox, signal, repeatable: false });
    }
    if (account.open >= this.settings.perAccount) {
      const pooled = await this.waitForSession(account, signal);
      if (pooled) return pooled;
      return this.acquire(login, { mailbox, signal, repeatable: false });
    }
    account.open += 1;
    try {
      const place = placeOf(login);
      const onFull = () => this.closeLongestIdle(place);
      const held = await this.connector.openImap(login.server, login.credentials, { ...login.use, signal, onFull });
      const session = new ImapSession(held.connection.client, new Set(this.settings.ignoredCapabilities));
      return { place, session, held, openedAt: performance.now() };
    } catch (error) {
      this.forgetPlace(key, account);
      if (isOfKind(error, 'credentials')) this.remember(key, error);
      throw error;
    }
  }

  /** Notes a failure. One that is known already ends when it would have: it was not tried since. */
  private remember(key: string, failure: MailFailure): void {
    const ttl = this.settings.refusalMs;
    if (ttl > 0 && !this.failed.has(key)) this.failed.set(key, failure, { ttl });
  }

  /** Makes room for a session that is needed: one that is not in use is worth less. */
  private closeLongestIdle(place: string): void {
    let found: { key: string; account: AccountSessions; pooled: PooledSession } | undefined;
    for (const [key, account] of this.accounts)
      for (const pooled of account.idle)
        if (pooled.place === place && (pooled.idleSince ?? 0) < (found?.pooled.idleSince ?? Infinity))
          found = { key, account, pooled };
    if (!found) return;
    const { key, account, pooled } = found;
    account.idle = account.idle.filter((each) => each !== pooled);
    this.endIdle(key, account, pooled);
  }

  /** Closes a session that is no longer among those that wait for use. */
  private endIdle(key: string, account: AccountSessions, pooled: PooledSession): void {
    clearTimeout(pooled.timer);
    pooled.held.close();
    this.forgetPlace(key, account);
  }

  /** Whether an idle session can be used: the other end, or what stands between, may have forgotten it without a word. */
  private async isAlive({ session, idleSince = 0 }: PooledSession, signal: AbortSignal): Promise<boolean> {
    const { client } = session;
    if (!client.usable) return false;
    if (performance.now() - idleSince < this.settings.checkAfterMs) return true;
    const timer = setTimeout(() => client.close(), this.settings.checkMs);
    const abort = () => client.close();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await client.noop();
    } catch {
      client.close();
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
    return client.usable;
  }

  /** Waits until another caller gives a session back; undefined when a place became free instead. */
  private waitForSession(account: AccountSessions, signal: AbortSignal): Promise<PooledSession | undefined> {
    return new Promise((resolve, reject) => {
      const give = (pooled: PooledSession | undefined) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        resolve(pooled);
      };
      const leave = (error: MailFailure) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        account.waiting.splice(account.waiting.indexOf(give), 1);
        reject(error);
      };
      const abort = () => leave(new MailFailure('timeout'));
      const timer = setTimeout(() => leave(new MailFailure('busy')), this.settings.waitMs);
      signal.addEventListener('abort', abort, { once: true });
      account.waiting.push(give);
    });
  }

  private release(login: ImapLogin, pooled: PooledSession): void {
    const key = keyOf(login);
    const account = this.accounts.get(key);
    const isOld = performance.now() - pooled.openedAt > this.settings.lifeMs;
    if (!account || this.closed || isOld || !pooled.session.client.usable) {
      pooled.held.close();
      if (account) this.forgetPlace(key, account);
      return;
    }
    const next = account.waiting.shift();
    if (next) return next(pooled);
    pooled.idleSince = performance.now();
    pooled.timer = setTimeout(() => {
      account.idle = account.idle.filter((each) => each !== pooled);
      this.endIdle(key, account, pooled);
    }, this.settings.idleMs).unref();
    account.idle.push(pooled);
  }

  private drop(account: AccountSessions, pooled: PooledSession): void {
    clearTimeout(pooled.timer);
    pooled.held.close();
    account.open -= 1;
  }

  private forgetPlace(key: string, account: AccountSessions): void {
    account.open -= 1;
    account.waiting.shift()?.(undefined);
    if (account.open === 0 && account.waiting.length === 0) this.accounts.delete(key);
  }
}

const isOfKind = (error: unknown, kind: MailFailureKind): error is MailFailure =>
  error instanceof MailFailure && error.kind === kind;

/** True where no server was reached; one that hung up is there. */
function isUnreachable(error: unknown): error is MailFailure {
  if (!isOfKind(error, 'unreachable') || !(error.cause instanceof OutboundFailure)) return false;
  const { reason, cause } = error.cause;
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return reason !== 'protocol' && !/^(ECONNRESET|ECONNABORTED|EPIPE)$/.test(String(code));
}

/** True for a connection that ended while it was opened; not for a server that took too long, is left alone or may not be used. */
const isHungUp = (error: unknown): boolean =>
  error instanceof MailFailure &&
  error.cause instanceof OutboundFailure &&
  !(error.cause.cause instanceof MailFailure) &&
  (error.cause.reason === 'unreachable' || error.cause.reason === 'protocol');

/** Errors of the library that say that the connection is gone. */
const isConnectionError = (error: unknown): boolean =>
  /^(NoConnection|EConnectionClosed|StateLogout|ECONN|EPIPE|ETIMEOUT|ETIMEDOUT)/.test(
    String((error as { code?: unknown } | null)?.code ?? ''),
  );

const placeOf = ({ server }: ImapLogin): string => `${server.host}:${server.port}`;

/** Identity of a session: account, server and credentials; another value of any of them opens another session. */
function keyOf({ server, credentials, use }: ImapLogin): string {
  const secret = createHash('sha256')
    .update(JSON.stringify([server, credentials]))
    .digest('base64');
  return `${use.account}\n${secret}`;
}
