import { oauthAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OAuthAccounts } from '../client/oauth-accounts';

/** Deletes an account of the user with a service elsewhere. */
@Handles(oauthAccounts.delete)
export class OAuthAccountsDeleteHandler implements Handler<typeof oauthAccounts.delete> {
  constructor(private readonly accounts: OAuthAccounts) {}

  async handle({ principal, query }: CallOf<typeof oauthAccounts.delete>) {
    await this.accounts.remove(principal, query.id);
    return true;
  }
}
