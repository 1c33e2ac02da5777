import { Injectable } from '@nestjs/common';
import { reply, type CookieChange, type EdgeRequest, type Reply } from '@groupware/contracts';
import { logoutCookies, SessionGuard, SessionStore } from '@groupware/sessions';
import { SessionCloser } from '../sessions/session-closer';
import { badRequest, forbidden, leadTo } from './bare-replies';
import { LoginFlow } from './login-flow';

/** Closing the session of a request, which every kind of logout does. */
@Injectable()
export class SessionEnding {
  private readonly guard: SessionGuard;

  constructor(
    private readonly sessions: SessionStore,
    private readonly flow: LoginFlow,
    private readonly closer: SessionCloser,
  ) {
    this.guard = new SessionGuard(sessions);
  }

  /** Closes the session and expires its cookies: 400 without session, 403 for an unknown one or a wrong cookie. */
  end(edge: EdgeRequest): Promise<Reply<undefined>> {
    return this.close(edge, (cookies) => reply(undefined, { cookies }));
  }

  /** The same, and leads to the web client. */
  endAndLeave(edge: EdgeRequest, wanted: string | undefined): Promise<Reply<undefined>> {
    return this.close(edge, (cookies) => leadTo(this.flow.webAddress(wanted, {}), cookies));
  }

  private async close(
    edge: EdgeRequest,
    answer: (cookies: CookieChange[]) => Reply<undefined>,
  ): Promise<Reply<undefined>> {
    if (!edge.session) return badRequest();
    const session = await this.sessions.lookUp(edge.session);
    const context = { userAgent: edge.userAgent, headers: edge.headers };
    try {
      if (!session) return forbidden();
      this.guard.check(session, { ...context, cookies: edge.cookies, remoteAddress: edge.remoteAddress });
    } catch {
      return forbidden();
    }
    await this.closer.byId([session.id]);
    return answer(logoutCookies(session, context, this.sessions.settings));
  }
}
