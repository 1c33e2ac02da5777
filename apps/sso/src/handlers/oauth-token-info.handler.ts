import { oauthTokenInfo, reply, type CallOf, type Handler, type TokenInfoAnswer } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SESSION_FACTS } from '@groupware/sessions';
import { OAuthGrants } from '../provider/oauth-grants';
import { ProviderSessions } from '../provider/provider-sessions';

/** Describes what an access token is good for. */
@Handles(oauthTokenInfo.describe)
export class OAuthTokenInfoHandler implements Handler<typeof oauthTokenInfo.describe> {
  constructor(
    private readonly sessions: ProviderSessions,
    private readonly grants: OAuthGrants,
  ) {}

  async handle({ query }: CallOf<typeof oauthTokenInfo.describe>) {
    const session = query.access_token ? await this.sessions.find(query.access_token) : undefined;
    if (!session || !(await this.grants.isOffered(session.contextId, session.userId)))
      return reply<TokenInfoAnswer>({ error: 'invalid_token' }, { status: 400 });
    return reply<TokenInfoAnswer>(
      {
        audience: session.client.replace(/^oauth:/, ''),
        context_id: session.contextId,
        user_id: session.userId,
        expiration_date: Number(session.parameters[SESSION_FACTS.validUntil]),
        scope: session.parameters[SESSION_FACTS.appScopes] ?? '',
      },
      { headers: { 'Cache-Control': 'no-store' } },
    );
  }
}
