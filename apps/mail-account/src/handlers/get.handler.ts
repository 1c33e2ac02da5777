import { mailAccount, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Accounts } from '../accounts/accounts';
import { withServerFolders } from '../domain/account-view';
import { PRIMARY_ID } from '../domain/stored-account';
import { PrimaryFolders } from '../primary-account/primary-folders';

/** `get`: reads one account. */
@Handles(mailAccount.get)
export class GetHandler implements Handler<typeof mailAccount.get> {
  constructor(
    private readonly accounts: Accounts,
    private readonly folders: PrimaryFolders,
  ) {}

  async handle(call: CallOf<typeof mailAccount.get>) {
    const { principal, query } = call;
    const [own, folders] = await Promise.all([
      this.accounts.getAccount(principal, query.id),
      query.id === PRIMARY_ID ? this.folders.findFolders(call) : undefined,
    ]);
    return folders ? withServerFolders(own, folders) : own.view;
  }
}
