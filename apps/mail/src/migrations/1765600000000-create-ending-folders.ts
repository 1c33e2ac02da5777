import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Folders with files of mails that go when their links end. */
export class CreateEndingFolders1765600000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table ending_folder (
        context_id int not null,
        user_id int not null,
        folder int not null,
        ends bigint not null,
        constraint ending_folder_key primary key (context_id, folder)
      )
    `);
    await db.query('create index ending_folder_by_end on ending_folder (ends)');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table ending_folder');
  }
}
