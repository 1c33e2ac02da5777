import { fileAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { StorageAccounts } from '../storages/storage-accounts';

/** `fileaccount?action=delete`: an account of a storage elsewhere. */
@Handles(fileAccounts.delete)
export class FileaccountDeleteHandler implements Handler<typeof fileAccounts.delete> {
  constructor(private readonly accounts: StorageAccounts) {}

  async handle({ principal, query }: CallOf<typeof fileAccounts.delete>): Promise<number> {
    await this.accounts.delete(principal, query.filestorageService, query.id);
    return 1;
  }
}
