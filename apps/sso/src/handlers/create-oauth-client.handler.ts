import { oauthClients, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OAuthClients } from '../provider/oauth-clients';

/** Registers an application. */
@Handles(oauthClients.createOAuthClient)
export class CreateOAuthClientHandler implements Handler<typeof oauthClients.createOAuthClient> {
  constructor(private readonly clients: OAuthClients) {}

  handle({ body }: CallOf<typeof oauthClients.createOAuthClient>) {
    return this.clients.create(body);
  }
}
