import { sharedAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SharedAccounts } from '../shared-accounts';

/** The accounts in which a user may act. */
@Handles(sharedAccounts.listSharedAccounts)
export class ListSharedAccountsHandler implements Handler<typeof sharedAccounts.listSharedAccounts> {
  constructor(private readonly accounts: SharedAccounts) {}

  handle({ query }: CallOf<typeof sharedAccounts.listSharedAccounts>) {
    return this.accounts.listAccounts(query);
  }
}
