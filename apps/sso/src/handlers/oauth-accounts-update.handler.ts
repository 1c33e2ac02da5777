import { oauthAccounts, OAuthErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { OAuthAccounts } from '../client/oauth-accounts';

/** Gives an account another name. */
@Handles(oauthAccounts.update)
export class OAuthAccountsUpdateHandler implements Handler<typeof oauthAccounts.update> {
  constructor(private readonly accounts: OAuthAccounts) {}

  async handle({ principal, query, body }: CallOf<typeof oauthAccounts.update>) {
    const displayName = body.displayName?.trim();
    if (!displayName) throw OAuthErrors.missingDisplayName();
    await this.accounts.rename(principal, query.id, displayName);
    return true;
  }
}
