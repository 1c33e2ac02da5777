import { fileAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { StorageAccounts } from '../storages/storage-accounts';

/** `fileaccount?action=new`: an account of a storage elsewhere. */
@Handles(fileAccounts.new)
export class FileaccountNewHandler implements Handler<typeof fileAccounts.new> {
  constructor(private readonly accounts: StorageAccounts) {}

  handle(call: CallOf<typeof fileAccounts.new>): Promise<string> {
    return this.accounts.create(call, call.body);
  }
}
