import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Since when (stamp of appointments) the rights on a folder are as they are; none for a folder that was never shared. */
export class NoteAccess1763700600000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table folder_access (
        context_id int not null,
        folder_id int not null,
        stamp bigint not null,
        constraint folder_access_key primary key (context_id, folder_id),
        constraint folder_access_folder foreign key (context_id, folder_id)
          references folder (context_id, id) on delete cascade
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table folder_access');
  }
}
