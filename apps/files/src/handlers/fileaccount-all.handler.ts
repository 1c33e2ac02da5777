import { fileAccounts, type CallOf, type FileAccountData, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { requireKnownService, toOwnAccount } from '../storages/own-storage';

/** `fileaccount?action=all`: the file storages of the user. */
@Handles(fileAccounts.all)
export class FileaccountAllHandler implements Handler<typeof fileAccounts.all> {
  async handle({ principal, query }: CallOf<typeof fileAccounts.all>): Promise<FileAccountData[]> {
    if (query.filestorageService !== undefined) requireKnownService(query.filestorageService);
    return [toOwnAccount(principal.locale)];
  }
}
