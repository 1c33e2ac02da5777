import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';

/** An application password as it is stored. */
export interface AppPasswordRow {
  readonly id: string;
  readonly userId: number;
  readonly login: string;
  readonly scope: string;
  readonly name: string;
  readonly sealedPassword: string | null;
  readonly createdAt: number;
  readonly lastLogin: number | null;
  readonly lastAddress: string | null;
  readonly lastDevice: string | null;
}

const COLUMNS = `password_id as id, user_id as "userId", login, scope, name, sealed_password as "sealedPassword",
  created_at as "createdAt", last_login as "lastLogin", last_address as "lastAddress", last_device as "lastDevice"`;

/** Rows of application passwords. */
@Injectable()
export class AppPasswordRepository {
  /** The passwords of a user in the order they were made. */
  listByUser(db: Reader, userId: number): Promise<AppPasswordRow[]> {
    return db.objects<AppPasswordRow>(
      `select ${COLUMNS} from app_password where context_id = $1 and user_id = $2 order by created_at, password_id`,
      userId,
    );
  }

  /** The password of a user with a hash. */
  findByHash(db: Reader, userId: number, hash: string): Promise<AppPasswordRow | undefined> {
    return db.first<AppPasswordRow>(
      `select ${COLUMNS} from app_password where context_id = $1 and user_id = $2 and hash = $3`,
      userId,
      hash,
    );
  }

  /** Stores a password. */
  async insert(
    tx: Transaction,
    row: Pick<AppPasswordRow, 'id' | 'userId' | 'login' | 'scope' | 'name' | 'sealedPassword' | 'createdAt'> & {
      readonly hash: string;
    },
  ): Promise<void> {
    await tx.run(
      `insert into app_password (context_id, password_id, user_id, login, scope, name, hash, sealed_password, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      row.id,
      row.userId,
      row.login,
      row.scope,
      row.name,
      row.hash,
      row.sealedPassword,
      row.createdAt,
    );
  }

  /** Notes a login; false when the password is gone. */
  async recordUse(tx: Transaction, id: string, use: { at: number; address: string; device: string }): Promise<boolean> {
    const changed = await tx.run(
      `update app_password set last_login = $3, last_address = $4, last_device = $5
       where context_id = $1 and password_id = $2`,
      id,
      use.at,
      use.address,
      use.device,
    );
    return changed > 0;
  }

  /** Removes all passwords of a user. */
  async deleteByUser(tx: Transaction, userId: number): Promise<void> {
    await tx.run('delete from app_password where context_id = $1 and user_id = $2', userId);
  }

  /** Removes a password of a user; false when there was none. */
  async deleteById(tx: Transaction, userId: number, id: string): Promise<boolean> {
    return (
      (await tx.run(
        'delete from app_password where context_id = $1 and user_id = $2 and password_id::text = lower($3)',
        userId,
        id,
      )) > 0
    );
  }

  /** Forgets the sealed copies of a user's own password, which was changed. */
  async clearSealedPasswords(tx: Transaction, userId: number): Promise<void> {
    await tx.run(
      'update app_password set sealed_password = null where context_id = $1 and user_id = $2 and sealed_password is not null',
      userId,
    );
  }
}
