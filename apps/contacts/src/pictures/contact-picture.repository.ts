import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';
import type { Picture } from '@groupware/pictures';
import type { ReadableFolders } from '@groupware/folders';

/** A contact that has a picture. */
export interface PicturedContact {
  readonly id: number;
  /** The user whose contact it is, whose picture is stored elsewhere. */
  readonly userId: number | null;
  /** When the picture was set, ms UTC. */
  readonly imageChanged: number | null;
}

/** Pictures of contacts. */
@Injectable()
export class ContactPictureRepository {
  /** The picture of a contact. */
  find(db: Reader, contactId: number): Promise<Picture | undefined> {
    return db.first<Picture>(
      `select content_type as "contentType", bytes, sha256 from contact_picture where context_id = $1 and contact_id = $2`,
      contactId,
    );
  }

  /** The pictures of some contacts, by contact. */
  async mapByContacts(db: Reader, contactIds: readonly number[]): Promise<ReadonlyMap<number, Picture>> {
    if (contactIds.length === 0) return new Map();
    const rows = await db.objects<Picture & { readonly contactId: number }>(
      `select contact_id as "contactId", content_type as "contentType", bytes, sha256
       from contact_picture where context_id = $1 and contact_id = any($2::int[])`,
      contactIds,
    );
    return new Map(rows.map(({ contactId, ...picture }) => [contactId, picture]));
  }

  /** Digests of the pictures of some contacts, by contact. */
  async mapDigests(db: Reader, contactIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    if (contactIds.length === 0) return new Map();
    const rows = await db.objects<{ readonly contactId: number; readonly sha256: string }>(
      `select contact_id as "contactId", sha256 from contact_picture
       where context_id = $1 and contact_id = any($2::int[])`,
      contactIds,
    );
    return new Map(rows.map(({ contactId, sha256 }) => [contactId, sha256]));
  }

  /** Sets the picture of a contact with the next statement. */
  upsert(tx: Transaction, contactId: number, { contentType, bytes, sha256 }: Picture): void {
    tx.enqueue(
      `insert into contact_picture (context_id, contact_id, content_type, bytes, sha256) values ($1, $2, $3, $4, $5)
       on conflict (context_id, contact_id) do update
         set content_type = excluded.content_type, bytes = excluded.bytes, sha256 = excluded.sha256`,
      contactId,
      contentType,
      bytes,
      sha256,
    );
  }

  /** Removes the picture of a contact with the next statement. */
  remove(tx: Transaction, contactId: number): void {
    tx.enqueue('delete from contact_picture where context_id = $1 and contact_id = $2', contactId);
  }

  /** A contact with a picture and one of some addresses, of those that a user reads: users first, then the newest picture. */
  findByAddresses(
    db: Reader,
    userId: number,
    { all, own, owned }: ReadableFolders,
    addresses: readonly string[],
  ): Promise<PicturedContact | undefined> {
    return db.first<PicturedContact>(
      `select a.id, a.user_id as "userId", a.image_changed as "imageChanged" from contact a
       where a.context_id = $1 and a.image_type is not null
         and (lower(a.email1) = any($6::text[]) or lower(a.email2) = any($6::text[]) or lower(a.email3) = any($6::text[]))
         and (a.folder_id = any($3::int[]) or a.folder_id = any($4::int[]) and a.created_by = $2)
         and (not a.is_private or a.created_by = $2 or a.folder_id = any($5::int[]))
       order by a.user_id is null, a.image_changed desc, a.id limit 1`,
      userId,
      all,
      own,
      owned,
      addresses.map((address) => address.toLowerCase()),
    );
  }
}
