import { oauthRevoke, reply, type AccessTokenAnswer, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SESSION_FACTS } from '@groupware/sessions';
import { OAuthGrants } from '../provider/oauth-grants';
import { ProviderSessions } from '../provider/provider-sessions';

const UNKNOWN: AccessTokenAnswer = { error: 'invalid_request' };

/** Ends the grant of a token. */
@Handles(oauthRevoke.revoke)
export class OAuthRevokeHandler implements Handler<typeof oauthRevoke.revoke> {
  constructor(
    private readonly grants: OAuthGrants,
    private readonly sessions: ProviderSessions,
  ) {}

  async handle({ query, body }: CallOf<typeof oauthRevoke.revoke>) {
    const { access_token: access, refresh_token: refresh } = { ...query, ...body };
    const isEnded = refresh ? await this.grants.endByRefreshToken(refresh) : await this.endByAccessToken(access ?? '');
    return isEnded
      ? reply<AccessTokenAnswer | undefined>(undefined, { status: 200 })
      : reply<AccessTokenAnswer | undefined>(UNKNOWN, { status: 400 });
  }

  private async endByAccessToken(token: string): Promise<boolean> {
    const session = token ? await this.sessions.find(token) : undefined;
    const grant = session?.parameters[SESSION_FACTS.grant];
    if (!session || grant === undefined) return false;
    await this.grants.end(session, grant);
    return true;
  }
}
