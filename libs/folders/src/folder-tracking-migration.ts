import type { Migration, MigrationClass, MigrationRunner } from '@groupware/persistence';

/**
 * Creates the tracking for `updates` of folders: stamps of everything that changes a user's view, and locations where
 * folders became invisible. The second migration of a module with folders.
 * @param timestamp 13 digits, ms: the place among the migrations of the module
 */
export function createFolderTracking(timestamp: number): MigrationClass {
  const migration = class implements Migration {
    async up(db: MigrationRunner): Promise<void> {
      await db.query(`
        alter table folder add column changed bigint;
        update folder set changed = last_modified;
        alter table folder alter column changed set not null;
        create index folder_below on folder (context_id, parent);
        alter table folder_unsubscribed add column subscribed boolean not null default false;
        alter table folder_unsubscribed add column stamp bigint not null default 0;
        create table folder_loss (
          context_id int not null,
          folder_id int not null,
          is_group boolean not null,
          entity int not null,
          parent int not null,
          type smallint not null,
          created_by int not null,
          stamp bigint not null,
          constraint folder_loss_key primary key (context_id, folder_id, is_group, entity, parent)
        );
        create index folder_loss_age on folder_loss (context_id, stamp);
        insert into folder_loss (context_id, folder_id, is_group, entity, parent, type, created_by, stamp)
          select context_id, id, true, 0, parent, type, created_by, last_modified from folder_tombstone;
        drop table folder_tombstone;
      `);
    }

    async down(db: MigrationRunner): Promise<void> {
      await db.query(`
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
        insert into folder_tombstone (context_id, id, parent, type, created_by, last_modified)
          select distinct on (context_id, folder_id) context_id, folder_id, parent, type, created_by, stamp
          from folder_loss order by context_id, folder_id, stamp desc;
        drop table folder_loss;
        delete from folder_unsubscribed where subscribed;
        alter table folder_unsubscribed drop column stamp;
        alter table folder_unsubscribed drop column subscribed;
        drop index folder_below;
        alter table folder drop column changed;
      `);
    }
  };
  Object.defineProperty(migration, 'name', { value: `FollowFolders${timestamp}` });
  return migration;
}
