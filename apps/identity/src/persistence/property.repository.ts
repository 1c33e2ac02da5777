import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';

/** Values of the configuration cascade in the scopes context and user. */
@Injectable()
export class PropertyRepository {
  /** All values of the context, overridden by those of the user. User 0: values of the context alone. */
  async effective(db: Reader, userId: number): Promise<Record<string, string>> {
    const rows = await db.rows(
      'select key, value from property_value where context_id = $1 and user_id in (0, $2) order by user_id',
      userId,
    );
    return Object.fromEntries(rows as [string, string][]);
  }

  /** {@link effective} for many users in one statement. */
  async effectiveOf(db: Reader, userIds: readonly number[]): Promise<Map<number, Record<string, string>>> {
    const rows = (await db.rows(
      'select user_id, key, value from property_value where context_id = $1 and (user_id = 0 or user_id = any ($2::int[])) order by user_id',
      userIds,
    )) as [number, string, string][];
    const found = new Map(userIds.map((id) => [id, {} as Record<string, string>]));
    for (const [userId, key, value] of rows)
      for (const id of userId === 0 ? userIds : [userId]) found.get(id)![key] = value;
    return found;
  }

  /** One property of many users, by user id; the context's value where the user has none. */
  async ofUsers(db: Reader, key: string, userIds: readonly number[]): Promise<Record<string, string>> {
    const rows = await db.rows(
      `select distinct on (u.id) u.id, v.value from unnest($3::int[]) as u (id)
       join property_value v on v.context_id = $1 and v.key = $2 and v.user_id in (0, u.id)
       order by u.id, v.user_id desc`,
      key,
      userIds,
    );
    return Object.fromEntries(rows as [number, string][]);
  }

  /** The value in one scope, or undefined. */
  async find(db: Reader, userId: number, key: string): Promise<string | undefined> {
    const row = await db.first<{ value: string }>(
      'select value from property_value where context_id = $1 and user_id = $2 and key = $3',
      userId,
      key,
    );
    return row?.value;
  }

  /** Sets the value in one scope. */
  async set(tx: Transaction, userId: number, key: string, value: string): Promise<void> {
    await tx.run(
      `insert into property_value (context_id, user_id, key, value) values ($1, $2, $3, $4)
       on conflict (context_id, user_id, key) do update set value = excluded.value`,
      userId,
      key,
      value,
    );
  }

  /** Removes the value in one scope; answers whether there was one. */
  async remove(tx: Transaction, userId: number, key: string): Promise<boolean> {
    const removed = await tx.run(
      'delete from property_value where context_id = $1 and user_id = $2 and key = $3',
      userId,
      key,
    );
    return removed > 0;
  }
}
