import type { Migration, MigrationClass, MigrationRunner } from '@groupware/persistence';

/**
 * Adds what clients know of a folder beside its name: data of clients, trash and origin, settings of each user. The third
 * migration of a module with folders.
 * @param timestamp 13 digits, ms: the place among the migrations of the module
 */
export function createFolderDetails(timestamp: number): MigrationClass {
  const migration = class implements Migration {
    async up(db: MigrationRunner): Promise<void> {
      await db.query(`
        alter table folder add column kind smallint not null default 0;
        comment on column folder.kind is '0 like its type, 16 trash';
        alter table folder add column meta jsonb;
        alter table folder add column origin int;
        comment on column folder.origin is 'the folder above before the move to the trash';
        alter table folder add column origin_path text;
        alter table folder_unsubscribed add column used_for_sync boolean not null default true;
        alter table folder_unsubscribed add column properties jsonb;
      `);
    }

    async down(db: MigrationRunner): Promise<void> {
      await db.query(`
        alter table folder_unsubscribed drop column properties;
        alter table folder_unsubscribed drop column used_for_sync;
        alter table folder drop column origin_path;
        alter table folder drop column origin;
        alter table folder drop column meta;
        alter table folder drop column kind;
      `);
    }
  };
  Object.defineProperty(migration, 'name', { value: `CreateFolderDetails${timestamp}` });
  return migration;
}

const INDEXES: Readonly<Record<string, string>> = {
  folder_changes: 'on folder (context_id, changed)',
  folder_subscription_changes: 'on folder_unsubscribed (context_id, user_id, stamp)',
  folder_below_others: 'on folder (context_id, parent) where parent >= 20 and parent % 16 <> id % 16',
  folder_public: 'on folder (context_id, parent) where type = 2',
};

/**
 * Adds the indexes by which parts of a large tree are read, and the one that keeps a user's trash single. The fourth migration
 * of a module with folders.
 * @param timestamp 13 digits, ms: the place among the migrations of the module
 */
export function createFolderIndexes(timestamp: number): MigrationClass {
  const migration = class implements Migration {
    readonly isTransactional = false;

    async up(db: MigrationRunner): Promise<void> {
      for (const [name, definition] of Object.entries(INDEXES)) await db.createIndexConcurrently(name, definition);
      await db.createIndexConcurrently('folder_trash', 'on folder (context_id, created_by) where kind = 16', {
        isUnique: true,
      });
    }

    async down(db: MigrationRunner): Promise<void> {
      for (const name of ['folder_trash', ...Object.keys(INDEXES)]) await db.dropIndexConcurrently(name);
    }
  };
  Object.defineProperty(migration, 'name', { value: `CreateFolderIndexes${timestamp}` });
  return migration;
}
