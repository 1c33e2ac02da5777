import { oauthTokens, SESSION_TOKEN_ID, SessionErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { TokenSeal } from '../client/token-seal';
import { SessionTokens } from '../oidc/session-tokens';

/** The access token of a session for the service that uses it. */
@Handles(oauthTokens.findOfSession)
export class OAuthTokensFindOfSessionHandler implements Handler<typeof oauthTokens.findOfSession> {
  constructor(
    private readonly sessions: SessionStore,
    private readonly tokens: SessionTokens,
    private readonly seal: TokenSeal,
  ) {}

  async handle({ query: { session: id, host, refused } }: CallOf<typeof oauthTokens.findOfSession>) {
    const session = await this.sessions.peek(id);
    if (!session) throw SessionErrors.unknown(id);
    const token = await this.tokens.find(session, host, this.seal.open(session, SESSION_TOKEN_ID, refused));
    if (!token) return null;
    const { access, expiresAt } = token;
    const end = expiresAt === undefined ? {} : { expiresAt };
    return { sealed: this.seal.seal(session, SESSION_TOKEN_ID, access), ...end };
  }
}
