import { Injectable } from '@nestjs/common';
import { foldCase, type Reader, type Transaction } from '@groupware/persistence';
import type { ReadableFolders } from '@groupware/folders';

/** A contact with addresses that were looked for. */
export interface AddressedContact {
  readonly id: number;
  /** Those of its addresses that were looked for, case folded. */
  readonly addresses: readonly string[];
}

const EMAILS = ['email1', 'email2', 'email3'] as const;

/** One branch for each address, so that each finds its index. */
const BY_ADDRESS = EMAILS.map(
  (field) => `select a.id, ${foldCase(`a.${field}`)} as address from contact a
    where a.context_id = $1 and ${foldCase(`a.${field}`)} = any($6::text[])
      and (a.folder_id = any($3::int[]) or a.folder_id = any($4::int[]) and a.created_by = $2)
      and (not a.is_private or a.created_by = $2 or a.folder_id = any($5::int[]))`,
).join(' union ');

/** How often users used contacts, and where their addresses are collected. */
@Injectable()
export class ContactUseRepository {
  /** Lets one transaction at a time collect addresses of a user. */
  async lockUser(tx: Transaction, userId: number): Promise<void> {
    await tx.rows(`select pg_advisory_xact_lock(hashtextextended('addresses of ' || $2::int, $1::int))`, userId);
  }

  /** Contacts with one of some addresses (lower case), of those that a user reads. */
  listByAddresses(
    db: Reader,
    userId: number,
    { all, own, owned }: ReadableFolders,
    addresses: readonly string[],
  ): Promise<AddressedContact[]> {
    return db.objects<AddressedContact>(
      `select f.id, json_agg(f.address) as addresses from (${BY_ADDRESS}) as f group by f.id`,
      userId,
      all,
      own,
      owned,
      addresses,
    );
  }

  /** Counts with the next statement that a user used contacts once more; those that are gone are left out. */
  countUse(tx: Transaction, userId: number, contactIds: readonly number[]): void {
    tx.enqueue(
      `insert into contact_use (context_id, user_id, contact_id, uses)
       select $1, $2, a.id, 1 from contact a where a.context_id = $1 and a.id = any($3::int[]) order by a.id
       on conflict (context_id, user_id, contact_id) do update set uses = contact_use.uses + 1`,
      userId,
      contactIds,
    );
  }

  /** The folder in which addresses of a user are collected. */
  async findFolder(db: Reader, userId: number): Promise<number | undefined> {
    const row = await db.first<{ id: number }>(
      'select folder_id as id from collecting_folder where context_id = $1 and user_id = $2',
      userId,
    );
    return row?.id;
  }

  /** Notes with the next statement in which folder addresses of a user are collected. */
  setFolder(tx: Transaction, userId: number, folderId: number): void {
    tx.enqueue('insert into collecting_folder (context_id, user_id, folder_id) values ($1, $2, $3)', userId, folderId);
  }

  /** Deletes how often a user used contacts, and in which folder addresses of the user are collected. */
  async deleteByUser(tx: Transaction, userId: number): Promise<void> {
    await tx.run('delete from contact_use where context_id = $1 and user_id = $2', userId);
    await tx.run('delete from collecting_folder where context_id = $1 and user_id = $2', userId);
  }
}
