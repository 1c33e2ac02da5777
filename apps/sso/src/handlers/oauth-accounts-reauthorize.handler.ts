import { oauthAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AccountRequests } from '../client/account-requests';

/** Ends a request for new access of an account. */
@Handles(oauthAccounts.reauthorize)
export class OAuthAccountsReauthorizeHandler implements Handler<typeof oauthAccounts.reauthorize> {
  constructor(private readonly requests: AccountRequests) {}

  async handle({ principal, query }: CallOf<typeof oauthAccounts.reauthorize>) {
    await this.requests.reauthorize(principal, query);
    return true;
  }
}
