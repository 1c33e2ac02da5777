import { Injectable } from '@nestjs/common';
import { ContextErrors, ProvisioningErrors, type ContextStorage } from '@groupware/contracts';
import { OWN_STORE } from '@groupware/file-store';
import { constraintOf, type AdministrationTransaction, type Reader, type Transaction } from '@groupware/persistence';
import type { Access } from '../domain/module-access';
import { COLLATION } from './collation';
import { QUOTA_ITEMS } from '../domain/quota-items';
import { toSearchPattern } from '../domain/search-pattern';

/** Limits of objects by kind are properties of the context. */
const QUOTA_PROPERTIES = JSON.stringify(QUOTA_ITEMS);

/** A context as it is stored. */
export interface ContextRow {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly reason: string | null;
  readonly loginMappings: string[];
  readonly adminUserId: number;
  readonly schema: string;
  /** Null in a context made in advance whose file store is chosen later. */
  readonly filestoreId: number | null;
  readonly quotaMb: number;
  readonly reseller: string | null;
  readonly taxonomyTypes: string[];
  readonly contextGroup: string;
  readonly combination: string | null;
  readonly flags: string[];
  readonly createdAt: number;
  readonly state: string;
  readonly version: number;
  /** Space that files of all modules use, bytes. */
  readonly usedBytes: number;
  /** Made in advance, for a later creation to claim. */
  readonly preAssembled: boolean;
}

/** Data of a new context. */
export interface ContextDraft {
  readonly name: string;
  readonly quotaMb: number;
  readonly reseller: string | null;
  readonly taxonomyTypes: readonly string[];
  readonly access: Access;
  readonly createdAt: number;
  readonly schema: string;
  /** Null: chosen when the context is claimed. */
  readonly filestoreId: number | null;
  readonly preAssembled?: boolean;
}

/** Filter of context lists. */
export interface ContextFilter {
  readonly q?: string;
  readonly mapping?: string;
  readonly schema?: string;
  readonly filestore?: number;
  readonly reseller?: string;
  /** Only contexts of these resellers; absent: all. */
  readonly scope?: readonly string[];
  readonly tag?: string;
  readonly state?: string;
  readonly after: number;
  readonly limit: number;
}

const COLUMNS = `c.context_id as id, c.name, c.enabled, c.reason, c.admin_user_id as "adminUserId", c.shard as schema,
  c.filestore_id as "filestoreId", c.quota_mb as "quotaMb", c.reseller, c.taxonomy_types as "taxonomyTypes",
  c.context_group as "contextGroup", c.access_combination as combination, c.access_flags as flags,
  c.created_at as "createdAt", c.state, c.version, c.pre_assembled as "preAssembled",
  array(select m.mapping from login_mapping m where m.context_id = c.context_id order by m.implicit, m.mapping)
    as "loginMappings",
  (select coalesce(sum(u.used_bytes), 0)::bigint from context_usage u where u.context_id = c.context_id) as "usedBytes"`;

/** Rows of contexts and their login mappings. */
@Injectable()
export class ContextRepository {
  /** Finds the context of the reader; with `skipLocked` locks it, and is undefined when others hold the lock. */
  findCurrent(db: Reader, options: { skipLocked?: boolean } = {}): Promise<ContextRow | undefined> {
    const lock = options.skipLocked ? ' for update of c skip locked' : '';
    return db.first<ContextRow>(`select ${COLUMNS} from context c where c.context_id = $1${lock}`);
  }

  /** The context of the reader. @throws CTX-0002 */
  async get(db: Reader): Promise<ContextRow> {
    const context = await this.findCurrent(db);
    if (!context) throw ContextErrors.notFound(db.contextId);
    return context;
  }

  /** The context of the transaction, locked against other changes. @throws CTX-0002 */
  async lock(tx: Transaction): Promise<ContextRow> {
    const context = await tx.first<ContextRow>(
      `select ${COLUMNS} from context c where c.context_id = $1 for update of c`,
    );
    if (!context) throw ContextErrors.notFound(tx.contextId);
    return context;
  }

  /** Allocates the next id no context ever had. */
  async allocateId(db: AdministrationTransaction): Promise<number> {
    return Number(await db.text('select coalesce(max(context_id), 0) + 1 from context_number'));
  }

  /** Finds the id of the context of a login mapping. */
  async findIdByMapping(db: AdministrationTransaction, mapping: string): Promise<number | undefined> {
    const row = await db.first<{ id: number }>(
      'select context_id as id from login_mapping where mapping = $1',
      mapping,
    );
    return row?.id;
  }

