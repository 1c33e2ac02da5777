import { Injectable } from '@nestjs/common';
import { reply, type EdgeRequest, type LoginObject, type Reply, type SingleSignOnQuery } from '@groupware/contracts';
import {
  isSameBrowser,
  SESSION_FACTS,
  SessionStore,
  SIGN_ON_RESERVATIONS,
  type OneTimeTokens,
  type SignOnReservation,
} from '@groupware/sessions';
import { replyBadRequest, replyForbidden } from './browser-replies';
import { LoginFlow } from './login-flow';
import { SessionOpener, toLoginObject } from './session-opener';

/** Facts that an address to return to must not set itself. */
const OWN_FACTS = new Set(['session', 'user', 'user_id', 'context_id', 'language']);

/** Turns the reservation of a login at an identity provider into a session. */
@Injectable()
export class SignOnLogin {
  private readonly reservations: OneTimeTokens<SignOnReservation>;

  constructor(
    sessions: SessionStore,
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
    const opened = await this.flow.openSession(user, client, parameters, edge);
    if (/\bapplication\/json\b/.test(edge.headers.accept ?? ''))
      return reply<LoginObject | undefined>(toLoginObject(opened.session), { cookies: opened.cookies });
    const place = [...new URLSearchParams(reserved.hash ?? '')].filter(([name]) => !OWN_FACTS.has(name));
    return this.flow.redirectToWebClient(opened, query.loginPath ?? reserved.uiWebPath, Object.fromEntries(place));
  }
}
