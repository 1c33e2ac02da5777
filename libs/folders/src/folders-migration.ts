import type { Migration, MigrationClass, MigrationRunner } from '@groupware/persistence';

/**
 * The tables of a module's folders, as a migration of that module.
 * @param timestamp 13 digits, ms: the place among the migrations of the module
 */
export function createFolderTables(timestamp: number): MigrationClass {
  const migration = class implements Migration {
    async up(db: MigrationRunner): Promise<void> {
      await db.query(`
        create table folder_counter (
          context_id int primary key,
          next_number int not null default 2,
          last_stamp bigint not null default 0
        );
        create table folder (
          context_id int not null,
          id int not null,
          parent int not null,
          type smallint not null check (type in (1, 2)),
          title text not null,
          created_by int not null,
          modified_by int not null,
          created bigint not null,
          last_modified bigint not null,
          is_default boolean not null default false,
          properties jsonb,
          name_scope int not null generated always as (case when parent = 1 then created_by else 0 end) stored,
          constraint folder_key primary key (context_id, id)
        );
        create unique index folder_name on folder (context_id, parent, name_scope, lower(title));
        create unique index folder_default on folder (context_id, created_by) where is_default;
        create index folder_of_user on folder (context_id, created_by);
        create table folder_permission (
          context_id int not null,
          folder_id int not null,
          entity int not null,
          is_group boolean not null,
          bits int not null,
          constraint folder_permission_key primary key (context_id, folder_id, is_group, entity),
          constraint folder_permission_folder foreign key (context_id, folder_id)
            references folder (context_id, id) on delete cascade
        );
        create index folder_permission_of_entity on folder_permission (context_id, is_group, entity);
        create table folder_unsubscribed (
          context_id int not null,
          folder_id int not null,
          user_id int not null,
          constraint folder_unsubscribed_key primary key (context_id, user_id, folder_id),
          constraint folder_unsubscribed_folder foreign key (context_id, folder_id)
            references folder (context_id, id) on delete cascade
        );
        create table folder_tombstone (
          context_id int not null,
          id int not null,
          parent int not null,
          type smallint not null,
          created_by int not null,
          last_modified bigint not null,
          constraint folder_tombstone_key primary key (context_id, id)
        );
        create index folder_tombstone_age on folder_tombstone (context_id, last_modified);
        create index folder_unsubscribed_of_folder on folder_unsubscribed (context_id, folder_id);
      `);
    }

    async down(db: MigrationRunner): Promise<void> {
      await db.query(
        'drop table folder_tombstone; drop table folder_unsubscribed; drop table folder_permission; drop table folder; drop table folder_counter',
      );
    }
  };
  Object.defineProperty(migration, 'name', { value: `CreateFolders${timestamp}` });
  return migration;
}
