import { Injectable } from '@nestjs/common';
import { SESSIONS_CLOSED, type SessionsClosed } from '@groupware/contracts';
import { EventBus } from '@groupware/messaging';
import { Logger } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';

/** Session ids in one broadcast; a message has a largest size. */
const IDS_PER_MESSAGE = 1000;

/** Ends sessions and tells everybody who holds something for them. Ids are secrets: logs hold their number only. */
@Injectable()
export class SessionCloser {
  private readonly log = Logger.for('identity.sessions');

  constructor(
    private readonly sessions: SessionStore,
    private readonly events: EventBus,
  ) {}

  /** Ends sessions by id; answers those that were live. */
  async byId(ids: readonly string[]): Promise<string[]> {
    return this.tell(await this.sessions.removeMany(ids), {});
  }

  /** Ends the sessions of a user but one. */
  async byUser(contextId: number, userId: number, except?: string): Promise<string[]> {
    const closed = await this.sessions.removeByUser(contextId, userId, except === undefined ? {} : { except });
    return this.tell(closed, { contextId, userId });
  }

  /** Ends all sessions of a context. */
  async byContext(contextId: number): Promise<string[]> {
    return this.tell(await this.sessions.removeByContext(contextId), { contextId });
  }

  private tell(closed: string[], of: object): string[] {
    for (let at = 0; at < closed.length; at += IDS_PER_MESSAGE) {
      const message: SessionsClosed = { sessionIds: closed.slice(at, at + IDS_PER_MESSAGE) };
      this.events.broadcast(SESSIONS_CLOSED, message);
    }
    if (closed.length > 0) this.log.info({ ...of, closed: closed.length }, 'sessions closed');
    return closed;
  }
}
