import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';

/** One change of a password. */
export interface PasswordChange {
  readonly at: number;
  readonly clientId: string;
  readonly clientAddress: string | null;
}

/** Columns that the history can be sorted by, by their names on the wire. */
const SORTABLE: Readonly<Record<string, string>> = { date: 'at', client_id: 'client_id' };

/**
 * The order a client wants, as SQL; ties keep the order of the changes. Undefined for an unknown field.
 * @param sort `-date,client_id`; empty entries are skipped
 */
export function toOrderClause(sort: string): string | undefined {
  const parts = sort
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const columns = parts.map((part) => {
    const name = part.replace(/^-/, '');
    const column = Object.hasOwn(SORTABLE, name) ? SORTABLE[name] : undefined;
    return column && `${column} ${part.startsWith('-') ? 'desc' : 'asc'}`;
  });
  if (columns.includes(undefined)) return undefined;
  return [...columns, 'entry_id asc'].join(', ');
}

/** History of password changes: time and client, never the passwords. */
@Injectable()
export class PasswordChangeRepository {
  /** Inserts a change and deletes the oldest beyond `keep`. */
  async insert(tx: Transaction, userId: number, change: PasswordChange, keep: number): Promise<void> {
    await tx.run(
      'insert into password_change (context_id, user_id, at, client_id, client_address) values ($1, $2, $3, $4, $5)',
      userId,
      change.at,
      change.clientId,
      change.clientAddress,
    );
    await tx.run(
      `delete from password_change where context_id = $1 and user_id = $2 and entry_id not in
         (select entry_id from password_change where context_id = $1 and user_id = $2
          order by at desc, entry_id desc limit $3)`,
      userId,
      keep,
    );
  }

  /** The changes of a user. @param order as {@link toOrderClause} made it */
  list(db: Reader, userId: number, order: string, limit: number | null): Promise<PasswordChange[]> {
    return db.objects<PasswordChange>(
      `select at, client_id as "clientId", client_address as "clientAddress" from password_change
       where context_id = $1 and user_id = $2 order by ${order} limit $3`,
      userId,
      limit,
    );
  }
}
