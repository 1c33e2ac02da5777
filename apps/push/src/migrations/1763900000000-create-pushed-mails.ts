import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Scheduling mails that wait for their user to be found; on the default shard only. Those that were applied are noted. */
export class CreatePushedMails1763900000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table pushed_mail (
        id uuid not null,
        user_name text,
        message_id text,
        sender text,
        recipients text[] not null,
        sent_at bigint,
        method text not null,
        calendar text not null,
        created_at bigint not null,
        due_at bigint not null,
        attempts int not null default 0,
        constraint pushed_mail_key primary key (id)
      );
      create index pushed_mail_due on pushed_mail (due_at);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table pushed_mail');
  }
}
