import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';

/** An account with a service elsewhere, as it is stored. */
export interface AccountRow {
  readonly id: number;
  /** Name of the service. */
  readonly service: string;
  readonly displayName: string;
  readonly scopes: string[];
  readonly sealed: string;
  readonly isEnded: boolean;
  /** ms UTC */
  readonly createdAt: number;
}

const COLUMNS = `id, service, display_name as "displayName", scopes, sealed, is_ended as "isEnded", created_at as "createdAt"`;

/** SQL of `oauth_account`. */
@Injectable()
export class AccountRepository {
  /** Accounts of a user, oldest first. */
  listByUser(db: Reader, userId: number): Promise<AccountRow[]> {
    return db.objects<AccountRow>(
      `select ${COLUMNS} from oauth_account where context_id = $1 and user_id = $2 order by id`,
      userId,
    );
  }

  /** One account. */
  find(db: Reader, userId: number, id: number): Promise<AccountRow | undefined> {
    return db.first<AccountRow>(
      `select ${COLUMNS} from oauth_account where context_id = $1 and user_id = $2 and id = $3`,
      userId,
      id,
    );
  }

  /** Allocates an id. Serializes creations of one user. */
  async allocateId(tx: Transaction, userId: number): Promise<number> {
    const row = await tx.first<{ id: number }>(
      `insert into oauth_account_counter (context_id, user_id, next_id) values ($1, $2, 2)
       on conflict (context_id, user_id) do update set next_id = oauth_account_counter.next_id + 1
       returning next_id - 1 as id`,
      userId,
    );
    return row!.id;
  }

  /** Stores an account. */
  async insert(tx: Transaction, userId: number, row: AccountRow): Promise<void> {
    await tx.run(
      `insert into oauth_account (context_id, user_id, id, service, display_name, scopes, sealed, is_ended, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      userId,
      row.id,
      row.service,
      row.displayName,
      row.scopes,
      row.sealed,
      row.isEnded,
      row.createdAt,
    );
  }

  /** Renames an account; false for an unknown one. */
  async rename(tx: Transaction, userId: number, id: number, displayName: string): Promise<boolean> {
    const rows = await tx.rows(
      'update oauth_account set display_name = $4 where context_id = $1 and user_id = $2 and id = $3 returning id',
      userId,
      id,
      displayName,
    );
    return rows.length > 0;
  }

  /** Replaces tokens by those of a new grant; false when the account is gone. */
  async replaceGrant(
    tx: Transaction,
    userId: number,
    { id, sealed, scopes }: Pick<AccountRow, 'id' | 'sealed' | 'scopes'>,
  ): Promise<boolean> {
    const rows = await tx.rows(
      `update oauth_account set sealed = $4, scopes = $5, is_ended = false
       where context_id = $1 and user_id = $2 and id = $3 returning id`,
      userId,
      id,
      sealed,
      scopes,
    );
    return rows.length > 0;
  }

  /** Replaces tokens that were refreshed, unless others were granted meanwhile. */
  async refresh(
    tx: Transaction,
    userId: number,
    { id, sealed: former }: Pick<AccountRow, 'id' | 'sealed'>,
    next: Pick<AccountRow, 'sealed' | 'isEnded'>,
  ): Promise<void> {
    await tx.run(
      `update oauth_account set sealed = $5, is_ended = $6
       where context_id = $1 and user_id = $2 and id = $3 and sealed = $4`,
      userId,
      id,
      former,
      next.sealed,
      next.isEnded,
    );
  }

  /** Removes an account; answers what it was. */
  remove(tx: Transaction, userId: number, id: number): Promise<AccountRow | undefined> {
    return tx.first<AccountRow>(
      `delete from oauth_account where context_id = $1 and user_id = $2 and id = $3 returning ${COLUMNS}`,
      userId,
      id,
    );
  }

  /** Removes accounts of a user. */
  async removeUser(tx: Transaction, userId: number): Promise<void> {
    await tx.run('delete from oauth_account where context_id = $1 and user_id = $2', userId);
    await tx.run('delete from oauth_account_counter where context_id = $1 and user_id = $2', userId);
  }

  /** Removes all of the context. */
  async removeContext(tx: Transaction): Promise<void> {
    await tx.run('delete from oauth_account where context_id = $1');
    await tx.run('delete from oauth_account_counter where context_id = $1');
  }
}
