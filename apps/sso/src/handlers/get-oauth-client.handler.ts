import { oauthClients, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OAuthClients } from '../provider/oauth-clients';

/** Reads an application. */
@Handles(oauthClients.getOAuthClient)
export class GetOAuthClientHandler implements Handler<typeof oauthClients.getOAuthClient> {
  constructor(private readonly clients: OAuthClients) {}

  handle({ query }: CallOf<typeof oauthClients.getOAuthClient>) {
    return this.clients.get(query.client);
  }
}
