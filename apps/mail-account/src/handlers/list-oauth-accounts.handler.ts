import { mailboxAccess, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AccountRepository } from '../persistence/account.repository';

/** `listOAuthAccounts`: mail accounts that depend on accounts with services elsewhere. */
@Handles(mailboxAccess.listOAuthAccounts)
export class ListOAuthAccountsHandler implements Handler<typeof mailboxAccess.listOAuthAccounts> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly repository: AccountRepository,
  ) {}

  handle({ principal }: CallOf<typeof mailboxAccess.listOAuthAccounts>) {
    const user = principal.user!;
    return this.database.read(user, (db) => this.repository.listOAuthAccounts(db, user.userId));
  }
}
