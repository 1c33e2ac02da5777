import { Injectable } from '@nestjs/common';
import { SESSIONS_CLOSED, type SessionsClosed } from '@groupware/contracts';
import { EventBus } from '@groupware/messaging';
import { Logger } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';

/** Session ids per broadcast, within the message size limit. */
const IDS_PER_MESSAGE = 1000;

/** Closes sessions and broadcasts their end. Ids are secrets: logs hold their count only. */
@Injectable()
export class SessionCloser {
  private readonly log = Logger.for('identity.sessions');

  constructor(
    private readonly sessions: SessionStore,
    private readonly events: EventBus,
  ) {}

  /** Ends sessions by id; answers those that were live. */
  async closeByIds(ids: readonly string[]): Promise<string[]> {
    return this.notifyClosed(await this.sessions.removeMany(ids), {});
  }

  /** Ends the sessions of a user but one. */
  async closeByUser(contextId: number, userId: number, except?: string): Promise<string[]> {
    const closed = await this.sessions.removeByUser(contextId, userId, except === undefined ? {} : { except });
    return this.notifyClosed(closed, { contextId, userId });
  }

  /** Ends all sessions of a context. */
  async closeByContext(contextId: number): Promise<string[]> {
    return this.notifyClosed(await this.sessions.removeByContext(contextId), { contextId });
  }

  private notifyClosed(closed: string[], of: object): string[] {
    for (let at = 0; at < closed.length; at += IDS_PER_MESSAGE) {
      const message: SessionsClosed = { sessionIds: closed.slice(at, at + IDS_PER_MESSAGE) };
      this.events.broadcast(SESSIONS_CLOSED, message);
    }
    if (closed.length > 0) this.log.info({ ...of, closed: closed.length }, 'sessions closed');
    return closed;
  }
}
