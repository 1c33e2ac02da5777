import { SESSIONS_CLOSED, type SessionsClosed, type UserPrincipal } from '@groupware/contracts';
import { ImapPool } from '@groupware/mail-access';
import { EventBus } from '@groupware/messaging';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** Most sessions that are remembered; connections of others end by themselves. */
const MAX_SESSIONS = 50_000;

/** The user as the names of accounts begin. */
export const toOwner = ({ contextId, userId }: Pick<UserPrincipal, 'contextId' | 'userId'>): string =>
  `${contextId}:${userId}`;

/** Closes idle connections to mailboxes of users who log out: what they logged in with may be out of date. */
@Injectable()
export class EndedSessions {
  private readonly owners = new LRUCache<string, string>({ max: MAX_SESSIONS });
  private stopListening?: () => void;

  constructor(
    private readonly events: EventBus,
    private readonly pool: ImapPool,
  ) {}

  /** Begins; runs until {@link stop}. */
  start(): void {
    this.stopListening = this.events.onBroadcast<SessionsClosed>(SESSIONS_CLOSED, ({ sessionIds }) => {
      for (const id of sessionIds) this.endSession(id);
    });
  }

  stop(): void {
    this.stopListening?.();
  }

  /** Remembers whose session uses a mailbox. */
  noteUse(user: UserPrincipal): void {
    this.owners.set(user.sessionId, toOwner(user));
  }

  private endSession(id: string): void {
    const owner = this.owners.get(id);
    if (owner === undefined) return;
    this.owners.delete(id);
    this.pool.closeIdle(owner);
  }
}
