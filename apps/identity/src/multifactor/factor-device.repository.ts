import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';

/** A second factor as it is stored. */
export interface FactorDevice {
  readonly id: string;
  readonly userId: number;
  readonly provider: string;
  readonly name: string;
  readonly backup: boolean;
  readonly enabled: boolean;
  /** Sealed. */
  readonly secret: string;
  readonly createdAt: number;
}

const COLUMNS = `device_id as id, user_id as "userId", provider, name, backup, enabled, secret, created_at as "createdAt"`;

/** Rows of second factors, and the counters of logins that enforcement goes by. */
@Injectable()
export class FactorDeviceRepository {
  /** The devices of a user in the order they were registered. */
  listByUser(db: Reader, userId: number): Promise<FactorDevice[]> {
    return db.objects<FactorDevice>(
      `select ${COLUMNS} from factor_device where context_id = $1 and user_id = $2 order by created_at, device_id`,
      userId,
    );
  }

  /** Counts the usable devices of a user. */
  async countUsable(db: Reader, userId: number): Promise<number> {
    const row = await db.first<{ count: number }>(
      'select count(*)::int as count from factor_device where context_id = $1 and user_id = $2 and enabled and not backup',
      userId,
    );
    return row!.count;
  }

  /** Serializes changes of what the user logs in with until the transaction ends. */
  async lockUser(tx: Transaction, userId: number): Promise<void> {
    await tx.run('select 1 from directory_user where context_id = $1 and user_id = $2 for update', userId);
  }

  /** Stores a device. */
  async insert(tx: Transaction, device: FactorDevice): Promise<void> {
    await tx.run(
      `insert into factor_device (context_id, device_id, user_id, provider, name, backup, enabled, secret, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      device.id,
      device.userId,
      device.provider,
      device.name,
      device.backup,
      device.enabled,
      device.secret,
      device.createdAt,
    );
  }

  /** Updates the facts of a device after a use; false when it was used concurrently. */
  async recordUse(tx: Transaction, device: FactorDevice, secret: string, at: number): Promise<boolean> {
    const changed = await tx.run(
      `update factor_device set secret = $3, used_at = $4 where context_id = $1 and device_id = $2 and secret = $5`,
      device.id,
      secret,
      at,
      device.secret,
    );
    return changed > 0;
  }

  /** Gives a device another name. */
  async updateName(tx: Transaction, id: string, name: string): Promise<void> {
    await tx.run('update factor_device set name = $3 where context_id = $1 and device_id = $2', id, name);
  }

  /** Removes devices; answers how many there were. */
  delete(tx: Transaction, ids: readonly string[]): Promise<number> {
    return tx.run('delete from factor_device where context_id = $1 and device_id = any ($2::uuid[])', ids);
  }

  /** Logins of a user that count for enforcement. */
  findLoginInformation(db: Reader, userId: number): Promise<{ logins: number; firstLogin: number } | undefined> {
    return db.first(
      'select logins, first_login as "firstLogin" from login_information where context_id = $1 and user_id = $2',
      userId,
    );
  }

  /** Counts a login. */
  async countLogin(tx: Transaction, userId: number, at: number): Promise<void> {
    await tx.run(
      `insert into login_information (context_id, user_id, logins, first_login) values ($1, $2, 1, $3)
       on conflict (context_id, user_id) do update set logins = login_information.logins + 1`,
      userId,
      at,
    );
  }

  /** Forgets the logins that were counted. */
  async resetLogins(tx: Transaction, userId: number): Promise<void> {
    await tx.run('delete from login_information where context_id = $1 and user_id = $2', userId);
  }
}
