import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Mails of POP3 accounts that were collected, while their servers have them. */
export class CreateCollectedMails1765100000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table collected_mail (
        context_id int not null,
        user_id int not null,
        account_id int not null,
        id text not null,
        state text not null check (state in ('storing', 'stored', 'refused')),
        constraint collected_mail_key primary key (context_id, user_id, account_id, id)
      )
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table collected_mail');
  }
}
