import { oauthGrants, type CallOf, type Handler, type OAuthGrantData } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OAuthClients } from '../provider/oauth-clients';
import { OAuthGrants } from '../provider/oauth-grants';
import { describeScope } from '../provider/scopes';

/** Lists the grants of the user, one entry for each application: all scopes, the newest date. */
@Handles(oauthGrants.all)
export class OAuthGrantsAllHandler implements Handler<typeof oauthGrants.all> {
  constructor(
    private readonly grants: OAuthGrants,
    private readonly clients: OAuthClients,
  ) {}

  async handle({ principal }: CallOf<typeof oauthGrants.all>) {
    const [grants, clients] = await Promise.all([this.grants.list(principal, principal.userId), this.clients.list()]);
    const found: OAuthGrantData[] = [];
    for (const { id, name, description = '', website = '', icon = '' } of clients) {
      const own = grants.filter(({ clientId }) => clientId === id);
      if (own.length === 0) continue;
      const scopes = [...new Set(own.flatMap((grant) => grant.scopes))].sort();
      found.push({
        client: { id, name, description, website, icon },
        scopes: Object.fromEntries(scopes.map((scope) => [scope, describeScope(scope, principal.locale)])),
        date: Math.max(...own.map(({ createdAt }) => createdAt)),
      });
    }
    return found;
  }
}
