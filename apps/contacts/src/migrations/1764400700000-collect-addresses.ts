import type { Migration, MigrationRunner } from '@groupware/persistence';

/** The folder of each user in which addresses are collected. */
export class CollectAddresses1764400700000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table collecting_folder (
        context_id int not null,
        user_id int not null,
        folder_id int not null,
        constraint collecting_folder_key primary key (context_id, user_id),
        constraint collecting_folder_folder foreign key (context_id, folder_id)
          references folder (context_id, id) on delete cascade
      );
      create index collecting_folder_of_folder on collecting_folder (context_id, folder_id);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table collecting_folder');
  }
}
