import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';
import type { Tree } from '../domain/tree';

/** A tree as its user stored it. */
export interface StoredTree {
  readonly id: string;
  readonly tree: Tree;
}

/** Key of a tree of a user. */
export interface TreeKey {
  readonly userId: number;
  readonly service: string;
  readonly id: string;
}

/** SQL of `settings_tree`. */
@Injectable()
export class SettingsTreeRepository {
  /** Those of the named trees that the user stored. */
  findTrees(db: Reader, userId: number, service: string, ids: readonly string[]): Promise<StoredTree[]> {
    return db.objects(
      `select id, tree from settings_tree
       where context_id = $1 and user_id = $2 and service = $3 and id = any($4::text[])`,
      userId,
      service,
      ids,
    );
  }

  /** Values at a place in trees of users; users without one are left out. */
  async findValues(
    db: Reader,
    userIds: readonly number[],
    service: string,
    { id, path }: { readonly id: string; readonly path: readonly string[] },
  ): Promise<Map<number, unknown>> {
    const found = await db.objects<{ userId: number; value: unknown }>(
      `select user_id as "userId", tree #> $5::text[] as value from settings_tree
       where context_id = $1 and user_id = any($2::int[]) and service = $3 and id = $4`,
      userIds,
      service,
      id,
      path,
    );
    return new Map(found.flatMap(({ userId, value }) => (value === null ? [] : [[userId, value] as const])));
  }

  /** Ids of all trees that the user stored in a space. */
  async listIds(db: Reader, userId: number, service: string): Promise<string[]> {
    const rows = await db.rows(
      'select id from settings_tree where context_id = $1 and user_id = $2 and service = $3 order by id',
      userId,
      service,
    );
    return rows.map(([id]) => String(id));
  }

  /** Number of trees of the user, of all spaces, and the bytes of their JSON. */
  async measureTrees(db: Reader, userId: number): Promise<{ count: number; sizeBytes: number }> {
    const measured = await db.first<{ count: number; sizeBytes: number }>(
      `select count(*)::int as count, coalesce(sum(size_bytes), 0)::int as "sizeBytes" from settings_tree
       where context_id = $1 and user_id = $2`,
      userId,
    );
    return measured!;
  }

  /** The stored tree, locked until the transaction ends, so that changes of the same moment join; made empty when new. */
  async lockTree(tx: Transaction, { userId, service, id }: TreeKey, nowMs: number): Promise<Tree> {
    await tx.run(
      `insert into settings_tree (context_id, user_id, service, id, tree, size_bytes, last_modified)
       values ($1, $2, $3, $4, '{}', 2, $5) on conflict do nothing`,
      userId,
      service,
      id,
      nowMs,
    );
    const row = await tx.first<{ tree: Tree }>(
      `select tree from settings_tree where context_id = $1 and user_id = $2 and service = $3 and id = $4 for update`,
      userId,
      service,
      id,
    );
    return row!.tree;
  }

  /** Stores a locked tree. */
  async storeTree(tx: Transaction, { userId, service, id }: TreeKey, tree: Tree, nowMs: number): Promise<void> {
    const text = JSON.stringify(tree);
    await tx.run(
      `update settings_tree set tree = $5::json, size_bytes = $6, last_modified = $7
       where context_id = $1 and user_id = $2 and service = $3 and id = $4`,
      userId,
      service,
      id,
      text,
      Buffer.byteLength(text),
      nowMs,
    );
  }

  /** Removes a tree. */
  async removeTree(tx: Transaction, { userId, service, id }: TreeKey): Promise<void> {
    await tx.run(
      'delete from settings_tree where context_id = $1 and user_id = $2 and service = $3 and id = $4',
      userId,
      service,
      id,
    );
  }

  /** Removes all trees of a user. */
  async removeUser(tx: Transaction, userId: number): Promise<void> {
    await tx.run('delete from settings_tree where context_id = $1 and user_id = $2', userId);
  }

  /** Removes all trees of the context. */
  async removeContext(tx: Transaction): Promise<void> {
    await tx.run('delete from settings_tree where context_id = $1');
  }
}
