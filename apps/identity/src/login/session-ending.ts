import { Injectable } from '@nestjs/common';
import { reply, type CookieChange, type EdgeRequest, type Reply } from '@groupware/contracts';
import { logoutCookies, SessionGuard, SessionStore } from '@groupware/sessions';
import { SessionCloser } from '../sessions/session-closer';
import { LoginFlow } from './login-flow';

const FOUND = 302;
const BAD_REQUEST = 400;
const FORBIDDEN = 403;

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
  async end(edge: EdgeRequest): Promise<Reply<undefined>> {
    const ended = await this.close(edge);
    return reply(undefined, typeof ended === 'number' ? { status: ended } : { cookies: ended });
  }

  /** The same, and leads to the web client. */
  async endAndLeave(edge: EdgeRequest, wanted: string | undefined): Promise<Reply<undefined>> {
    const ended = await this.close(edge);
    if (typeof ended === 'number') return reply(undefined, { status: ended });
    const headers = { Location: this.flow.webAddress(wanted, {}) };
    return reply(undefined, { status: FOUND, headers, cookies: ended });
  }

  /** The cookies to expire, or the HTTP status of a refusal. */
  private async close(edge: EdgeRequest): Promise<CookieChange[] | number> {
    if (!edge.session) return BAD_REQUEST;
    const session = await this.sessions.lookUp(edge.session);
    const context = { userAgent: edge.userAgent, headers: edge.headers };
    try {
      if (!session) return FORBIDDEN;
      this.guard.check(session, { ...context, cookies: edge.cookies, remoteAddress: edge.remoteAddress });
    } catch {
      return FORBIDDEN;
    }
    await this.closer.byId([session.id]);
    return logoutCookies(session, context, this.sessions.settings);
  }
}
