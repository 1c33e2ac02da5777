import { oauthAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OAuthAccounts } from '../client/oauth-accounts';

/** One account of the user with a service elsewhere. */
@Handles(oauthAccounts.get)
export class OAuthAccountsGetHandler implements Handler<typeof oauthAccounts.get> {
  constructor(private readonly accounts: OAuthAccounts) {}

  handle({ principal, query }: CallOf<typeof oauthAccounts.get>) {
    return this.accounts.get(principal, query.id);
  }
}
