import type { Reader, Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';
import type { StorageConfiguration } from './storage-kind';

/** An account of a storage elsewhere, as it is stored. */
export interface StoredAccount {
  readonly id: number;
  readonly service: string;
  readonly displayName: string;
  /** Values of the form but the secret ones. */
  readonly configuration: StorageConfiguration;
  /** The secret ones, sealed. */
  readonly sealed: string;
}

const COLUMNS = 'id, service, display_name as "displayName", configuration, sealed';

/** SQL of `storage_account`. */
@Injectable()
export class StorageAccountRepository {
  /** Accounts of a user, oldest first. */
  listByUser(db: Reader, userId: number): Promise<StoredAccount[]> {
    return db.objects<StoredAccount>(
      `select ${COLUMNS} from storage_account where context_id = $1 and user_id = $2 order by id`,
      userId,
    );
  }

  /** One account. */
  findAccount(db: Reader, userId: number, service: string, id: number): Promise<StoredAccount | undefined> {
    return db.first<StoredAccount>(
      `select ${COLUMNS} from storage_account where context_id = $1 and user_id = $2 and service = $3 and id = $4`,
      userId,
      service,
      id,
    );
  }

  /** Allocates an id, which is never given again. Accounts of one user are made one after the other. */
  async allocateId(tx: Transaction, userId: number): Promise<number> {
    const row = await tx.first<{ id: number }>(
      `insert into storage_account_counter (context_id, user_id, last_id) values ($1, $2, 1)
       on conflict (context_id, user_id) do update set last_id = storage_account_counter.last_id + 1
       returning last_id as id`,
      userId,
    );
    return row!.id;
  }

  /** Number of accounts of a user. */
  async count(db: Reader, userId: number): Promise<number> {
    const row = await db.first<{ count: number }>(
      'select count(*)::int as count from storage_account where context_id = $1 and user_id = $2',
      userId,
    );
    return row!.count;
  }

  async insert(tx: Transaction, userId: number, account: StoredAccount): Promise<void> {
    await tx.run(
      `insert into storage_account (context_id, user_id, id, service, display_name, configuration, sealed)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      userId,
      account.id,
      account.service,
      account.displayName,
      JSON.stringify(account.configuration),
      account.sealed,
    );
  }

  /** Replaces an account; false where it is gone. */
  async update(tx: Transaction, userId: number, account: StoredAccount): Promise<boolean> {
    const rows = await tx.rows(
      `update storage_account set display_name = $5, configuration = $6, sealed = $7
       where context_id = $1 and user_id = $2 and service = $3 and id = $4 returning id`,
      userId,
      account.service,
      account.id,
      account.displayName,
      JSON.stringify(account.configuration),
      account.sealed,
    );
    return rows.length > 0;
  }

  /** Deletes an account; false where there is none. */
  async delete(tx: Transaction, userId: number, service: string, id: number): Promise<boolean> {
    const rows = await tx.rows(
      'delete from storage_account where context_id = $1 and user_id = $2 and service = $3 and id = $4 returning id',
      userId,
      service,
      id,
    );
    return rows.length > 0;
  }

  /** Deletes all accounts of a user. */
  async deleteByUser(tx: Transaction, userId: number): Promise<void> {
    await tx.run('delete from storage_account where context_id = $1 and user_id = $2', userId);
    await tx.run('delete from storage_account_counter where context_id = $1 and user_id = $2', userId);
  }

  /** Deletes all accounts of the context. */
  async deleteByContext(tx: Transaction): Promise<void> {
    await tx.run('delete from storage_account where context_id = $1');
    await tx.run('delete from storage_account_counter where context_id = $1');
  }
}
