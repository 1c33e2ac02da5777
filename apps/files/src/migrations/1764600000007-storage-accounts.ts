import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Accounts of users with storages elsewhere. Secret values of the form are sealed, for their row and the server they are told to. */
export class StorageAccounts1764600000007 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table storage_account (
        context_id int not null,
        user_id int not null,
        id int not null,
        service text not null,
        display_name text not null,
        configuration jsonb not null,
        sealed text not null,
        constraint storage_account_key primary key (context_id, user_id, id)
      );
      create table storage_account_counter (
        context_id int not null,
        user_id int not null,
        last_id int not null,
        constraint storage_account_counter_key primary key (context_id, user_id)
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table storage_account_counter; drop table storage_account');
  }
}
