import {
  fileAccounts,
  FileStorageErrors,
  OWN_FILE_ACCOUNT,
  OWN_FILE_SERVICE,
  type CallOf,
  type FileAccountData,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { toOwnAccount } from '../storages/own-storage';
import { StorageAccounts } from '../storages/storage-accounts';

/** `fileaccount?action=get`: one file storage of the user. */
@Handles(fileAccounts.get)
export class FileaccountGetHandler implements Handler<typeof fileAccounts.get> {
  constructor(private readonly accounts: StorageAccounts) {}

  async handle(call: CallOf<typeof fileAccounts.get>): Promise<FileAccountData> {
    const { filestorageService: service, id } = call.query;
    if (service !== OWN_FILE_SERVICE) return this.accounts.describeAccount(call, service, id);
    if (id !== OWN_FILE_ACCOUNT) throw FileStorageErrors.accountNotFound(id, service);
    return toOwnAccount(call.principal.locale);
  }
}
