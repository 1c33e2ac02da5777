import { oauthAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AccountRequests } from '../client/account-requests';

/** Ends a request for a new account, in the browser that comes back. */
@Handles(oauthAccounts.createByGet)
export class OAuthAccountsCreateByGetHandler implements Handler<typeof oauthAccounts.createByGet> {
  constructor(private readonly requests: AccountRequests) {}

  handle({ principal, query }: CallOf<typeof oauthAccounts.createByGet>) {
    return this.requests.create(principal, query);
  }
}
