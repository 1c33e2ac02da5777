import { oauthClients, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OAuthClients } from '../provider/oauth-clients';

/** Changes an application. */
@Handles(oauthClients.putOAuthClient)
export class PutOAuthClientHandler implements Handler<typeof oauthClients.putOAuthClient> {
  constructor(private readonly clients: OAuthClients) {}

  handle({ query, body }: CallOf<typeof oauthClients.putOAuthClient>) {
    return this.clients.change(query.client, body);
  }
}
