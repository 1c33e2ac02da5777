import { mailAccountAdministration, type CallOf, type Handler, type ResealedSecrets } from '@groupware/contracts';
import { ModuleDatabase, resealColumns, type SealedColumn } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PasswordVault } from '../credentials/password-vault';
import type { ServerSide } from '../domain/server-address';
import { STORED_FIELDS, type StoredAccount } from '../domain/stored-account';

/** Reseals all passwords with the newest key, so that older keys can be removed from the settings. */
@Handles(mailAccountAdministration.resealPasswords)
export class ResealPasswordsHandler implements Handler<typeof mailAccountAdministration.resealPasswords> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly vault: PasswordVault,
  ) {}

  handle({ signal }: CallOf<typeof mailAccountAdministration.resealPasswords>): Promise<ResealedSecrets> {
    const columns = [this.columnOf('password', 'mail'), this.columnOf('transport_password', 'transport')];
    return resealColumns(this.database, columns, signal);
  }

  private columnOf(column: string, side: ServerSide): SealedColumn<Row> {
    return {
      table: 'account',
      column,
      key: ['context_id', 'user_id', 'id'],
      others: STORED_FIELDS,
      reseal: (_sealed, row) =>
        this.vault.resealPassword({ contextId: row.context_id, userId: row.user_id }, row, side),
    };
  }
}

type Row = StoredAccount & { readonly context_id: number; readonly user_id: number };
