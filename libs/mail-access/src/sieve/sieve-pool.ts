import { createHash } from 'node:crypto';
import type { HeldConnection, MailConnector, MailUse } from '../mail-connector';
import { MailFailure } from '../mail-failure';
import type { MailCredentials, MailServer } from '../mail-server';
import type { SieveUse } from './sieve-attempt';
import { findSieveRefusal } from './sieve-refusal';
import type { SieveSession } from './sieve-session';

/** A server of rules to log in to. */
export interface SieveLogin {
  readonly server: MailServer;
  readonly credentials: MailCredentials;
  readonly use: MailUse;
  readonly limits: SieveUse;
}

interface IdleSession {
  readonly place: string;
  readonly held: HeldConnection<SieveSession>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Keeps connections to servers of rules for a while, one per user, each for one caller at a time. A session belongs to the account,
 * the server and the credentials it was opened with: others never get it.
 */
export class SievePool {
  /** By the identity of their log-in, those that are idle for longest first. */
  private readonly idle = new Map<string, IdleSession>();
  private isClosed = false;

  constructor(
    private readonly connector: MailConnector,
    /** How long an unused connection is kept, ms; 0: not at all. */
    private readonly idleMs: number,
  ) {}

  /**
   * Lets `work` use a session. Where a kept one turns out to have ended, and nothing was changed with it, the work is begun again with
   * another one.
   * @throws MailFailure, SieveRefusal, and what the work throws by itself
   */
  async use<T>(login: SieveLogin, work: (session: SieveSession) => Promise<T>): Promise<T> {
    const key = keyOf(login);
    const place = placeOf(login);
    const kept = this.takeIdle(key);
    if (kept) {
      try {
        return await this.workWith(key, place, kept, work);
      } catch (error) {
        if (!hasEnded(error) || kept.connection.hasChanged) throw error;
      }
    }
    const { server, credentials, use, limits } = login;
    const onFull = () => this.closeLongestIdle(place);
    const held = await this.connector.openSieve(server, credentials, { ...use, onFull }, limits);
    return this.workWith(key, place, held, work);
  }

  /** Closes all sessions, those in use when they are given back. */
  close(): void {
    this.isClosed = true;
    for (const key of [...this.idle.keys()]) this.endIdle(key);
  }

  private async workWith<T>(
    key: string,
    place: string,
    held: HeldConnection<SieveSession>,
    work: (session: SieveSession) => Promise<T>,
  ): Promise<T> {
    try {
      held.connection.hasChanged = false;
      return await work(held.connection);
    } finally {
      this.release(key, place, held);
    }
  }

  private takeIdle(key: string): HeldConnection<SieveSession> | undefined {
    const found = this.idle.get(key);
    if (!found) return undefined;
    if (!found.held.connection.isUsable) {
      this.endIdle(key);
      return undefined;
    }
    this.idle.delete(key);
    clearTimeout(found.timer);
    return found.held;
  }

  private release(key: string, place: string, held: HeldConnection<SieveSession>): void {
    if (this.isClosed || this.idleMs === 0 || !held.connection.isUsable || this.idle.has(key)) return held.close();
    const timer = setTimeout(() => this.endIdle(key), this.idleMs).unref();
    this.idle.set(key, { place, held, timer });
  }

  /** Makes room for a session that is needed: one that is not in use is worth less. */
  private closeLongestIdle(place: string): void {
    for (const [key, each] of this.idle) if (each.place === place) return this.endIdle(key);
  }

  private endIdle(key: string): void {
    const found = this.idle.get(key);
    this.idle.delete(key);
    clearTimeout(found?.timer);
    found?.held.close();
  }
}

/** True for the failure of a connection that is gone. */
const hasEnded = (error: unknown): boolean =>
  (error instanceof MailFailure && error.kind === 'broken') || findSieveRefusal(error)?.isFarewell === true;

const placeOf = ({ server }: SieveLogin): string => `${server.host}:${server.port}`;

/** Identity of a session: account, server, credentials and limits; another value of any of them opens another session. */
const keyOf = ({ server, credentials, use, limits }: SieveLogin): string =>
  `${use.account}\n${createHash('sha256')
    .update(JSON.stringify([server, credentials, limits]))
    .digest('base64')}`;
