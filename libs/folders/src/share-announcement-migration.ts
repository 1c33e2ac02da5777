import type { Migration, MigrationClass, MigrationRunner } from '@groupware/persistence';

/**
 * Tells of every folder that has permissions for others, as if it had just changed: modules that follow permissions learn
 * of those that were given before they listened.
 * @param timestamp 13 digits, ms: the place among the migrations of the module
 * @param event name of the event that a folder of the module changed
 */
export function announceShares(timestamp: number, event: string): MigrationClass {
  const migration = class implements Migration {
    async up(db: MigrationRunner): Promise<void> {
      await db.query(`
        insert into outbox (id, context_id, name, payload, occurred_at)
        select gen_random_uuid(), f.context_id, '${event}', jsonb_build_object('folderId', f.id),
          (extract(epoch from now()) * 1000)::bigint
        from folder f where exists (select from folder_permission p where p.context_id = f.context_id
          and p.folder_id = f.id and (p.is_group or p.entity <> f.created_by))
        order by f.context_id, f.id
      `);
    }

    down(): Promise<void> {
      return Promise.resolve();
    }
  };
  Object.defineProperty(migration, 'name', { value: `AnnounceShares${timestamp}` });
  return migration;
}
