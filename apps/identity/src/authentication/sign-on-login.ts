import { Injectable } from '@nestjs/common';
import { reply, type EdgeRequest, type LoginObject, type Reply, type SingleSignOnQuery } from '@groupware/contracts';
import {
  createSignOnCookie,
  isSameBrowser,
  readDeepLink,
  SESSION_FACTS,
  SessionStore,
  SIGN_ON_RESERVATIONS,
  type OneTimeTokens,
  type SignOnReservation,
} from '@groupware/sessions';
import { replyBadRequest, replyForbidden } from './browser-replies';
import { LoginFlow } from './login-flow';
import { SessionOpener, toLoginObject } from './session-opener';

/** Turns the reservation of a login at an identity provider into a session. */
@Injectable()
export class SignOnLogin {
  private readonly reservations: OneTimeTokens<SignOnReservation>;

  constructor(
    private readonly sessions: SessionStore,
    private readonly opener: SessionOpener,
    private readonly flow: LoginFlow,
  ) {
    this.reservations = sessions.oneTimeTokens(SIGN_ON_RESERVATIONS);
  }

  /**
   * Opens the session: 400 without a token; 403 for one that is unknown, used, of another way, or of another browser. Clients that accept
   * JSON get the login object, others are led to the web client.
   */
  async redeem(
    token: string | undefined,
    way: SignOnReservation['signOn']['way'],
    query: SingleSignOnQuery,
    edge: EdgeRequest,
  ): Promise<Reply<LoginObject | undefined>> {
    if (!token) return replyBadRequest();
    const reserved = await this.reservations.redeemToken(token);
    if (reserved?.signOn.way !== way || !isSameBrowser(edge.cookies, reserved.browser)) return replyForbidden();
    const { contextId, userId, login, signOn } = reserved;
    const named = { client: query.client ?? reserved.client, version: query.version ?? reserved.version };
    const parameters = { ...query, ...Object.fromEntries(Object.entries(named).filter(([, text]) => text)) };
    const client = this.opener.resolveClient(parameters, edge);
    const user = { contextId, userId, login, parameters: { [SESSION_FACTS.signOn]: JSON.stringify(signOn) } };
    const { session, cookies } = await this.flow.openSession(user, client, parameters, edge);
    const returning = reserved.returns ? [createSignOnCookie(way, session, this.sessions.settings)] : [];
    const opened = { session, cookies: [...cookies, ...returning] };
    if (/\bapplication\/json\b/.test(edge.headers.accept ?? ''))
      return reply<LoginObject | undefined>(toLoginObject(opened.session), { cookies: opened.cookies });
    return this.flow.redirectToWebClient(opened, query.loginPath ?? reserved.uiWebPath, readDeepLink(reserved.hash));
  }
}
