import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Accounts of users at messaging services. */
export class CreateMessagingAccounts1765000000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table messaging_account (
        context_id int not null,
        user_id int not null,
        id int not null,
        service text not null,
        display_name text not null,
        configuration json not null,
        constraint messaging_account_key primary key (context_id, user_id, id)
      )
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table messaging_account');
  }
}
