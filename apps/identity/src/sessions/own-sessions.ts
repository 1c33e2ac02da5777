import { Injectable } from '@nestjs/common';
import { HIDDEN_CLIENTS, type UserPrincipal } from '@groupware/contracts';
import { SessionStore, type Session } from '@groupware/sessions';
import { Cascade } from '../configuration/cascade';

/** Sessions of a user, without hidden clients. */
@Injectable()
export class OwnSessions {
  constructor(
    private readonly sessions: SessionStore,
    private readonly cascade: Cascade,
  ) {}

  /** The sessions, newest use first. */
  async listVisible({ contextId, userId }: UserPrincipal): Promise<Session[]> {
    const all = await this.sessions.listByUser(contextId, userId);
    return all.filter(({ client }) => !this.isHidden(client)).sort((a, b) => b.lastActive - a.lastActive);
  }

  private isHidden(client: string): boolean {
    return this.cascade
      .value(HIDDEN_CLIENTS)
      .split(',')
      .map((entry) => entry.trim())
      .some((entry) => (entry.endsWith('*') ? client.startsWith(entry.slice(0, -1)) : entry === client));
  }
}
