import { Injectable } from '@nestjs/common';
import { FileErrors } from '@groupware/contracts';
import { OWN_STORE } from '@groupware/file-store';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import { FileUses } from './file-uses';

/** A stored file, claimed or kept. */
export interface Content {
  readonly reference: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Media type sniffed from its first bytes; null when unknown. */
  readonly sniffed: string | null;
}

/** Locked counters of a context. */
export interface ContextState {
  readonly nextId: number;
  readonly stamp: number;
  readonly usedBytes: number;
  /** Store that accepts files since a move; null: any. */
  readonly storeId: number | null;
}

/** Pattern of a store's references; those of the local store are bare hexadecimal digits. */
const toReferencePattern = (storeId: number): readonly ['~' | 'like', string] =>
  storeId === OWN_STORE ? ['~', '^[0-9a-f]{32}$'] : ['like', `${storeId}-%`];

/** Rows of contents and the counters of contexts. */
@Injectable()
export class StoredFileRepository {
  constructor(private readonly uses: FileUses) {}

  /**
   * Allocates ids and a strictly increasing stamp. The row stays locked: changes of a context are serialized, so
   * contents cannot be claimed and released concurrently.
   */
  async advanceCounters(tx: Transaction, now: number, ids: number): Promise<ContextState> {
    const row = await tx.first<ContextState>(
      `insert into context_state as s (context_id, next_id, last_stamp) values ($1, 1 + $3::int, $2)
       on conflict (context_id) do update
         set next_id = s.next_id + $3::int, last_stamp = greatest(s.last_stamp + 1, $2)
       returning next_id - $3::int as "nextId", last_stamp as stamp, used_bytes as "usedBytes", store_id as "storeId"`,
      now,
      ids,
    );
    return row!;
  }

  /** Adds to the used bytes (negative: subtracts); answers the total. */
  async addUsedBytes(tx: Transaction, bytes: number): Promise<number> {
    const row = await tx.first<{ used: number }>(
      `update context_state set used_bytes = used_bytes + $2 where context_id = $1 returning used_bytes as used`,
      bytes,
    );
    return row!.used;
  }

  /** Restricts new files of the context to a store. */
  async updateStore(tx: Transaction, storeId: number, now: number): Promise<void> {
    await this.advanceCounters(tx, now, 0);
    await tx.run('update context_state set store_id = $2 where context_id = $1', storeId);
  }

  /** Lists kept contents outside a store, in batches by reference. */
  listKeptOutside(db: Reader, storeId: number, after: string, limit: number): Promise<Content[]> {
    const [operator, pattern] = toReferencePattern(storeId);
    return db.objects<Content>(
      `select reference, sha256, size_bytes as "sizeBytes", sniffed from stored_file
       where context_id = $1 and state = 'kept' and not reference ${operator} $2 and reference > $3
       order by reference limit $4`,
      pattern,
      after,
      limit,
    );
  }

  /** Counts contents of all contexts in a store, in any state. */
  async countInStore(db: AdministrationTransaction, storeId: number): Promise<number> {
    const [operator, pattern] = toReferencePattern(storeId);
    return Number(await db.text(`select count(*) from stored_file where reference ${operator} $1`, pattern));
  }

  /**
   * Replaces a kept content by a claimed copy; the old one becomes dying, for downloads in progress. Requires the lock
   * of {@link advanceCounters}. False when the content was released meanwhile.
   */
  async replaceContent(tx: Transaction, old: string, copy: string, now: number): Promise<boolean> {
    const left = await tx.run(
      `update stored_file set state = 'dying', touched = $3 where context_id = $1 and reference = $2 and state = 'kept'`,
      old,
      now,
    );
    if (left === 0) return false;
    if ((await this.markKept(tx, [copy], now)) === 0) throw FileErrors.failed('a copy was swept');
    await tx.run(`update ${this.uses.table} set reference = $3 where context_id = $1 and reference = $2`, old, copy);
    return true;
  }

