import { oauthAccounts, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

/** `all`: accounts of the user elsewhere. */
@Handles(oauthAccounts.all)
export class OAuthAccountsAllHandler implements Handler<typeof oauthAccounts.all> {
  handle() {
    return Promise.resolve([]);
  }
}
