import { oauthGrants, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OAuthGrants } from '../provider/oauth-grants';

/** Ends what the user granted an application. */
@Handles(oauthGrants.revoke)
export class OAuthGrantsRevokeHandler implements Handler<typeof oauthGrants.revoke> {
  constructor(private readonly grants: OAuthGrants) {}

  async handle({ principal, query }: CallOf<typeof oauthGrants.revoke>) {
    await this.grants.endByClient(principal, principal.userId, query.client);
    return true;
  }
}
