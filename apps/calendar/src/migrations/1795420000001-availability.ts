import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Times at which users are available. */
export class Availability1795420000001 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table available_time (
        context_id int not null,
        user_id int not null,
        position int not null,
        uid uuid not null,
        rrule text,
        starts jsonb not null,
        ends jsonb not null,
        created bigint not null,
        modified bigint not null,
        constraint available_time_key primary key (context_id, user_id, position)
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table available_time');
  }
}
