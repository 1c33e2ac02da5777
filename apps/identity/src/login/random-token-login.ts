import { Injectable } from '@nestjs/common';
import type { EdgeRequest } from '@groupware/contracts';
import { SessionStore } from '@groupware/sessions';
import { LoginFlow, type OpenedSession } from './login-flow';
import { LoginTokens } from './login-tokens';
import { SessionOpener } from './session-opener';

/** Hands the session of a random token over to the browser that brings the token. */
@Injectable()
export class RandomTokenLogin {
  constructor(
    private readonly tokens: LoginTokens,
    private readonly sessions: SessionStore,
    private readonly opener: SessionOpener,
    private readonly flow: LoginFlow,
  ) {}

  /** The session of a token, for this client; undefined for an unknown or used token and an ended session. */
  async redeem(token: string, clientId: string | undefined, edge: EdgeRequest): Promise<OpenedSession | undefined> {
    const facts = await this.tokens.random.take(token);
    const session = facts && (await this.sessions.lookUp(facts.sessionId));
    if (!session) return undefined;
    const client = this.opener.client({ client: clientId ?? session.client }, edge);
    await this.sessions.rebind(session.id, client);
    const rebound = { ...session, ...client };
    return { session: rebound, cookies: this.flow.cookiesOf(rebound, client, edge) };
  }
}
