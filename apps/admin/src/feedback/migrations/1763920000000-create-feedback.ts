import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Feedback of users. It belongs to the operator, not to a context: the link to the user is cut when he is gone. */
export class CreateFeedback1763920000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table feedback (
        id bigint generated always as identity,
        context_group text not null,
        type text not null,
        date bigint not null,
        context_id int,
        user_id int,
        login text,
        server_version text not null,
        content text not null,
        forget_at bigint,
        constraint feedback_key primary key (id)
      );
      create index feedback_in_order on feedback (context_group, type, date, id);
      create index feedback_of_user on feedback (context_id, user_id) where context_id is not null;
      create index feedback_to_forget on feedback (forget_at) where forget_at is not null;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table feedback');
  }
}
