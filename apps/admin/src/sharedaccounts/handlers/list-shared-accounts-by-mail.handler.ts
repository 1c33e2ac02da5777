import { sharedAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SharedAccounts } from '../shared-accounts';

/** The accounts in which a user may act, who is given by mail address or mail login. */
@Handles(sharedAccounts.listSharedAccountsByMail)
export class ListSharedAccountsByMailHandler implements Handler<typeof sharedAccounts.listSharedAccountsByMail> {
  constructor(private readonly accounts: SharedAccounts) {}

  async handle({ query }: CallOf<typeof sharedAccounts.listSharedAccountsByMail>) {
    const { userEmail, userMailLogin } = query;
    return this.accounts.listAccounts(
      await this.accounts.resolveUser(userEmail, userMailLogin, ['userEmail', 'userMailLogin']),
    );
  }
}
