import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';

/** A managed file. */
export interface ManagedFile {
  /** UUID. */
  readonly id: string;
  readonly reference: string;
  readonly name: string;
  readonly contentType: string;
  /** Media type by its first bytes; null when they tell none. */
  readonly sniffed: string | null;
  readonly sizeBytes: number;
}

/** Most files and bytes of a user. */
export interface ManagedFileLimits {
  readonly files: number;
  readonly bytes: number;
}

/** Rows of managed files. Times: ms UTC. */
@Injectable()
export class ManagedFileRepository {
  /** Stores files that end at a time unless they are used. */
  async insert(tx: Transaction, userId: number, files: readonly ManagedFile[], now: number, expires: number) {
    await tx.run(
      `insert into managed_file (context_id, id, user_id, reference, filename, content_type, sniffed, size_bytes, used, expires)
       select $1, x.id, $2, x.reference, x.name, x."contentType", x.sniffed, x."sizeBytes", $4, $5
       from json_to_recordset($3) as x (id uuid, reference text, name text, "contentType" text, sniffed text,
         "sizeBytes" bigint)`,
      userId,
      JSON.stringify(files),
      now,
      expires,
    );
  }

  /** Deletes the files of a user that were not used for the longest time, as far as there are too many; answers their references. */
  async deleteBeyond(tx: Transaction, userId: number, { files, bytes }: ManagedFileLimits): Promise<string[]> {
    const rows = await tx.rows(
      `delete from managed_file where context_id = $1 and id = any(array(
         select id from (
           select id, row_number() over newest as place, sum(size_bytes) over newest as total
           from managed_file where context_id = $1 and user_id = $2
           window newest as (order by used desc, id)) as o
         where place > $3 or total > $4))
       returning reference`,
      userId,
      files,
      bytes,
    );
    return rows.map(([reference]) => reference as string);
  }

  /** Waits for other uploads of the user under way: limits hold for all of them together. */
  async lockUser(tx: Transaction, userId: number): Promise<void> {
    await tx.rows(`select pg_advisory_xact_lock($1, hashtext('managed-files-' || $2::text))`, userId);
  }

  /** A file of a user that has not ended. */
  find(db: Reader, userId: number, id: string, now: number): Promise<ManagedFile | undefined> {
    return db.first<ManagedFile>(
      `select id, reference, filename as name, content_type as "contentType", sniffed, size_bytes as "sizeBytes"
       from managed_file where context_id = $1 and id = $3::uuid and user_id = $2 and expires > $4`,
      userId,
      id,
      now,
    );
  }

  /** Moves the end of a file of a user; 0 when there is none that has not ended. */
  use(tx: Transaction, userId: number, id: string, now: number, expires: number): Promise<number> {
    return tx.run(
      `update managed_file set used = $4, expires = $5
       where context_id = $1 and id = $3::uuid and user_id = $2 and expires > $4`,
      userId,
      id,
      now,
      expires,
    );
  }

  /** Deletes the files of the context; answers their references. */
  async removeAll(tx: Transaction): Promise<string[]> {
    const rows = await tx.rows('delete from managed_file where context_id = $1 returning reference');
    return rows.map(([reference]) => reference as string);
  }

  /** Files of all contexts whose time is over, on one shard. */
  async listExpired(db: AdministrationTransaction, now: number, limit: number): Promise<string[]> {
    const rows = await db.rows(
      'select reference from managed_file where expires <= $1 order by expires limit $2',
      now,
      limit,
    );
    return rows.map(([reference]) => reference as string);
  }

  /** Deletes files whose time is over, by their references, on one shard. */
  deleteExpired(db: AdministrationTransaction, references: readonly string[], now: number): Promise<number> {
    return db.run('delete from managed_file where reference = any($1::text[]) and expires <= $2', references, now);
  }
}
