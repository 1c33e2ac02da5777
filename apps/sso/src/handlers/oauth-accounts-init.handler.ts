import { oauthAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AccountRequests } from '../client/account-requests';

/** Begins a request for access to an account elsewhere. */
@Handles(oauthAccounts.init)
export class OAuthAccountsInitHandler implements Handler<typeof oauthAccounts.init> {
  constructor(private readonly requests: AccountRequests) {}

  handle({ principal, query, edge }: CallOf<typeof oauthAccounts.init>) {
    return this.requests.begin(principal, query, edge!);
  }
}
