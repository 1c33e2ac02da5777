import { oauthClients, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OAuthClients } from '../provider/oauth-clients';

/** Lists registered applications. */
@Handles(oauthClients.listOAuthClients)
export class ListOAuthClientsHandler implements Handler<typeof oauthClients.listOAuthClients> {
  constructor(private readonly clients: OAuthClients) {}

  async handle() {
    return { items: await this.clients.list() };
  }
}
