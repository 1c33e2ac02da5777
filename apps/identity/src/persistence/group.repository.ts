import { Injectable } from '@nestjs/common';
import { ALL_USERS, GroupErrors } from '@groupware/contracts';
import { constraintOf, type Reader, type Transaction } from '@groupware/persistence';
import { COLLATION } from './collation';
import { toLikePattern, toSearchPattern } from '../domain/search-pattern';

/** Group that every new user joins. */
export const STANDARD_GROUP = 1;

/** Groups that every context has, with every new user: requests do not name them. */
export const COMMON_GROUPS: readonly number[] = [ALL_USERS, STANDARD_GROUP];

/** Most groups in one answer. */
const MAX_FOUND = 10_000;

/** A group as it is stored. Members of group 0 are not stored and stand here computed. */
export interface GroupRow {
  readonly id: number;
  readonly name: string;
  readonly displayName: string;
  readonly members: number[];
  readonly version: number;
  /** ms UTC */
  readonly changedAt: number;
  readonly createdAt: number;
}

const COLUMNS = `g.group_id as id, g.name, g.display_name as "displayName", g.version,
  g.changed_at as "changedAt", g.created_at as "createdAt",
  case when g.group_id = 0
    then array(select u.user_id from directory_user u where u.context_id = g.context_id and u.enabled order by 1)
    else array(select s.user_id from membership s where s.context_id = g.context_id and s.group_id = g.group_id order by 1)
  end as members`;

/** Rows of groups and memberships. */
@Injectable()
export class GroupRepository {
  /** A group. @throws GRP-0017 */
  async get(db: Reader, groupId: number): Promise<GroupRow> {
    const [group] = await this.listByIds(db, [groupId]);
    if (!group) throw GroupErrors.notFound(groupId, db.contextId);
    return group;
  }

  /** A group, locked against other changes. @throws GRP-0017 */
  async lock(tx: Transaction, groupId: number): Promise<GroupRow> {
    await tx.run('select 1 from directory_group where context_id = $1 and group_id = $2 for update', groupId);
    return this.get(tx, groupId);
  }

  /** Groups by id; unknown ids are left out. */
  listByIds(db: Reader, ids: readonly number[]): Promise<GroupRow[]> {
    return db.objects<GroupRow>(
      `select ${COLUMNS} from directory_group g where g.context_id = $1 and g.group_id = any ($2::int[])`,
      ids,
    );
  }

  /** A group by name, case ignored. */
  findByName(db: Reader, name: string): Promise<GroupRow | undefined> {
    return db.first<GroupRow>(
      `select ${COLUMNS} from directory_group g where g.context_id = $1 and lower(g.name) = lower($2)`,
      name,
    );
  }

  /** Groups in the order of their ids. */
  list(db: Reader, filter: { q?: string; after: number; limit: number }): Promise<GroupRow[]> {
    return db.objects<GroupRow>(
      `select ${COLUMNS} from directory_group g
       where g.context_id = $1 and g.group_id > $2
         and ($3::text is null or lower(g.name) like lower($3) or g.display_name ${COLLATION} ilike $3 or g.group_id::text like $3)
       order by g.group_id limit $4`,
      filter.after,
      filter.q === undefined ? null : toSearchPattern(filter.q),
      filter.limit,
    );
  }

  /** Groups whose name begins like a pattern of the client API: those that a user invited most often, then in the order of their names. */
  searchByName(db: Reader, userId: number, pattern: string): Promise<GroupRow[]> {
    return db.objects<GroupRow>(
      `select ${COLUMNS} from directory_group g
       left join group_use w on w.context_id = g.context_id and w.user_id = $3 and w.group_id = g.group_id
       where g.context_id = $1 and (g.display_name ${COLLATION} ilike $2 or lower(g.name) like lower($2))
       order by coalesce(w.uses, 0) desc, lower(g.display_name ${COLLATION}), g.group_id limit ${MAX_FOUND}`,
      `${toLikePattern(pattern)}%`,
      userId,
    );
  }

  /** Lists groups changed after a stamp. */
  listChangedAfter(db: Reader, stamp: number): Promise<GroupRow[]> {
    return db.objects<GroupRow>(
      `select ${COLUMNS} from directory_group g where g.context_id = $1 and g.changed_at > $2::numeric
       order by g.changed_at, g.group_id limit ${MAX_FOUND}`,
      stamp,
    );
  }

  /** Stores a new group. @throws GRP-0006 */
  async insert(tx: Transaction, group: { id: number; name: string; displayName: string }, at: number): Promise<void> {
    await this.mapUniqueViolation(tx, group.name, () =>
      tx.run(
        'insert into directory_group (context_id, group_id, name, display_name, changed_at, created_at) values ($1, $2, $3, $4, $5, $5)',
        group.id,
        group.name,
        group.displayName,
        at,
      ),
    );
  }

