import { Injectable } from '@nestjs/common';
import { FileErrors } from '@groupware/contracts';
import { OWN_STORE } from '@groupware/file-store';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';

/** Content that is kept or about to be. */
export interface Content {
  readonly reference: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Media type that its first bytes show; null when they show none. */
  readonly sniffed: string | null;
}

/** Counters of a context inside a transaction that holds them. */
export interface ContextState {
  readonly nextId: number;
  readonly stamp: number;
  readonly usedBytes: number;
  /** The only store that takes files since a move; null: any. */
  readonly storeId: number | null;
}

/** How references of a store look: those of the own store are bare hexadecimal digits. */
const placeOf = (storeId: number): readonly ['~' | 'like', string] =>
  storeId === OWN_STORE ? ['~', '^[0-9a-f]{32}$'] : ['like', `${storeId}-%`];

/** Rows of contents and the counters of contexts. */
@Injectable()
export class StoredFileRepository {
  /**
   * Takes ids and a stamp that is newer than every one before. The row stays locked: changes of one context go one after
   * the other, so contents cannot be taken and given up at the same time.
   */
  async advance(tx: Transaction, now: number, ids: number): Promise<ContextState> {
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

  /** Adds to the used space; negative numbers give back. Answers what is used now, bytes. */
  async use(tx: Transaction, bytes: number): Promise<number> {
    const row = await tx.first<{ used: number }>(
      `update context_state set used_bytes = used_bytes + $2 where context_id = $1 returning used_bytes as used`,
      bytes,
    );
    return row!.used;
  }

  /** From now on only this store takes files of the context. */
  async settleIn(tx: Transaction, storeId: number, now: number): Promise<void> {
    await this.advance(tx, now, 0);
    await tx.run('update context_state set store_id = $2 where context_id = $1', storeId);
  }

  /** Kept contents whose references begin otherwise, some, after a reference and in its order. */
  keptOutside(db: Reader, storeId: number, after: string, limit: number): Promise<Content[]> {
    const [operator, pattern] = placeOf(storeId);
    return db.objects<Content>(
      `select reference, sha256, size_bytes as "sizeBytes", sniffed from stored_file
       where context_id = $1 and state = 'kept' and not reference ${operator} $2 and reference > $3
       order by reference limit $4`,
      pattern,
      after,
      limit,
    );
  }

  /** Number of contents of all contexts in a store, in any state. */
  async countIn(db: AdministrationTransaction, storeId: number): Promise<number> {
    const [operator, pattern] = placeOf(storeId);
    return Number(await db.text(`select count(*) from stored_file where reference ${operator} $1`, pattern));
  }

  /**
   * Replaces the place of a kept content by a claimed copy; the old one stays as dying, for readers that still hold it.
   * Only while the counters are locked, see {@link advance}. False when the content was given up meanwhile.
   */
  async replace(tx: Transaction, old: string, copy: string, now: number): Promise<boolean> {
    const left = await tx.run(
      `update stored_file set state = 'dying', touched = $3 where context_id = $1 and reference = $2 and state = 'kept'`,
      old,
      now,
    );
    if (left === 0) return false;
    if ((await this.keep(tx, [copy], now)) === 0) throw FileErrors.failed('a copy was swept');
    await tx.run('update attachment set reference = $3 where context_id = $1 and reference = $2', old, copy);
    return true;
  }

  /** Used space of the context, bytes. */
  async used(db: Reader): Promise<number> {
    const row = await db.first<{ used: number }>(`select used_bytes as used from context_state where context_id = $1`);
    return row?.used ?? 0;
  }

  /** Kept contents with one of these hashes. */
  kept(db: Reader, hashes: readonly string[]): Promise<Content[]> {
    return db.objects<Content>(
      `select reference, sha256, size_bytes as "sizeBytes", sniffed from stored_file
       where context_id = $1 and state = 'kept' and sha256 = any($2::text[])`,
      hashes,
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

  /** Notes the intent to keep contents. */
  async intend(tx: Transaction, contents: readonly Content[], now: number): Promise<void> {
    await tx.run(
      `insert into stored_file (context_id, reference, sha256, size_bytes, sniffed, state, touched)
       select $1, x.reference, x.sha256, x."sizeBytes", x.sniffed, 'claiming', $3
       from json_to_recordset($2) as x (reference text, sha256 text, "sizeBytes" bigint, sniffed text)`,
      JSON.stringify(contents),
      now,
    );
  }

  /** Keeps claimed contents; returns how many still wait for that. */
  keep(tx: Transaction, references: readonly string[], now: number): Promise<number> {
    return tx.run(
      `update stored_file set state = 'kept', touched = $3
       where context_id = $1 and reference = any($2::text[]) and state = 'claiming'`,
      references,
      now,
    );
  }

  /** Gives up intents, and takes what is dying already; returns what is to be removed. Kept contents stay. */
  async abandon(tx: Transaction, references: readonly string[], now: number): Promise<string[]> {
    const rows = await tx.rows(
      `update stored_file set state = 'dying', touched = $3
       where context_id = $1 and reference = any($2::text[]) and state <> 'kept' returning reference`,
      references,
      now,
    );
    return rows.map(([reference]) => reference as string);
  }

  /**
   * Marks contents without attachments as dying; returns those. Only while the counters are locked, see {@link advance}:
   * otherwise an attachment that is being written would not be seen.
   */
  async release(tx: Transaction, references: readonly string[], now: number): Promise<string[]> {
    const rows = await tx.rows(
      `update stored_file f set state = 'dying', touched = $3
       where context_id = $1 and reference = any($2::text[]) and not exists (
         select 1 from attachment a where a.context_id = $1 and a.reference = f.reference)
       returning reference`,
      references,
      now,
    );
    return rows.map(([reference]) => reference as string);
  }

  /** Contents that nobody settled since a moment: intents of killed processes, and bytes that could not be removed. */
  async unsettled(db: Reader, before: number, limit: number): Promise<string[]> {
    const rows = await db.rows(
      `select reference from stored_file where context_id = $1 and state <> 'kept' and touched < $2
       order by touched limit $3`,
      before,
      limit,
    );
    return rows.map(([reference]) => reference as string);
  }

  /** Forgets contents whose bytes are gone. */
  async forget(tx: Transaction, references: readonly string[]): Promise<void> {
    await tx.run(
      `delete from stored_file where context_id = $1 and reference = any($2::text[]) and state = 'dying'`,
      references,
    );
  }
}
