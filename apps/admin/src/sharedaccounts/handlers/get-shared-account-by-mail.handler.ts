import { SharedAccountErrors, sharedAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SharedAccounts } from '../shared-accounts';

/** One account in which a user may act; both are given by mail address or mail login. */
@Handles(sharedAccounts.getSharedAccountByMail)
export class GetSharedAccountByMailHandler implements Handler<typeof sharedAccounts.getSharedAccountByMail> {
  constructor(private readonly accounts: SharedAccounts) {}

  async handle({ query }: CallOf<typeof sharedAccounts.getSharedAccountByMail>) {
    const { userEmail, userMailLogin, accountEmail, accountMailLogin } = query;
    for (const [one, other, names] of [
      [userEmail, userMailLogin, ['userEmail', 'userMailLogin']],
      [accountEmail, accountMailLogin, ['accountEmail', 'accountMailLogin']],
    ] as const)
      if ((one === undefined) === (other === undefined)) throw SharedAccountErrors.exactlyOne(...names);
    const user = await this.accounts.resolveUser(userEmail, userMailLogin, ['userEmail', 'userMailLogin']);
    const wanted = await this.accounts.resolveUser(accountEmail, accountMailLogin, [
      'accountEmail',
      'accountMailLogin',
    ]);
    const [account] = await this.accounts.listAccounts(user, wanted);
    if (!account) throw SharedAccountErrors.notFound();
    return account;
  }
}
