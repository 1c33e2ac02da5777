import { oauthAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OAuthAccounts } from '../client/oauth-accounts';

/** Accounts of the user with services elsewhere. */
@Handles(oauthAccounts.all)
export class OAuthAccountsAllHandler implements Handler<typeof oauthAccounts.all> {
  constructor(private readonly accounts: OAuthAccounts) {}

  handle({ principal, query }: CallOf<typeof oauthAccounts.all>) {
    return this.accounts.list(principal, query.serviceId);
  }
}
