import { Injectable } from '@nestjs/common';
import type { ForeignLink } from '@groupware/contracts';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import type { ShareRow } from './share.repository';

/** A fact stored with an entity: it sees something that was shared. */
export interface LiaisonRow {
  readonly contextId: number;
  readonly id: string;
  readonly entity: number;
  readonly group: boolean;
  readonly type: string;
  readonly module: string;
  readonly from: number;
  readonly owner: number;
  readonly reference: string;
  readonly folder: string | null;
  readonly item: string | null;
  readonly permissions: number;
  readonly name: string | null;
  readonly defaultFolder: boolean;
  readonly sendOnBehalf: boolean;
}

const COLUMNS = `context_id as "contextId", liaison_id as id, entity, entity_group as "group", type, module,
  from_context as "from", owner, reference, nullif(folder, '') as folder, nullif(item, '') as item, permissions, name,
  default_folder as "defaultFolder", send_on_behalf as "sendOnBehalf"`;

/** Which liaisons; absent: all. */
export interface LiaisonFilter {
  readonly from?: number;
  readonly owner?: number;
  readonly module?: string;
}

/** Rows of liaisons. */
@Injectable()
export class LiaisonRepository {
  /** Writes the other side of a share, in the context of the entity. */
  async upsertShare(tx: Transaction, share: ShareRow): Promise<void> {
    await tx.run(
      `insert into liaison (context_id, entity, entity_group, type, module, from_context, owner, reference, folder, item,
         permissions, name, default_folder, send_on_behalf)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
       on conflict on constraint liaison_unique do update set permissions = excluded.permissions, name = excluded.name,
         default_folder = excluded.default_folder, send_on_behalf = excluded.send_on_behalf`,
      share.entity,
      share.group,
      share.kind,
      share.module,
      share.contextId,
      share.owner,
      share.shareId,
      share.folder ?? '',
      share.item ?? '',
      share.permissions,
      share.name,
      share.defaultFolder,
      share.sendOnBehalf,
    );
  }

  /** Removes the other side of a share. */
  async deleteShare(tx: Transaction, from: number, shareId: string): Promise<boolean> {
    return (
      (await tx.run(
        'delete from liaison where context_id = $1 and from_context = $2 and reference = $3',
        from,
        shareId,
      )) > 0
    );
  }

  /** Writes a link of another kind; a known one stays. */
  async insertLink(tx: Transaction, link: ForeignLink): Promise<void> {
    await tx.run(
      `insert into liaison (context_id, entity, entity_group, type, module, from_context, owner, reference)
       values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict on constraint liaison_unique do nothing`,
      link.entity,
      link.group,
      link.type,
      link.module,
      link.from,
      link.owner,
      link.reference,
    );
  }

  /** Removes a link of another kind; answers whether it was there. */
  async deleteLink(tx: Transaction, link: ForeignLink): Promise<boolean> {
    const removed = await tx.run(
      `delete from liaison where context_id = $1 and entity = $2 and type = $3 and module = $4 and from_context = $5
         and reference = $6`,
      link.entity,
      link.type,
      link.module,
      link.from,
      link.reference,
    );
    return removed > 0;
  }

  /** Lists what the context sees of others: distinct entity, module and context, sorted. */
  async listSummary(db: Reader): Promise<{ entity: number; group: boolean; module: string; from: number }[]> {
    return db.objects(
      `select distinct entity, entity_group as "group", module, from_context as "from" from liaison
       where context_id = $1 and from_context <> $1 order by entity, module, from_context`,
    );
  }

  /** Lists what entities see of other contexts: distinct module and context, sorted. */
  async listContexts(db: Reader, entities: readonly number[]): Promise<{ module: string; from: number }[]> {
    return db.objects(
      `select distinct module, from_context as "from" from liaison
       where context_id = $1 and from_context <> $1 and entity = any ($2::int[]) order by module, from_context`,
      entities,
    );
  }

  /** Liaisons of a user himself with other contexts. */
  listByUser(db: Reader, user: number, filter: LiaisonFilter): Promise<LiaisonRow[]> {
    return db.objects<LiaisonRow>(
      `select ${COLUMNS} from liaison where context_id = $1 and entity = $2 and not entity_group and from_context <> $1
         and ($3::int is null or from_context = $3) and ($4::int is null or owner = $4)
         and ($5::text is null or module = $5)
       order by from_context, liaison_id`,
      user,
      filter.from ?? null,
      filter.owner ?? null,
      filter.module ?? null,
    );
  }

  /** Lists liaisons of entities with accounts, of one owner or of all. */
  listSharedWith(
    db: Reader,
    entities: readonly number[],
    account?: { user: number; context: number },
  ): Promise<LiaisonRow[]> {
    return db.objects<LiaisonRow>(
      `select ${COLUMNS} from liaison where context_id = $1 and entity = any ($2::int[]) and owner > 0
         and ($3::int is null or (owner = $3 and from_context = $4)) order by from_context, owner, module, folder, item`,
      entities,
      account?.user ?? null,
      account?.context ?? null,
    );
  }

  /** Removes a liaison; answers whether it was there. */
  async delete(tx: Transaction, id: string): Promise<boolean> {
    return (await tx.run('delete from liaison where context_id = $1 and liaison_id::text = $2', id)) > 0;
  }

  /** All liaisons of a user himself, or (without) of the context. */
  listAll(db: Reader, user?: number): Promise<LiaisonRow[]> {
    return db.objects<LiaisonRow>(
      `select ${COLUMNS} from liaison where context_id = $1 and ($2::int is null or (entity = $2 and not entity_group))`,
      user ?? null,
    );
  }

  /** Notes a try that failed, and when to try again (null: not by itself). */
  async updateRetry(tx: Transaction, id: string, retryAt: (attempts: number) => number | null): Promise<void> {
    const text = await tx.text(
      'select attempts from liaison where context_id = $1 and liaison_id::text = $2 for update',
      id,
    );
    if (text === undefined) return;
    await tx.run(
      'update liaison set attempts = attempts + 1, retry_at = $3 where context_id = $1 and liaison_id::text = $2',
      id,
      retryAt(Number(text)),
    );
  }

  /** Claims what is due for another try on one shard: nothing else gets it until the lease ends. */
  claimDue(db: AdministrationTransaction, now: number, leaseMs: number, limit: number): Promise<LiaisonRow[]> {
    return db.objects<LiaisonRow>(
      `update liaison set retry_at = $1 + $2 where (context_id, liaison_id) in (
         select context_id, liaison_id from liaison where retry_at <= $1 order by retry_at limit $3 for update skip locked)
       returning ${COLUMNS}`,
      now,
      leaseMs,
      limit,
    );
  }
}
