import { Injectable } from '@nestjs/common';
import { reply, type CookieChange, type EdgeRequest, type Reply } from '@groupware/contracts';
import { createLogoutCookies, SessionGuard, SessionStore } from '@groupware/sessions';
import { SessionCloser } from '../sessions/session-closer';
import { replyBadRequest, replyForbidden, redirectTo } from './browser-replies';
import { LoginFlow } from './login-flow';

/** Closes the session of a request, for all kinds of logout. */
@Injectable()
export class Logout {
  private readonly guard: SessionGuard;

  constructor(
    private readonly sessions: SessionStore,
    private readonly flow: LoginFlow,
    private readonly closer: SessionCloser,
  ) {
    this.guard = new SessionGuard(sessions);
  }

  /** Closes the session and expires its cookies: 400 without session, 403 for an unknown one or a wrong cookie. */
  closeSession(edge: EdgeRequest): Promise<Reply<undefined>> {
    return this.close(edge, (cookies) => reply(undefined, { cookies }));
  }

  /** Closes the session and redirects to the web client. */
  closeSessionAndRedirect(edge: EdgeRequest, wanted: string | undefined): Promise<Reply<undefined>> {
    return this.close(edge, (cookies) => redirectTo(this.flow.buildWebAddress(wanted, {}), cookies));
  }

  private async close(
    edge: EdgeRequest,
    answer: (cookies: CookieChange[]) => Reply<undefined>,
  ): Promise<Reply<undefined>> {
    if (!edge.session) return replyBadRequest();
    const session = await this.sessions.lookUp(edge.session);
    const context = { userAgent: edge.userAgent, headers: edge.headers };
    try {
      if (!session) return replyForbidden();
      this.guard.requireValid(session, { ...context, cookies: edge.cookies, remoteAddress: edge.remoteAddress });
    } catch {
      return replyForbidden();
    }
    await this.closer.closeByIds([session.id]);
    return answer(createLogoutCookies(session, context, this.sessions.settings));
  }
}
