import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction, Reader } from '@groupware/persistence';

/** A reseller as it is stored. */
export interface ResellerRow {
  readonly name: string;
  readonly displayName: string;
  readonly parent: string | null;
  readonly hash: string;
  readonly config: Readonly<Record<string, string>>;
  readonly taxonomyTypes: string[];
  readonly capabilitiesAdded: string[];
  readonly capabilitiesRemoved: string[];
  readonly maxContexts: number | null;
  readonly maxUsers: number | null;
  readonly maxQuotaMb: number | null;
  readonly createdAt: number;
  readonly version: number;
}

const COLUMNS = `name, display_name as "displayName", parent, hash, config, taxonomy_types as "taxonomyTypes",
  capabilities_added as "capabilitiesAdded", capabilities_removed as "capabilitiesRemoved", max_contexts as "maxContexts",
  max_users as "maxUsers", max_quota_mb as "maxQuotaMb", created_at as "createdAt", version`;

/** Rows of resellers. They are few, and lie on the default shard. */
@Injectable()
export class ResellerRepository {
  /** All resellers by name. */
  listAll(db: AdministrationTransaction): Promise<ResellerRow[]> {
    return db.objects<ResellerRow>(`select ${COLUMNS} from reseller order by name`);
  }

  /** Those after a name, in its order. */
  listPage(db: AdministrationTransaction, after: string, limit: number, q: string | null): Promise<ResellerRow[]> {
    return db.objects<ResellerRow>(
      `select ${COLUMNS} from reseller where name > $1 and ($3::text is null or name ilike $3 or display_name ilike $3)
       order by name limit $2`,
      after,
      limit,
      q,
    );
  }

  /** Locks and lists all resellers: the tree is validated as a whole. */
  async lockAll(db: AdministrationTransaction): Promise<ResellerRow[]> {
    await db.run('lock table reseller in share row exclusive mode');
    return this.listAll(db);
  }

  /** Writes a reseller and counts its version up. */
  async upsert(db: AdministrationTransaction, row: ResellerRow): Promise<void> {
    await db.run(
      `insert into reseller (name, display_name, parent, hash, config, taxonomy_types, capabilities_added,
         capabilities_removed, max_contexts, max_users, max_quota_mb, created_at)
       values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9, $10, $11, $12)
       on conflict (name) do update set display_name = excluded.display_name, parent = excluded.parent,
         hash = excluded.hash, config = excluded.config, taxonomy_types = excluded.taxonomy_types,
         capabilities_added = excluded.capabilities_added, capabilities_removed = excluded.capabilities_removed,
         max_contexts = excluded.max_contexts, max_users = excluded.max_users, max_quota_mb = excluded.max_quota_mb,
         version = reseller.version + 1`,
      row.name,
      row.displayName,
      row.parent,
      row.hash,
      JSON.stringify(row.config),
      row.taxonomyTypes,
      row.capabilitiesAdded,
      row.capabilitiesRemoved,
      row.maxContexts,
      row.maxUsers,
      row.maxQuotaMb,
      row.createdAt,
    );
  }

  /** Removes a reseller. */
  async delete(db: AdministrationTransaction, name: string): Promise<void> {
    await db.run('delete from reseller where name = $1', name);
  }

  /** The reseller of the context of the reader. */
  async findOwner(db: Reader): Promise<string | undefined> {
    return db.text('select reseller from context where context_id = $1');
  }

  /** Contexts of resellers on one shard, in the order of their ids. */
  async listContextIds(
    db: AdministrationTransaction,
    names: readonly string[],
    after: number,
    limit: number,
  ): Promise<number[]> {
    const rows = await db.rows(
      'select context_id from context where reseller = any ($1::text[]) and context_id > $2 order by context_id limit $3',
      names,
      after,
      limit,
    );
    return rows.map(([id]) => id as number);
  }

  /** Filters the contexts on one shard that belong to one of the resellers. */
  async filterOwned(
    db: AdministrationTransaction,
    names: readonly string[],
    contextIds: readonly number[],
  ): Promise<number[]> {
    const rows = await db.rows(
      'select context_id from context where context_id = any ($2::int[]) and reseller = any ($1::text[])',
      names,
      contextIds,
    );
    return rows.map(([id]) => id as number);
  }

  /** Usage of resellers on one shard. */
  async getUsage(
    db: AdministrationTransaction,
    names: readonly string[],
  ): Promise<{ contexts: number; users: number; quotaMb: number }> {
    const row = await db.first<{ contexts: number; users: number; quotaMb: number }>(
      `select count(*)::int as contexts, coalesce(sum(greatest(c.quota_mb, 0)), 0)::float8 as "quotaMb",
         coalesce(sum((select count(*) from directory_user u where u.context_id = c.context_id)), 0)::int as users
       from context c where c.reseller = any ($1::text[])`,
      names,
    );
    return row!;
  }
}
