import { fileSecrets, type CallOf, type Handler, type ResealedSecrets } from '@groupware/contracts';
import { ModuleDatabase, resealColumns, type SealedColumn } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import type { StoredAccount } from '../storages/account.repository';
import { StorageAccounts } from '../storages/storage-accounts';

/** Reseals passwords of storages elsewhere with the newest key. */
@Handles(fileSecrets.resealFileSecrets)
export class ResealFileSecretsHandler implements Handler<typeof fileSecrets.resealFileSecrets> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly accounts: StorageAccounts,
  ) {}

  handle({ signal }: CallOf<typeof fileSecrets.resealFileSecrets>): Promise<ResealedSecrets> {
    type Row = Pick<StoredAccount, 'id' | 'service' | 'configuration' | 'sealed'> & {
      context_id: number;
      user_id: number;
    };
    const secrets: SealedColumn<Row> = {
      table: 'storage_account',
      column: 'sealed',
      key: ['context_id', 'user_id', 'id'],
      others: ['service', 'configuration'],
      reseal: (_sealed, row) => this.accounts.resealSecret({ contextId: row.context_id, userId: row.user_id }, row),
    };
    return resealColumns(this.database, [secrets], signal);
  }
}
