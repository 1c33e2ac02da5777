import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Mails with their outcome, and when the next mail of a context may leave. */
export class CreateMails1795416300000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table mail (
        context_id int not null,
        id uuid not null,
        key text not null,
        address text not null,
        template text not null,
        message text,
        state text not null,
        attempts int not null default 0,
        reply text,
        created_at bigint not null,
        due_at bigint,
        finished_at bigint,
        constraint mail_id primary key (context_id, id),
        constraint mail_key unique (context_id, key, address)
      );
      create index mail_due on mail (due_at) where due_at is not null;
      create index mail_age on mail (finished_at) where finished_at is not null;

      create table mail_allowance (
        context_id int not null,
        next_at bigint not null,
        constraint mail_allowance_key primary key (context_id)
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table mail_allowance, mail');
  }
}
