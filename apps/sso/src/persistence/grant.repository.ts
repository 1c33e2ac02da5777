import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';

/** A grant as it is stored. */
export interface GrantRow {
  readonly id: string;
  readonly userId: number;
  readonly clientId: string;
  readonly scopes: string[];
  readonly refreshDigest: Buffer;
  /** ms UTC */
  readonly createdAt: number;
}

const COLUMNS = `id, user_id as "userId", client_id as "clientId", scopes, refresh_digest as "refreshDigest",
  created_at as "createdAt"`;

/** SQL of `oauth_grant`. */
@Injectable()
export class GrantRepository {
  /** Grants of a user, newest first. */
  listByUser(db: Reader, userId: number): Promise<GrantRow[]> {
    return db.objects<GrantRow>(
      `select ${COLUMNS} from oauth_grant where context_id = $1 and user_id = $2 order by created_at desc, id`,
      userId,
    );
  }

  /** The grant of a refresh token, locked: of two that show it at the same time one is the first. */
  findByRefresh(tx: Transaction, digest: Buffer): Promise<(GrantRow & { isFormer: boolean }) | undefined> {
    return tx.first(
      `select ${COLUMNS}, refresh_digest <> $2 as "isFormer" from oauth_grant
       where context_id = $1 and (refresh_digest = $2 or former_digest = $2) for update`,
      digest,
    );
  }

  /** Whether there is a grant. */
  async exists(db: Reader, id: string): Promise<boolean> {
    return (await db.rows('select 1 from oauth_grant where context_id = $1 and id = $2', id)).length > 0;
  }

  /** Stores a grant. */
  async insert(tx: Transaction, grant: GrantRow): Promise<void> {
    await tx.run(
      `insert into oauth_grant (context_id, id, user_id, client_id, scopes, refresh_digest, created_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      grant.id,
      grant.userId,
      grant.clientId,
      grant.scopes,
      grant.refreshDigest,
      grant.createdAt,
    );
  }

  /** Replaces the refresh token of a grant; the former one stays known, as a sign of theft. */
  async rotate(tx: Transaction, id: string, digest: Buffer): Promise<void> {
    await tx.run(
      `update oauth_grant set former_digest = refresh_digest, refresh_digest = $3 where context_id = $1 and id = $2`,
      id,
      digest,
    );
  }

  /** Removes all but the newest grants of a user for an application; answers the ids of those that went. */
  async removeSurplus(tx: Transaction, userId: number, clientId: string, kept: number): Promise<string[]> {
    const rows = await tx.rows(
      `delete from oauth_grant where context_id = $1 and id in (
         select id from oauth_grant where context_id = $1 and user_id = $2 and client_id = $3
         order by created_at desc, id offset $4) returning id`,
      userId,
      clientId,
      kept,
    );
    return rows.map(([id]) => String(id));
  }

  /** Removes a grant. */
  async remove(tx: Transaction, id: string): Promise<void> {
    await tx.run('delete from oauth_grant where context_id = $1 and id = $2', id);
  }

  /** Removes grants of a user for an application; answers their ids. */
  async removeByClient(tx: Transaction, userId: number, clientId: string): Promise<string[]> {
    const rows = await tx.rows(
      'delete from oauth_grant where context_id = $1 and user_id = $2 and client_id = $3 returning id',
      userId,
      clientId,
    );
    return rows.map(([id]) => String(id));
  }

  /** Removes grants of a user. */
  async removeUser(tx: Transaction, userId: number): Promise<void> {
    await tx.run('delete from oauth_grant where context_id = $1 and user_id = $2', userId);
  }

  /** Removes all of the context. */
  async removeContext(tx: Transaction): Promise<void> {
    await tx.run('delete from oauth_grant where context_id = $1');
  }
}
