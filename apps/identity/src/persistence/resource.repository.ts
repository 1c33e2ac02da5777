import { Injectable } from '@nestjs/common';
import { ResourceErrors, type ResourcePrivilege } from '@groupware/contracts';
import { constraintOf, type Reader, type Transaction } from '@groupware/persistence';
import { COLLATION } from './collation';
import { toLikePattern, toSearchPattern } from '../domain/search-pattern';

/** Most resources in one answer. */
const MAX_FOUND = 10_000;

/** A resource as it is stored. */
export interface ResourceRow {
  readonly id: number;
  readonly name: string;
  readonly displayName: string;
  readonly email: string;
  readonly description: string | null;
  readonly available: boolean;
  readonly room: boolean;
  readonly capacity: number | null;
  readonly privileges: ResourcePrivilege[];
  readonly version: number;
  /** ms UTC; set by the database. */
  readonly changedAt?: number;
  readonly createdAt?: number;
}

const COLUMNS = `r.resource_id as id, r.name, r.display_name as "displayName", r.email, r.description, r.available, r.room,
  r.capacity, r.privileges, r.version, r.changed_at as "changedAt", r.created_at as "createdAt"`;

/** Rows of resources. */
@Injectable()
export class ResourceRepository {
  /** A resource. @throws RES-0005 */
  async get(db: Reader, resourceId: number): Promise<ResourceRow> {
    const [resource] = await this.listByIds(db, [resourceId]);
    if (!resource) throw ResourceErrors.notFound(resourceId);
    return resource;
  }

  /** A resource, locked against other changes. @throws RES-0005 */
  async lock(tx: Transaction, resourceId: number): Promise<ResourceRow> {
    const resource = await tx.first<ResourceRow>(
      `select ${COLUMNS} from directory_resource r where r.context_id = $1 and r.resource_id = $2 for update`,
      resourceId,
    );
    if (!resource) throw ResourceErrors.notFound(resourceId);
    return resource;
  }

  /** Resources by id; unknown ids are left out. */
  listByIds(db: Reader, ids: readonly number[]): Promise<ResourceRow[]> {
    return db.objects<ResourceRow>(
      `select ${COLUMNS} from directory_resource r where r.context_id = $1 and r.resource_id = any ($2::int[])`,
      ids,
    );
  }

  /** A resource by name, case ignored. */
  findByName(db: Reader, name: string): Promise<ResourceRow | undefined> {
    return db.first<ResourceRow>(
      `select ${COLUMNS} from directory_resource r where r.context_id = $1 and lower(r.name) = lower($2)`,
      name,
    );
  }

  /** Resources in the order of their ids. */
  list(db: Reader, filter: { q?: string; after: number; limit: number }): Promise<ResourceRow[]> {
    return db.objects<ResourceRow>(
      `select ${COLUMNS} from directory_resource r
       where r.context_id = $1 and r.resource_id > $2
         and ($3::text is null or lower(r.name) like lower($3) or r.display_name ${COLLATION} ilike $3
           or lower(r.email) like lower($3) or r.resource_id::text like $3)
       order by r.resource_id limit $4`,
      filter.after,
      filter.q === undefined ? null : toSearchPattern(filter.q),
      filter.limit,
    );
  }

  /** Resources whose name begins like a pattern of the client API, in the order of their names. */
  searchByName(db: Reader, pattern: string): Promise<ResourceRow[]> {
    return db.objects<ResourceRow>(
      `select ${COLUMNS} from directory_resource r
       where r.context_id = $1 and (r.display_name ${COLLATION} ilike $2 or lower(r.name) like lower($2))
       order by lower(r.display_name ${COLLATION}), r.resource_id limit ${MAX_FOUND}`,
      `${toLikePattern(pattern)}%`,
    );
  }

  /** Ids of all resources. */
  async listIds(db: Reader): Promise<number[]> {
    const rows = await db.rows(
      `select resource_id from directory_resource where context_id = $1 order by resource_id limit ${MAX_FOUND}`,
    );
    return rows.map(([id]) => id as number);
  }

  /** Resources that changed after a stamp. */
  listChangedAfter(db: Reader, stamp: number): Promise<ResourceRow[]> {
    return db.objects<ResourceRow>(
      `select ${COLUMNS} from directory_resource r where r.context_id = $1 and r.changed_at > $2::numeric
       order by r.changed_at, r.resource_id limit ${MAX_FOUND}`,
      stamp,
    );
  }

  /** Stores a new resource. @throws RES-0006 */
  async insert(tx: Transaction, resource: ResourceRow, at: number): Promise<void> {
    await this.mapUniqueViolation(resource.name, () =>
      tx.run(
        `insert into directory_resource (context_id, resource_id, name, display_name, email, description, available, room, capacity,
           privileges, changed_at, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, $11)`,
        ...toParameters(resource),
        at,
      ),
    );
  }

  /** Writes a resource and counts the version up. @throws RES-0006 */
  async update(tx: Transaction, resource: ResourceRow, at: number): Promise<void> {
    await this.mapUniqueViolation(resource.name, () =>
      tx.run(
        `update directory_resource set name = $3, display_name = $4, email = $5, description = $6, available = $7, room = $8,
           capacity = $9, privileges = $10::jsonb, changed_at = $11, version = version + 1
         where context_id = $1 and resource_id = $2`,
        ...toParameters(resource),
        at,
      ),
    );
  }

  /** Deletes the privileges of a user or group on all resources; answers the ids of those that had any. */
  async deletePrivileges(
    tx: Transaction,
    { entity, isGroup, at }: { readonly entity: number; readonly isGroup: boolean; readonly at: number },
  ): Promise<number[]> {
    const isTheirs = `(p ->> 'entity')::int = $2 and coalesce((p ->> 'group')::boolean, false) = $3`;
    const rows = await tx.rows(
      `update directory_resource r set changed_at = $4, version = version + 1, privileges = coalesce((
         select jsonb_agg(p order by n) from jsonb_array_elements(r.privileges) with ordinality as x (p, n)
         where not (${isTheirs})), '[]')
       where r.context_id = $1 and exists (select from jsonb_array_elements(r.privileges) as p where ${isTheirs})
       returning r.resource_id`,
      entity,
      isGroup,
      at,
    );
    return rows.map(([id]) => id as number);
  }

  /** Removes a resource and leaves a tombstone. */
  async delete(tx: Transaction, resourceId: number, at: number): Promise<void> {
    await tx.run('delete from mail_address where context_id = $1 and entity_id = $2', resourceId);
    await tx.run('delete from directory_resource where context_id = $1 and resource_id = $2', resourceId);
    await tx.run(
      `insert into tombstone (context_id, kind, entity_id, deleted_at) values ($1, 'resource', $2, $3) on conflict do nothing`,
      resourceId,
      at,
    );
  }

  private async mapUniqueViolation(name: string, write: () => Promise<number>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (constraintOf(error) === 'resource_name_unique') throw ResourceErrors.nameTaken(name);
      throw error;
    }
  }
}

const toParameters = (resource: ResourceRow): unknown[] => [
  resource.id,
  resource.name,
  resource.displayName,
  resource.email,
  resource.description,
  resource.available,
  resource.room,
  resource.capacity,
  JSON.stringify(resource.privileges),
];
