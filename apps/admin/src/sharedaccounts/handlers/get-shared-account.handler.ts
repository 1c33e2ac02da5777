import { SharedAccountErrors, sharedAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SharedAccounts } from '../shared-accounts';
import { parseAccountId } from '../domain/account-view';

/** One account in which a user may act. */
@Handles(sharedAccounts.getSharedAccount)
export class GetSharedAccountHandler implements Handler<typeof sharedAccounts.getSharedAccount> {
  constructor(private readonly accounts: SharedAccounts) {}

  async handle({ query }: CallOf<typeof sharedAccounts.getSharedAccount>) {
    const wanted = parseAccountId(query.accountId);
    if (!wanted) throw SharedAccountErrors.malformedId(query.accountId);
    const [account] = await this.accounts.listAccounts(query, wanted);
    if (!account) throw SharedAccountErrors.notFound();
    return account;
  }
}
