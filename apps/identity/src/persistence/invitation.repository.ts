import { Injectable } from '@nestjs/common';
import type { Transaction } from '@groupware/persistence';

/** An invitation to store: the digest of its token, and whom it is for. */
export interface InvitationRow {
  readonly userId: number;
  readonly digest: Buffer;
  readonly expiresAt: number;
}

/** Rows of invitations; a user has at most one. */
@Injectable()
export class InvitationRepository {
  /** Stores invitations; those of the same users before are void. */
  async insert(tx: Transaction, invitations: readonly InvitationRow[]): Promise<void> {
    if (invitations.length === 0) return;
    await tx.run(
      `insert into invitation (context_id, user_id, digest, expires_at)
       select $1, id, decode(digest, 'hex'), expires_at
       from unnest($2::int[], $3::text[], $4::bigint[]) as i (id, digest, expires_at)
       on conflict (context_id, user_id) do update set digest = excluded.digest, expires_at = excluded.expires_at`,
      invitations.map(({ userId }) => userId),
      invitations.map(({ digest }) => digest.toString('hex')),
      invitations.map(({ expiresAt }) => expiresAt),
    );
  }

  /** Finds and locks the user of a valid invitation. */
  async lockUserByDigest(tx: Transaction, digest: Buffer, now: number): Promise<number | undefined> {
    const row = await tx.first<{ id: number }>(
      `select user_id as id from invitation where context_id = $1 and digest = decode($2, 'hex') and expires_at > $3 for update`,
      digest.toString('hex'),
      now,
    );
    return row?.id;
  }

  /** Voids the invitation of a user. */
  async delete(tx: Transaction, userId: number): Promise<void> {
    await tx.run('delete from invitation where context_id = $1 and user_id = $2', userId);
  }
}
