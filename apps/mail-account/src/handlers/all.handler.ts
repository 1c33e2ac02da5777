import { LIST_UNIFIED_MAIL, mailAccount, type CallOf, type Handler } from '@groupware/contracts';
import { Handles, Properties } from '@groupware/service-kit';
import { Accounts } from '../accounts/accounts';
import {
  ALL_COLUMNS,
  parseAccountColumns,
  SERVER_FOLDER_FIELDS,
  toAccountRows,
  withServerFolders,
} from '../domain/account-view';
import { isUnified, PRIMARY_ID } from '../domain/stored-account';
import { PrimaryFolders } from '../primary-account/primary-folders';

/** `all`: lists the user's accounts as rows. */
@Handles(mailAccount.all)
export class AllHandler implements Handler<typeof mailAccount.all> {
  constructor(
    private readonly accounts: Accounts,
    private readonly properties: Properties,
    private readonly folders: PrimaryFolders,
  ) {}

  async handle(call: CallOf<typeof mailAccount.all>) {
    const { principal, query } = call;
    const fields = parseAccountColumns(query.columns?.length ? query.columns : ALL_COLUMNS);
    const showsFolders = fields.some((field) => field && SERVER_FOLDER_FIELDS.includes(field));
    const [own, withUnified, folders] = await Promise.all([
      this.accounts.listAccounts(principal),
      this.properties.get(LIST_UNIFIED_MAIL, principal),
      showsFolders ? this.folders.findFolders(call) : undefined,
    ]);
    const shown = own.filter(({ account }) => withUnified || !isUnified(account));
    return toAccountRows(
      shown.map((each) => (folders && each.account.id === PRIMARY_ID ? withServerFolders(each, folders) : each.view)),
      fields,
    );
  }
}
