import { Injectable } from '@nestjs/common';
import type { Share, ShareKey, ShareNotice } from '@groupware/contracts';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';

/** A share as it is stored with its owner. */
export interface ShareRow extends ShareNotice {
  readonly contextId: number;
  readonly permissions: number;
  readonly name: string | null;
  readonly defaultFolder: boolean;
  readonly sendOnBehalf: boolean;
  readonly guest: boolean;
  readonly created: number;
}

const COLUMNS = `context_id as "contextId", share_id as "shareId", owner, module, kind, nullif(folder, '') as folder,
  nullif(item, '') as item, grantee_context as "granteeContext", entity, entity_group as "group", permissions, name,
  default_folder as "defaultFolder", send_on_behalf as "sendOnBehalf", guest, created`;

/** Which shares; absent: all. */
export interface ShareFilter {
  readonly to?: number;
  readonly module?: string;
}

/** Rows of shares. */
@Injectable()
export class ShareRepository {
  /** Writes a share; a known one gets the new rights. */
  async upsert(tx: Transaction, share: Share, at: number): Promise<ShareRow> {
    const row = await tx.first<ShareRow>(
      `insert into share (context_id, owner, module, kind, folder, item, grantee_context, entity, entity_group, permissions,
         name, default_folder, send_on_behalf, created, guest)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
       on conflict on constraint share_unique do update set permissions = excluded.permissions, name = excluded.name,
         default_folder = excluded.default_folder, send_on_behalf = excluded.send_on_behalf, guest = excluded.guest, retry_at = null, attempts = 0
       returning ${COLUMNS}`,
      share.owner,
      share.module,
      share.kind,
      share.folder ?? '',
      share.item ?? '',
      share.granteeContext,
      share.entity,
      share.group,
      share.permissions,
      share.name ?? null,
      share.defaultFolder ?? false,
      share.sendOnBehalf ?? false,
      at,
      share.guest ?? false,
    );
    return row!;
  }

  /** The share of a key, or undefined. */
  findByKey(db: Reader, key: ShareKey): Promise<ShareRow | undefined> {
    return db.first<ShareRow>(
      `select ${COLUMNS} from share where context_id = $1 and owner = $2 and module = $3 and kind = $4 and folder = $5
         and item = $6 and grantee_context = $7 and entity = $8`,
      key.owner,
      key.module,
      key.kind,
      key.folder ?? '',
      key.item ?? '',
      key.granteeContext,
      key.entity,
    );
  }

  /** The share of an id, or undefined. */
  findById(db: Reader, shareId: string): Promise<ShareRow | undefined> {
    return db.first<ShareRow>(`select ${COLUMNS} from share where context_id = $1 and share_id::text = $2`, shareId);
  }

  /** The share of an id, or undefined; until the end of the transaction it is neither changed nor deleted. */
  lockById(tx: Transaction, shareId: string): Promise<ShareRow | undefined> {
    return tx.first<ShareRow>(
      `select ${COLUMNS} from share where context_id = $1 and share_id::text = $2 for share`,
      shareId,
    );
  }

  /** Lists what a user shares beyond the users of the context. */
  listByOwner(db: Reader, owner: number, filter: ShareFilter = {}): Promise<ShareRow[]> {
    return db.objects<ShareRow>(
      `select ${COLUMNS} from share where context_id = $1 and owner = $2 and (grantee_context <> $1 or guest)
         and ($3::int is null or grantee_context = $3) and ($4::text is null or module = $4)
       order by grantee_context, created, share_id`,
      owner,
      filter.to ?? null,
      filter.module ?? null,
    );
  }

  /** Lists the shares of a folder. */
  listByFolder(db: Reader, module: string, folder: string): Promise<ShareRow[]> {
    return db.objects<ShareRow>(
      `select ${COLUMNS} from share where context_id = $1 and module = $2 and kind = 'folder' and folder = $3`,
      module,
      folder,
    );
  }

  /** Lists the shares of an object, whatever folder it was in. */
  listByObject(db: Reader, module: string, item: string): Promise<ShareRow[]> {
    return db.objects<ShareRow>(
      `select ${COLUMNS} from share where context_id = $1 and module = $2 and kind = 'object' and item = $3`,
      module,
      item,
    );
  }

  /** All shares of a user, or (without) of the context. */
  listAll(db: Reader, owner?: number): Promise<ShareRow[]> {
    return db.objects<ShareRow>(
      `select ${COLUMNS} from share where context_id = $1 and ($2::int is null or owner = $2)`,
      owner ?? null,
    );
  }

  /** Removes a share; answers whether it was there. */
  async delete(tx: Transaction, shareId: string): Promise<boolean> {
    return (await tx.run('delete from share where context_id = $1 and share_id::text = $2', shareId)) > 0;
  }

  /** Notes a try that failed, and when to try again (null: not by itself). */
  async updateRetry(tx: Transaction, shareId: string, retryAt: (attempts: number) => number | null): Promise<void> {
    const text = await tx.text(
      'select attempts from share where context_id = $1 and share_id::text = $2 for update',
      shareId,
    );
    if (text === undefined) return;
    await tx.run(
      'update share set attempts = attempts + 1, retry_at = $3 where context_id = $1 and share_id::text = $2',
      shareId,
      retryAt(Number(text)),
    );
  }

  /** Claims what is due for another try on one shard: nothing else gets it until the lease ends. */
  claimDue(db: AdministrationTransaction, now: number, leaseMs: number, limit: number): Promise<ShareRow[]> {
    return db.objects<ShareRow>(
      `update share set retry_at = $1 + $2 where (context_id, share_id) in (
         select context_id, share_id from share where retry_at <= $1 order by retry_at limit $3 for update skip locked)
       returning ${COLUMNS}`,
      now,
      leaseMs,
      limit,
    );
  }
}

/** Converts a share to the payload of its events. */
export const toNotice = (row: ShareRow): ShareNotice => ({
  shareId: row.shareId,
  owner: row.owner,
  module: row.module,
  kind: row.kind,
  folder: row.folder,
  item: row.item,
  granteeContext: row.granteeContext,
  entity: row.entity,
  group: row.group,
});
