import { authentication, isCatalogueError, SessionErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { SESSION_FACTS, SessionStore } from '@groupware/sessions';
import { PrincipalBuilder } from '../directory/principal-builder';
import { UserRepository } from '../persistence/user.repository';

/** Opens the session behind an access token of an application. It has no cookies: no client reaches it by its id. */
@Handles(authentication.openApplication)
export class OpenApplicationHandler implements Handler<typeof authentication.openApplication> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly principals: PrincipalBuilder,
    private readonly sessions: SessionStore,
  ) {}

  async handle({ principal: { contextId }, query }: CallOf<typeof authentication.openApplication>) {
    const draft = await this.findUser(contextId, query.userId);
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
    if (await this.findUser(contextId, query.userId)) return true;
    await this.sessions.removeSession(query.sessionId);
    return false;
  }

  private async findUser(contextId: number, userId: number) {
    try {
      return await this.database.read({ contextId }, async (db) => {
        const user = await this.users.findById(db, userId);
        const current = user && (await this.users.findLoginCandidate(db, user.name));
        return user && current?.enabled && current.contextEnabled ? this.principals.build(db, user) : undefined;
      });
    } catch (error) {
      if (isCatalogueError(error, SessionErrors.contextDisabled)) return undefined;
      throw error;
    }
  }
}