  /** Writes names and counts the version up. @throws GRP-0006 */
  async update(tx: Transaction, group: { id: number; name: string; displayName: string }, at: number): Promise<void> {
    await this.mapUniqueViolation(tx, group.name, () =>
      tx.run(
        `update directory_group set name = $3, display_name = $4, changed_at = $5, version = version + 1
         where context_id = $1 and group_id = $2`,
        group.id,
        group.name,
        group.displayName,
        at,
      ),
    );
  }

  /** Adds members; those who are members already stay. Answers the ones that were added. */
  async addMembers(tx: Transaction, groupId: number, userIds: readonly number[]): Promise<number[]> {
    const rows = await tx.rows(
      `insert into membership (context_id, group_id, user_id) select $1, $2, unnest($3::int[])
       on conflict do nothing returning user_id`,
      groupId,
      userIds,
    );
    return rows.map(([id]) => id as number);
  }

  /** Adds members to groups. */
  async addMemberships(
    tx: Transaction,
    memberships: readonly { readonly groupId: number; readonly userId: number }[],
  ): Promise<void> {
    await tx.run(
      `insert into membership (context_id, group_id, user_id)
       select $1, group_id, user_id from unnest($2::int[], $3::int[]) as m (group_id, user_id) on conflict do nothing`,
      memberships.map(({ groupId }) => groupId),
      memberships.map(({ userId }) => userId),
    );
  }

  /** Groups by name, case ignored; answers ids by name in lower case. */
  async findIdsByNames(db: Reader, names: readonly string[]): Promise<Map<string, number>> {
    if (names.length === 0) return new Map();
    const rows = await db.rows(
      'select lower(name), group_id from directory_group where context_id = $1 and lower(name) = any ($2::text[])',
      names.map((name) => name.toLowerCase()),
    );
    return new Map(rows as [string, number][]);
  }

  /** Filters ids of existing groups, and keeps these from being removed until the transaction ends. */
  async lockExisting(tx: Transaction, ids: readonly number[]): Promise<Set<number>> {
    const rows = await tx.rows(
      `select group_id from directory_group where context_id = $1 and group_id = any ($2::int[])
       order by group_id for key share`,
      ids,
    );
    return new Set(rows.map(([id]) => id as number));
  }

  /** Updates the change stamp of groups. */
  async updateChangedAt(tx: Transaction, groupIds: readonly number[], at: number): Promise<void> {
    await tx.run(
      `update directory_group set changed_at = $3, version = version + 1
       where context_id = $1 and group_id = any ($2::int[])`,
      groupIds,
      at,
    );
  }

  /** Deletes members; answers those deleted. */
  async deleteMembers(tx: Transaction, groupId: number, userIds: readonly number[]): Promise<number[]> {
    const rows = await tx.rows(
      'delete from membership where context_id = $1 and group_id = $2 and user_id = any ($3::int[]) returning user_id',
      groupId,
      userIds,
    );
    return rows.map(([id]) => id as number);
  }

  /** Counts groups that a user invited; ids without a group are left out. */
  async countUses(tx: Transaction, userId: number, groupIds: readonly number[]): Promise<void> {
    await tx.run(
      `insert into group_use (context_id, user_id, group_id, uses)
       select g.context_id, u.user_id, g.group_id, 1 from directory_group g
       join directory_user u on u.context_id = g.context_id and u.user_id = $2
       where g.context_id = $1 and g.group_id = any ($3::int[]) order by g.group_id
       on conflict (context_id, user_id, group_id) do update set uses = least(group_use.uses, 2000000000) + 1`,
      userId,
      groupIds,
    );
  }

  /** Removes a group and leaves a tombstone. */
  async delete(tx: Transaction, groupId: number, at: number): Promise<void> {
    await tx.run('delete from group_use where context_id = $1 and group_id = $2', groupId);
    await tx.run('delete from membership where context_id = $1 and group_id = $2', groupId);
    await tx.run('delete from directory_group where context_id = $1 and group_id = $2', groupId);
    await tx.run(
      `insert into tombstone (context_id, kind, entity_id, deleted_at) values ($1, 'group', $2, $3) on conflict do nothing`,
      groupId,
      at,
    );
  }

  private async mapUniqueViolation(tx: Transaction, name: string, write: () => Promise<number>): Promise<void> {
    // The error names the other group, and a failed statement aborts the transaction: hence the savepoint.
    try {
      await tx.savepoint(write);
    } catch (error) {
      if (constraintOf(error) !== 'group_name_unique') throw error;
      throw GroupErrors.nameTaken((await this.findByName(tx, name))?.id ?? '');
    }
  }
}
