import { LIST_UNIFIED_MAIL, mailAccount, type CallOf, type Handler } from '@groupware/contracts';
import { Handles, Properties } from '@groupware/service-kit';
import { Accounts } from '../accounts/accounts';
import { ALL_COLUMNS, toAccountRows } from '../domain/account-view';
import { isUnified } from '../domain/stored-account';

/** `all`: lists the user's accounts as rows. */
@Handles(mailAccount.all)
export class AllHandler implements Handler<typeof mailAccount.all> {
  constructor(
    private readonly accounts: Accounts,
    private readonly properties: Properties,
  ) {}

  async handle({ principal, query }: CallOf<typeof mailAccount.all>) {
    const [own, withUnified] = await Promise.all([
      this.accounts.listAccounts(principal),
      this.properties.get(LIST_UNIFIED_MAIL, principal),
    ]);
    const shown = own.filter(({ account }) => withUnified || !isUnified(account));
    return toAccountRows(
      shown.map(({ view }) => view),
      query.columns?.length ? query.columns : ALL_COLUMNS,
    );
  }
}
