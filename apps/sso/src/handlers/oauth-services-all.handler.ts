import { oauthServices, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OAuthServices, toMetaData } from '../client/oauth-services';

/** Services elsewhere that the user may connect with. */
@Handles(oauthServices.all)
export class OAuthServicesAllHandler implements Handler<typeof oauthServices.all> {
  constructor(private readonly services: OAuthServices) {}

  async handle({ principal }: CallOf<typeof oauthServices.all>) {
    return (await this.services.list(principal)).map(toMetaData);
  }
}
