import { sessionAdministration, type CallOf, type Handler, type SessionInfo } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';

type Operation = typeof sessionAdministration.getSessionInfo;

/** Reads the owner of a session, without touching it. */
@Handles(sessionAdministration.getSessionInfo)
export class GetSessionInfoHandler implements Handler<Operation> {
  constructor(private readonly sessions: SessionStore) {}

  async handle({ query }: CallOf<Operation>): Promise<SessionInfo> {
    const session = await this.sessions.peek(query.session);
    if (!session) return {};
    return { context: session.contextId, user: session.userId, guest: session.guest ?? false };
  }
}