  /** Contexts in the order of their ids. */
  list(db: AdministrationTransaction, filter: ContextFilter): Promise<ContextRow[]> {
    return db.objects<ContextRow>(
      `select ${COLUMNS} from context c
       where c.context_id > $1
         and ($2::text is null or c.name ${COLLATION} ilike $2 or c.context_id::text like $2)
         and ($3::text is null or exists (select from login_mapping m where m.context_id = c.context_id and m.mapping = lower($3)))
         and ($4::text is null or c.shard = $4)
         and ($5::int is null or c.filestore_id = $5)
         and ($6::text is null or $6 = any (c.taxonomy_types))
         and ($7::text is null or c.state = $7)
         and ($8::text is null or c.reseller = $8)
         and ($10::text[] is null or c.reseller = any ($10::text[]))
         and (not c.pre_assembled or $7 = 'provisioning')
       order by c.context_id limit $9`,
      filter.after,
      filter.q === undefined ? null : toSearchPattern(filter.q),
      filter.mapping ?? null,
      filter.schema ?? null,
      filter.filestore ?? null,
      filter.tag ?? null,
      filter.state ?? null,
      filter.reseller ?? null,
      filter.limit,
      filter.scope ?? null,
    );
  }

  /** Claims the id of the transaction for a new context; false when it was used before. */
  async claimId(tx: Transaction): Promise<boolean> {
    return (await tx.run('insert into context_number (context_id) values ($1) on conflict do nothing')) > 0;
  }

  /** Stores a new context. */
  async insert(tx: Transaction, draft: ContextDraft, adminUserId: number): Promise<void> {
    await tx.run(
      `insert into context (context_id, name, admin_user_id, quota_mb, taxonomy_types, access_combination, access_flags, created_at,
         shard, filestore_id, pre_assembled, reseller, enabled, state)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, not $11, 'provisioning')`,
      draft.name,
      adminUserId,
      draft.quotaMb,
      draft.taxonomyTypes,
      draft.access.combination,
      draft.access.flags,
      draft.createdAt,
      draft.schema,
      draft.filestoreId,
      draft.preAssembled ?? false,
      draft.reseller,
    );
  }

  /** Turns a pre-assembled context into a real one; other fields are set like a change. */
  async claim(tx: Transaction, filestoreId: number, createdAt: number): Promise<void> {
    await tx.run(
      `update context set pre_assembled = false, enabled = true, filestore_id = $2, created_at = $3
       where context_id = $1`,
      filestoreId,
      createdAt,
    );
  }

  /** Lists ids of pre-assembled contexts on open shards, oldest first. */
  async listClaimable(
    db: AdministrationTransaction,
    wanted: { schema?: string; filestoreId?: number },
    limit: number,
  ): Promise<number[]> {
    const rows = await db.rows(
      `select context_id from context
       where pre_assembled and ($1::text is null or shard = $1)
         and ($2::int is null or filestore_id is null or filestore_id = $2)
       order by context_id limit $3`,
      wanted.schema ?? null,
      wanted.filestoreId ?? null,
      limit,
    );
    return rows.map(([id]) => id as number);
  }

  /** Counts contexts; pre-assembled ones do not count. */
  async count(
    db: AdministrationTransaction,
    filter: { schema?: string; filestore?: number; enabled?: boolean },
  ): Promise<number> {
    return Number(
      await db.text(
        `select count(*) from context
         where not pre_assembled and ($1::text is null or shard = $1) and ($2::int is null or filestore_id = $2)
           and ($3::boolean is null or enabled = $3)`,
        filter.schema ?? null,
        filter.filestore ?? null,
        filter.enabled ?? null,
      ),
    );
  }

  /** Ids of the contexts of a shard, in batches after an id. */
  async listIdsByShard(db: AdministrationTransaction, schema: string, after: number, limit: number): Promise<number[]> {
    const rows = await db.rows(
      'select context_id from context where shard = $1 and context_id > $2 order by context_id limit $3',
      schema,
      after,
      limit,
    );
    return rows.map(([id]) => id as number);
  }

  /** Updates shard and file store of the context. */
  async updatePlace(tx: Transaction, schema: string, filestoreId: number): Promise<void> {
    await tx.run(
      'update context set shard = $2, filestore_id = $3, version = version + 1 where context_id = $1',
      schema,
      filestoreId,
    );
  }

  /** Notes the life cycle. */
  async updateState(tx: Transaction, state: string): Promise<void> {
    await tx.run('update context set state = $2, version = version + 1 where context_id = $1', state);
  }

  /** Marks a new context as complete, without a new version. */
  async endProvisioning(tx: Transaction): Promise<void> {
    await tx.run(
      `update context set state = 'ready' where context_id = $1 and state = 'provisioning' and not pre_assembled`,
    );
  }

  /** Limits of objects by kind. */
  async getQuotaItems(db: Reader): Promise<Record<string, number>> {
    const rows = await db.rows(
      `select item.key, limits.value::int8 from property_value limits
       join jsonb_each_text($2::jsonb) item on item.value = limits.key
       where limits.context_id = $1 and limits.user_id = 0 order by item.key`,
      QUOTA_PROPERTIES,
    );
    return Object.fromEntries(rows) as Record<string, number>;
  }

