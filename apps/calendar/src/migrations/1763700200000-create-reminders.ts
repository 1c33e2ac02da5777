import type { Migration, MigrationRunner } from '@groupware/persistence';

/**
 * Alarms of users. Of every appointment and user with an alarm there is one row that waits: for a series that of the
 * next occurrence. When its time has come the next one is written. Times see `Reminder`.
 */
export class CreateReminders1763700200000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table reminder (
        context_id int not null,
        id bigint not null generated always as identity,
        user_id int not null,
        target_id int not null,
        root_id int not null,
        occurrence bigint not null,
        position int not null,
        start_ms bigint not null,
        end_ms bigint not null,
        floating boolean not null,
        minutes int not null,
        alarm_ms bigint not null,
        due_ms bigint,
        state smallint not null,
        planned_ms bigint not null,
        last_modified bigint not null,
        constraint reminder_key primary key (context_id, id),
        constraint reminder_target foreign key (context_id, target_id)
          references appointment (context_id, id) on delete cascade
      );
      create unique index reminder_occurrence on reminder (context_id, root_id, user_id, occurrence);
      create index reminder_of_target on reminder (context_id, target_id);
      create index reminder_due on reminder (due_ms) where due_ms is not null;
      create index reminder_of_user on reminder (context_id, user_id, alarm_ms) where state <> 3;
      create index reminder_over on reminder (end_ms) where due_ms is null;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table reminder');
  }
}
