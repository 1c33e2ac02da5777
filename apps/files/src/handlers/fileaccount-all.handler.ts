import { fileAccounts, OWN_FILE_SERVICE, type CallOf, type FileAccountData, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { toOwnAccount } from '../storages/own-storage';
import { StorageAccounts } from '../storages/storage-accounts';
import { StorageKinds } from '../storages/storage-kinds';

/** `fileaccount?action=all`: the file storages of the user. */
@Handles(fileAccounts.all)
export class FileaccountAllHandler implements Handler<typeof fileAccounts.all> {
  constructor(
    private readonly kinds: StorageKinds,
    private readonly accounts: StorageAccounts,
  ) {}

  async handle(call: CallOf<typeof fileAccounts.all>): Promise<FileAccountData[]> {
    const { principal, query } = call;
    const { filestorageService: service, connectionCheck: checks } = query;
    const own = toOwnAccount(principal.locale);
    if (service === OWN_FILE_SERVICE) return [own];
    if (service !== undefined) await this.kinds.requireEnabled(principal, service);
    const others = await this.accounts.describeAccounts(call, { service, checks });
    return service === undefined ? [own, ...others] : others;
  }
}