  /** Replaces the limits of objects by kind. */
  async setQuotaItems(tx: Transaction, items: Readonly<Record<string, number>>): Promise<void> {
    await tx.run(
      'delete from property_value where context_id = $1 and user_id = 0 and key = any($2)',
      Object.values(QUOTA_ITEMS),
    );
    await tx.run(
      `insert into property_value (context_id, user_id, key, value)
       select $1, 0, item.value, amount.value from jsonb_each_text($2::jsonb) item
       join jsonb_each_text($3::jsonb) amount on amount.key = item.key`,
      QUOTA_PROPERTIES,
      JSON.stringify(items),
    );
  }

  /** Writes the changeable columns and counts the version up. */
  async update(tx: Transaction, context: ContextRow): Promise<void> {
    await tx.run(
      `update context set name = $2, enabled = $3, reason = $4, admin_user_id = $5, quota_mb = $6, taxonomy_types = $7,
         access_combination = $8, access_flags = $9, state = $10, reseller = $11, version = version + 1
       where context_id = $1`,
      context.name,
      context.enabled,
      context.reason,
      context.adminUserId,
      context.quotaMb,
      context.taxonomyTypes,
      context.combination,
      context.flags,
      context.state,
      context.reseller,
    );
  }

  /** File store and quota of the context. */
  async getStorage(db: Reader): Promise<ContextStorage> {
    const { filestoreId, quotaMb } = await this.get(db);
    return { filestoreId: filestoreId ?? OWN_STORE, quotaMb };
  }

  /** Bytes of the context that the files of other modules use, as they told it last. */
  async getUsedByOthers(db: Reader, source: string): Promise<number> {
    const row = await db.first<{ used: number }>(
      'select coalesce(sum(used_bytes), 0)::bigint as used from context_usage where context_id = $1 and source <> $2',
      source,
    );
    return row!.used;
  }

  /** Records the bytes a module uses, unless a newer revision is stored or the context is gone. */
  async recordUsage(tx: Transaction, source: string, usedBytes: number, revision: number): Promise<void> {
    await tx.run(
      `insert into context_usage as u (context_id, source, used_bytes, revision)
       select $1, $2, $3, $4 from context c where c.context_id = $1
       on conflict (context_id, source) do update set used_bytes = excluded.used_bytes, revision = excluded.revision
         where u.revision < excluded.revision`,
      source,
      usedBytes,
      revision,
    );
  }

  /** Replaces the login mappings by those given and the context's name and id. @throws PROV-0003 */
  async setMappings(tx: Transaction, name: string, given: readonly string[]): Promise<void> {
    const implicit = new Set([name.toLowerCase(), String(tx.contextId)]);
    const explicit = new Set(
      given.map((mapping) => mapping.trim().toLowerCase()).filter((mapping) => !implicit.has(mapping)),
    );
    await tx.run('delete from login_mapping where context_id = $1');
    for (const mapping of [...explicit, ...implicit]) {
      if (mapping === '') continue;
      try {
        await tx.run(
          'insert into login_mapping (context_id, mapping, implicit) values ($1, $2, $3)',
          mapping,
          implicit.has(mapping),
        );
      } catch (error) {
        if (constraintOf(error) === 'login_mapping_unique') throw ProvisioningErrors.mappingTaken(mapping);
        throw error;
      }
    }
  }

  /** Allocates an id no user, group or resource of the context ever had. @throws CTX-0002 */
  async allocateEntityId(tx: Transaction): Promise<number> {
    return this.allocateEntityIds(tx, 1);
  }

  /** Allocates consecutive ids; answers the first. @throws CTX-0002 */
  async allocateEntityIds(tx: Transaction, count: number): Promise<number> {
    const row = await tx.first<{ id: number }>(
      'update context set next_entity_id = next_entity_id + $2 where context_id = $1 returning next_entity_id - $2 as id',
      count,
    );
    if (!row) throw ContextErrors.notFound(tx.contextId);
    return row.id;
  }

  /** Deletes all rows of the context but its audit entries, jobs and id. */
  async deleteAll(tx: Transaction): Promise<void> {
    for (const table of [
      'login_mapping',
      'mail_address',
      'credential',
      'membership',
      'group_use',
      'directory_group',
      'directory_resource',
      'directory_user',
      'property_value',
      'app_password',
      'factor_device',
      'login_information',
      'password_change',
      'user_attribute',
      'user_image',
      'guest',
      'tombstone',
      'login_history',
      'idempotency_key',
      'invitation',
      'job_password',
      'context_usage',
      'filestore_reservation',
      'context',
    ])
      await tx.run(`delete from ${table} where context_id = $1`);
  }
}
