import { fileAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { StorageAccounts } from '../storages/storage-accounts';

/** `fileaccount?action=update`: name, server or login of an account. */
@Handles(fileAccounts.update)
export class FileaccountUpdateHandler implements Handler<typeof fileAccounts.update> {
  constructor(private readonly accounts: StorageAccounts) {}

  handle(call: CallOf<typeof fileAccounts.update>): Promise<string> {
    return this.accounts.update(call, call.body);
  }
}
