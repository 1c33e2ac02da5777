import type { CatalogueError, CookieChange, UserPrincipal } from '@groupware/contracts';
import { principalOf, type SessionGuard } from '@groupware/sessions';
import type { SessionGate, SessionRequest } from '../edge/ports';

/** Checks sessions by the sessions kit. */
export class GuardedSessions implements SessionGate {
  constructor(private readonly guard: SessionGuard) {}

  /** @throws SES-0201 to SES-0208 */
  async check(request: SessionRequest): Promise<{ principal: UserPrincipal; cookies: readonly CookieChange[] }> {
    const isPublic = request.publicSession !== undefined && !request.sessionId;
    const session = await (isPublic
      ? this.guard.authenticatePublic(request.publicSession, request)
      : this.guard.authenticate(request));
    return { principal: principalOf(session), cookies: this.guard.missingCookies(session, request) };
  }

  /** Cookies that the answer to a failed check must expire. */
  cookiesAfter(error: CatalogueError): readonly CookieChange[] {
    return this.guard.cookiesAfter(error);
  }
}
