import { OAUTH_PROVIDER, type CatalogueError, type CookieChange, type UserPrincipal } from '@groupware/contracts';
import type { Properties } from '@groupware/service-kit';
import { toPrincipal, type SessionGuard, type SessionStore } from '@groupware/sessions';
import type { SessionGate, SessionRequest } from '../edge/ports';

/** Checks sessions by the sessions kit. */
export class GuardedSessions implements SessionGate {
  constructor(
    private readonly guard: SessionGuard,
    private readonly store: SessionStore,
    private readonly properties: Pick<Properties, 'get'>,
  ) {}

  /** @throws SES-0201 to SES-0208 */
  async check(request: SessionRequest): Promise<{ principal: UserPrincipal; cookies: readonly CookieChange[] }> {
    const isPublic = request.publicSession !== undefined && !request.sessionId;
    const session = await (isPublic
      ? this.guard.authenticatePublic(request.publicSession, request)
      : this.guard.authenticate(request));
    return { principal: toPrincipal(session), cookies: this.guard.createMissingCookies(session, request) };
  }

  /** The user of an access token, who may grant access still: its session allows what the token's scopes open. */
  async checkToken(token: string): Promise<UserPrincipal | undefined> {
    const session = await this.guard.authenticateToken(token);
    return session && (await this.properties.get(OAUTH_PROVIDER, session)) ? toPrincipal(session) : undefined;
  }

  /** Finds the user of a session without a check of the request: only for sessions that it has just opened. */
  async findUser(sessionId: string): Promise<UserPrincipal | undefined> {
    const session = await this.store.peek(sessionId);
    return session && toPrincipal(session);
  }

  /** Cookies that the answer to a failed check must expire. */
  cookiesAfter(error: CatalogueError): readonly CookieChange[] {
    return this.guard.listCookieRemovals(error);
  }
}
