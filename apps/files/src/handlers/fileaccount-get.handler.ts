import {
  fileAccounts,
  FileStorageErrors,
  OWN_FILE_ACCOUNT,
  type CallOf,
  type FileAccountData,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { requireKnownService, toOwnAccount } from '../storages/own-storage';

/** `fileaccount?action=get`: one file storage of the user. */
@Handles(fileAccounts.get)
export class FileaccountGetHandler implements Handler<typeof fileAccounts.get> {
  async handle({ principal, query }: CallOf<typeof fileAccounts.get>): Promise<FileAccountData> {
    const { filestorageService: service, id } = query;
    requireKnownService(service);
    if (id !== OWN_FILE_ACCOUNT) throw FileStorageErrors.accountNotFound(id, service);
    return toOwnAccount(principal.locale);
  }
}
