import { oauthAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AccountRequests } from '../client/account-requests';

/** Ends a request for new access of an account, in the browser that comes back. */
@Handles(oauthAccounts.reauthorizeByGet)
export class OAuthAccountsReauthorizeByGetHandler implements Handler<typeof oauthAccounts.reauthorizeByGet> {
  constructor(private readonly requests: AccountRequests) {}

  async handle({ principal, query }: CallOf<typeof oauthAccounts.reauthorizeByGet>) {
    await this.requests.reauthorize(principal, query);
    return true;
  }
}
