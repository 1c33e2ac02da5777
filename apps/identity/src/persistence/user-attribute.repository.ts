import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';

/** Free attributes of users. */
@Injectable()
export class UserAttributeRepository {
  /** The value of an attribute, or null. */
  async findValue(db: Reader, userId: number, name: string): Promise<string | null> {
    const row = await db.first<{ value: string }>(
      'select value from user_attribute where context_id = $1 and user_id = $2 and name = $3',
      userId,
      name,
    );
    return row?.value ?? null;
  }

  /** Counts the attributes of a user. */
  async count(db: Reader, userId: number): Promise<number> {
    const row = await db.first<{ count: number }>(
      'select count(*)::int as count from user_attribute where context_id = $1 and user_id = $2',
      userId,
    );
    return row!.count;
  }

  /** Sets an attribute; false when `ifAbsent` and it exists. */
  async upsert(tx: Transaction, userId: number, name: string, value: string, ifAbsent: boolean): Promise<boolean> {
    const changed = await tx.run(
      `insert into user_attribute (context_id, user_id, name, value) values ($1, $2, $3, $4)
       on conflict (context_id, user_id, name) ${ifAbsent ? 'do nothing' : 'do update set value = excluded.value'}`,
      userId,
      name,
      value,
    );
    return changed > 0;
  }

  /** Removes an attribute; false when there was none. */
  async delete(tx: Transaction, userId: number, name: string): Promise<boolean> {
    const removed = await tx.run(
      'delete from user_attribute where context_id = $1 and user_id = $2 and name = $3',
      userId,
      name,
    );
    return removed > 0;
  }
}
