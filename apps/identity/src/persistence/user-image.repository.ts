import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';
import type { AcceptedImage } from '../domain/user-image';

/** A stored picture. */
export interface StoredImage extends AcceptedImage {
  /** ms UTC. */
  readonly changedAt: number;
}

/** Pictures of users, one each. */
@Injectable()
export class UserImageRepository {
  /** The picture of a user with its bytes, or undefined. */
  findByUser(db: Reader, userId: number): Promise<StoredImage | undefined> {
    return db.first<StoredImage>(
      `select content_type as "contentType", bytes, sha256, changed_at as "changedAt" from user_image
       where context_id = $1 and user_id = $2`,
      userId,
    );
  }

  /** Sets pictures; those the users had before go. */
  async upsert(
    tx: Transaction,
    images: readonly { readonly userId: number; readonly image: AcceptedImage }[],
    at: number,
  ): Promise<void> {
    if (images.length === 0) return;
    await tx.run(
      `insert into user_image (context_id, user_id, content_type, bytes, sha256, changed_at)
       select $1, user_id, content_type, bytes, sha256, $6
       from unnest($2::int[], $3::text[], $4::bytea[], $5::text[]) as i (user_id, content_type, bytes, sha256)
       on conflict (context_id, user_id) do update
         set content_type = excluded.content_type, bytes = excluded.bytes, sha256 = excluded.sha256,
           changed_at = excluded.changed_at`,
      images.map(({ userId }) => userId),
      images.map(({ image }) => image.contentType),
      images.map(({ image }) => image.bytes),
      images.map(({ image }) => image.sha256),
      at,
    );
  }

  /** Removes the picture of a user. */
  async delete(tx: Transaction, userId: number): Promise<void> {
    await tx.run('delete from user_image where context_id = $1 and user_id = $2', userId);
  }
}
