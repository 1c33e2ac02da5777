import { authentication, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { LoginTokens } from '../authentication/login-tokens';

/** Identifies the owner of a token; token and session stay unchanged. */
@Handles(authentication.tokenOwner)
export class TokenOwnerHandler implements Handler<typeof authentication.tokenOwner> {
  constructor(
    private readonly tokens: LoginTokens,
    private readonly sessions: SessionStore,
  ) {}

  async handle({ query }: CallOf<typeof authentication.tokenOwner>) {
    const facts = await this.tokens.acquired.peekToken(query.token);
    const session = facts && (await this.sessions.peek(facts.sessionId));
    return session ? { contextId: session.contextId, userId: session.userId, login: session.login } : {};
  }
}
