import { oauthAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AccountRequests } from '../client/account-requests';

/** Ends a request for a new account. */
@Handles(oauthAccounts.create)
export class OAuthAccountsCreateHandler implements Handler<typeof oauthAccounts.create> {
  constructor(private readonly requests: AccountRequests) {}

  handle({ principal, query }: CallOf<typeof oauthAccounts.create>) {
    return this.requests.create(principal, query);
  }
}
