import { oauthClients, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OAuthClients } from '../provider/oauth-clients';

/** Removes an application. */
@Handles(oauthClients.deleteOAuthClient)
export class DeleteOAuthClientHandler implements Handler<typeof oauthClients.deleteOAuthClient> {
  constructor(private readonly clients: OAuthClients) {}

  async handle({ query }: CallOf<typeof oauthClients.deleteOAuthClient>) {
    await this.clients.remove(query.client);
    return undefined;
  }
}
