import { oauthServices, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** `all`: services that users may connect with. */
@Handles(oauthServices.all)
export class OAuthServicesAllHandler implements Handler<typeof oauthServices.all> {
  handle() {
    return Promise.resolve([]);
  }
}
