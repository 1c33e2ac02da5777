import { login, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { logoutCookies, SessionGuard, SessionStore } from '@groupware/sessions';
import { SessionCloser } from '../sessions/session-closer';

const BAD_REQUEST = 400;
const FORBIDDEN = 403;

/** Closes the session of the request. */
@Handles(login.logout)
export class LogoutHandler implements Handler<typeof login.logout> {
  private readonly guard: SessionGuard;

  constructor(
    private readonly sessions: SessionStore,
    private readonly closer: SessionCloser,
  ) {
    this.guard = new SessionGuard(sessions);
  }

  async handle({ edge }: CallOf<typeof login.logout>) {
    if (!edge!.session) return reply(undefined, { status: BAD_REQUEST });
    const session = await this.sessions.lookUp(edge!.session);
    const context = { userAgent: edge!.userAgent, headers: edge!.headers };
    try {
      if (!session) return reply(undefined, { status: FORBIDDEN });
      this.guard.check(session, { ...context, cookies: edge!.cookies, remoteAddress: edge!.remoteAddress });
    } catch {
      return reply(undefined, { status: FORBIDDEN });
    }
    await this.closer.byId([session.id]);
    return reply(undefined, { cookies: logoutCookies(session, context, this.sessions.settings) });
  }
}
