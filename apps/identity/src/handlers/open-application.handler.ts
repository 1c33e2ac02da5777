import { authentication, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SESSION_FACTS, SessionStore } from '@groupware/sessions';
import { ActiveUsers } from '../directory/active-users';

/** Opens the session behind an access token of an application. It has no cookies: no client reaches it by its id. */
@Handles(authentication.openApplication)
export class OpenApplicationHandler implements Handler<typeof authentication.openApplication> {
  constructor(
    private readonly users: ActiveUsers,
    private readonly sessions: SessionStore,
  ) {}

  async handle({ principal: { contextId }, query }: CallOf<typeof authentication.openApplication>) {
    const draft = await this.users.findPrincipal(contextId, query.userId);
    if (!draft) return false;
    await this.sessions.createSession({
      id: query.sessionId,
      contextId,
      userId: query.userId,
      login: draft.login,
      client: query.client,
      version: '',
      userAgent: '',
      hash: '',
      ip: '',
      staySignedIn: false,
      principal: draft,
      parameters: {
        [SESSION_FACTS.grant]: query.grant,
        [SESSION_FACTS.appScopes]: query.scopes.join(' '),
        [SESSION_FACTS.validUntil]: String(query.validUntil),
      },
    });
    // A user who was disabled meanwhile lost the sessions of that moment only.
    if (await this.users.findPrincipal(contextId, query.userId)) return true;
    await this.sessions.removeSession(query.sessionId);
    return false;
  }
}
