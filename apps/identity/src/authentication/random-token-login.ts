import { Injectable } from '@nestjs/common';
import type { EdgeRequest } from '@groupware/contracts';
import { SessionStore } from '@groupware/sessions';
import { LoginFlow, type OpenedSession } from './login-flow';
import { LoginTokens } from './login-tokens';
import { SessionOpener } from './session-opener';

/** Transfers the session of a random token to the browser that redeems it. */
@Injectable()
export class RandomTokenLogin {
  constructor(
    private readonly tokens: LoginTokens,
    private readonly sessions: SessionStore,
    private readonly opener: SessionOpener,
    private readonly flow: LoginFlow,
  ) {}

  /** Redeems a token for this client; undefined for an unknown or used token and an ended session. */
  async redeemToken(
    token: string,
    clientId: string | undefined,
    edge: EdgeRequest,
  ): Promise<OpenedSession | undefined> {
    const facts = await this.tokens.random.redeemToken(token);
    const session = facts && (await this.sessions.lookUp(facts.sessionId));
    if (!session) return undefined;
    const client = this.opener.resolveClient({ client: clientId ?? session.client }, edge);
    await this.sessions.rebindClient(session.id, client);
    const rebound = { ...session, ...client };
    return { session: rebound, cookies: this.flow.createCookies(rebound, client, edge) };
  }
}