  /** Used space of the context, bytes. */
  async getUsedBytes(db: Reader): Promise<number> {
    const row = await db.first<{ used: number }>(`select used_bytes as used from context_state where context_id = $1`);
    return row?.used ?? 0;
  }

  /** Lists kept contents by hash. */
  listKeptByHash(db: Reader, hashes: readonly string[]): Promise<Content[]> {
    return db.objects<Content>(
      `select reference, sha256, size_bytes as "sizeBytes", sniffed from stored_file
       where context_id = $1 and state = 'kept' and sha256 = any($2::text[])`,
      hashes,
    );
  }

  /** A kept content. */
  find(db: Reader, reference: string): Promise<Content | undefined> {
    return db.first<Content>(
      `select reference, sha256, size_bytes as "sizeBytes", sniffed from stored_file
       where context_id = $1 and reference = $2 and state = 'kept'`,
      reference,
    );
  }

  /** True while a content is kept. */
  async isKept(db: Reader, reference: string): Promise<boolean> {
    const rows = await db.rows(
      `select from stored_file where context_id = $1 and reference = $2 and state = 'kept'`,
      reference,
    );
    return rows.length > 0;
  }

  /** Inserts intents to keep contents. */
  async insertIntents(tx: Transaction, contents: readonly Content[], now: number): Promise<void> {
    await tx.run(
      `insert into stored_file (context_id, reference, sha256, size_bytes, sniffed, state, touched)
       select $1, x.reference, x.sha256, x."sizeBytes", x.sniffed, 'claiming', $3
       from json_to_recordset($2) as x (reference text, sha256 text, "sizeBytes" bigint, sniffed text)
       on conflict (context_id, reference) do nothing`,
      JSON.stringify(contents),
      now,
    );
  }

  /** Marks claimed contents as kept; answers their count. */
  markKept(tx: Transaction, references: readonly string[], now: number): Promise<number> {
    return tx.run(
      `update stored_file set state = 'kept', touched = $3
       where context_id = $1 and reference = any($2::text[]) and state = 'claiming'`,
      references,
      now,
    );
  }

  /** Marks intents as dying; answers all dying ones to remove. Kept contents stay. */
  async abandonIntents(tx: Transaction, references: readonly string[], now: number): Promise<string[]> {
    const rows = await tx.rows(
      `update stored_file set state = 'dying', touched = $3
       where context_id = $1 and reference = any($2::text[]) and state <> 'kept' returning reference`,
      references,
      now,
    );
    return rows.map(([reference]) => reference as string);
  }

  /** Lists those of some references that have a row, in any state. */
  async listKnown(db: Reader, references: readonly string[]): Promise<string[]> {
    const rows = await db.rows(
      'select reference from stored_file where context_id = $1 and reference = any($2::text[])',
      references,
    );
    return rows.map(([reference]) => reference as string);
  }

  /**
   * Marks contents that nothing uses as dying; answers those. Requires the lock of {@link advanceCounters}: otherwise a
   * concurrent use would be missed.
   */
  async releaseUnused(tx: Transaction, references: readonly string[], now: number): Promise<string[]> {
    const rows = await tx.rows(
      `update stored_file f set state = 'dying', touched = $3
       where context_id = $1 and reference = any($2::text[]) and not exists (
         select 1 from ${this.uses.table} a where a.context_id = $1 and a.reference = f.reference)
       returning reference`,
      references,
      now,
    );
    return rows.map(([reference]) => reference as string);
  }

  /** Lists contents in transition since a stamp: intents of killed processes, and bytes that could not be removed. */
  async listUnsettled(db: Reader, before: number, limit: number): Promise<string[]> {
    const rows = await db.rows(
      `select reference from stored_file where context_id = $1 and state <> 'kept' and touched < $2
       order by touched limit $3`,
      before,
      limit,
    );
    return rows.map(([reference]) => reference as string);
  }

  /** Deletes rows of purged contents. */
  async delete(tx: Transaction, references: readonly string[]): Promise<void> {
    await tx.run(
      `delete from stored_file where context_id = $1 and reference = any($2::text[]) and state = 'dying'`,
      references,
    );
  }
}
