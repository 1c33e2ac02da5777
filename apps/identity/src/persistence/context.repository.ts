import { Injectable } from '@nestjs/common';
import { ContextErrors, ProvisioningErrors } from '@groupware/contracts';
import { constraintOf, type AdministrationTransaction, type Reader, type Transaction } from '@groupware/persistence';
import type { Access } from '../domain/module-access';
import { COLLATION } from './collation';
import { listPattern } from '../domain/search-pattern';

/** A context as it is stored. */
export interface ContextRow {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly reason: string | null;
  readonly loginMappings: string[];
  readonly adminUserId: number;
  readonly schema: string;
  readonly filestoreId: number;
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
}

/** What a new context is made of. */
export interface ContextDraft {
  readonly name: string;
  readonly quotaMb: number;
  readonly reseller: string | null;
  readonly taxonomyTypes: readonly string[];
  readonly access: Access;
  readonly createdAt: number;
}

/** Which contexts to list. */
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
  c.created_at as "createdAt", c.state, c.version,
  array(select m.mapping from login_mapping m where m.context_id = c.context_id order by m.implicit, m.mapping)
    as "loginMappings",
  (select coalesce(sum(u.used_bytes), 0)::bigint from context_usage u where u.context_id = c.context_id) as "usedBytes"`;

/** Rows of contexts and their login mappings. */
@Injectable()
export class ContextRepository {
  /** The context of the reader, or undefined. */
  find(db: Reader): Promise<ContextRow | undefined> {
    return db.first<ContextRow>(`select ${COLUMNS} from context c where c.context_id = $1`);
  }

  /** The context of the reader. @throws CTX-0002 */
  async get(db: Reader): Promise<ContextRow> {
    const context = await this.find(db);
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

  /** The next number that no context ever had. */
  async nextId(db: AdministrationTransaction): Promise<number> {
    return Number(await db.text('select coalesce(max(context_id), 0) + 1 from context_number'));
  }

  /** Id of the context that a login mapping leads to. */
  async idOfMapping(db: AdministrationTransaction, mapping: string): Promise<number | undefined> {
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
       order by c.context_id limit $9`,
      filter.after,
      filter.q === undefined ? null : listPattern(filter.q),
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

  /** Stores a new context; answers false when its number was used before. */
  async insert(tx: Transaction, draft: ContextDraft, adminUserId: number): Promise<boolean> {
    const claimed = await tx.run('insert into context_number (context_id) values ($1) on conflict do nothing');
    if (claimed === 0) return false;
    await tx.run(
      `insert into context (context_id, name, admin_user_id, quota_mb, taxonomy_types, access_combination, access_flags, created_at, reseller)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      draft.name,
      adminUserId,
      draft.quotaMb,
      draft.taxonomyTypes,
      draft.access.combination,
      draft.access.flags,
      draft.createdAt,
      draft.reseller,
    );
    return true;
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

  /** Notes what the files of a module use, unless a newer number came first or the context is gone. */
  async noteUsage(tx: Transaction, source: string, usedBytes: number, revision: number): Promise<void> {
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

  /** Replaces the login mappings: those given, and the context's name and id. @throws PROV-0003 */
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

  /** Takes numbers for new users, groups or resources. */
  async takeEntityId(tx: Transaction): Promise<number> {
    const row = await tx.first<{ id: number }>(
      'update context set next_entity_id = next_entity_id + 1 where context_id = $1 returning next_entity_id - 1 as id',
    );
    if (!row) throw ContextErrors.notFound(tx.contextId);
    return row.id;
  }

  /** Removes everything of the context but its audit entries, its jobs and its number. */
  async removeAll(tx: Transaction): Promise<void> {
    for (const table of [
      'login_mapping',
      'mail_address',
      'credential',
      'membership',
      'directory_group',
      'directory_resource',
      'directory_user',
      'property_value',
      'app_password',
      'factor_device',
      'login_information',
      'password_change',
      'user_attribute',
      'tombstone',
      'login_history',
      'idempotency_key',
      'context_usage',
      'context',
    ])
      await tx.run(`delete from ${table} where context_id = $1`);
  }
}
