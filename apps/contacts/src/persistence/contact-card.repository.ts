import { Injectable } from '@nestjs/common';
import { toStorableJson } from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';

/** The imported vCard of a contact. */
export interface StoredCard {
  readonly contactId: number;
  /** One vCard of version 4.0. */
  readonly card: string;
}

/** An import that is identified by its file. */
export interface ImportKey {
  readonly userId: number;
  readonly folderId: number;
  /** SHA-256 of the file, hex. */
  readonly fileHash: string;
}

/** Imported vCards, and imports that have not ended. */
@Injectable()
export class ContactCardRepository {
  /** The vCards of contacts by the id of the contact. */
  async mapByContacts(db: Reader, contactIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const rows = await db.objects<StoredCard>(
      'select contact_id as "contactId", card from contact_card where context_id = $1 and contact_id = any($2::int[])',
      contactIds,
    );
    return new Map(rows.map(({ contactId, card }) => [contactId, card]));
  }

  /** Stores vCards with the next statement, in place of those that were there. */
  upsert(tx: Transaction, cards: readonly StoredCard[]): void {
    if (cards.length === 0) return;
    tx.enqueue(
      `insert into contact_card (context_id, contact_id, card)
       select $1, x."contactId", x.card from json_to_recordset($2) as x ("contactId" int, card text)
       on conflict (context_id, contact_id) do update set card = excluded.card`,
      toStorableJson(cards),
    );
  }

  /** Begins an import, or goes on with the one of the same file that was cut off; returns its seed. */
  async beginImport(
    tx: Transaction,
    { userId, folderId, fileHash }: ImportKey,
    seed: string,
    now: number,
  ): Promise<string> {
    const row = await tx.first<{ seed: string }>(
      `insert into contact_import (context_id, user_id, folder_id, file_hash, seed, started)
       values ($1, $2, $3, $4, $5::uuid, $6)
       on conflict (context_id, user_id, folder_id, file_hash) do update set started = excluded.started
       returning seed::text`,
      userId,
      folderId,
      fileHash,
      seed,
      now,
    );
    return row!.seed;
  }

  /** Ends an import: the same file makes new contacts the next time. */
  async endImport(tx: Transaction, { userId, folderId, fileHash }: ImportKey): Promise<void> {
    await tx.run(
      'delete from contact_import where context_id = $1 and user_id = $2 and folder_id = $3 and file_hash = $4',
      userId,
      folderId,
      fileHash,
    );
  }

  /** Forgets the imports of a user. */
  async removeImports(tx: Transaction, userId: number): Promise<void> {
    await tx.run('delete from contact_import where context_id = $1 and user_id = $2', userId);
  }
}
