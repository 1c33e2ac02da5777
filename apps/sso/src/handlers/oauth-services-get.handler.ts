import { oauthServices, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OAuthServices, toMetaData } from '../client/oauth-services';

/** One service elsewhere that the user may connect with. */
@Handles(oauthServices.get)
export class OAuthServicesGetHandler implements Handler<typeof oauthServices.get> {
  constructor(private readonly services: OAuthServices) {}

  async handle({ principal, query }: CallOf<typeof oauthServices.get>) {
    return toMetaData(await this.services.require(query.id, principal));
  }
}
