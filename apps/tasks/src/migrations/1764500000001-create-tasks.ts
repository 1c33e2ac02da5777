import type { Migration, MigrationRunner } from '@groupware/persistence';

/**
 * Tasks. One task is seen in several folders (`task_folder`): where it was made, and in the default folders of its
 * participants. `task_folder.last_modified` repeats that of the task, so that changes of a folder are found by an index.
 * Participants who were removed stay with their answers (`removed`). A series is one row; `is_succeeded` says that its next
 * instance was made.
 */
export class CreateTasks1764500000001 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table task_counter (
        context_id int primary key,
        next_id int not null default 1,
        last_stamp bigint not null default 0,
        forgotten bigint not null default 0
      );
      create table task (
        context_id int not null,
        id int not null,
        uid text not null,
        created_by int not null,
        modified_by int not null,
        created bigint not null,
        last_modified bigint not null,
        is_private boolean not null default false,
        color smallint,
        title text, note text, categories text, companies text, billing_information text, trip_meter text, currency text,
        organizer text, principal text,
        status smallint not null default 1,
        percent smallint,
        date_completed bigint,
        priority smallint,
        start_ms bigint,
        end_ms bigint,
        full_time boolean,
        time_zone text not null default 'UTC',
        actual_duration bigint,
        target_duration bigint,
        actual_costs numeric(12, 2),
        target_costs numeric(12, 2),
        after_complete bigint,
        rule text,
        recurrence_type smallint,
        recurrence_interval int,
        recurrence_days smallint,
        recurrence_day_in_month smallint,
        recurrence_month smallint,
        recurrence_until bigint,
        recurrence_occurrences int,
        is_succeeded boolean not null default false,
        is_delegated boolean not null default false,
        attachments int not null default 0,
        newest_attachment bigint,
        attachment_revision bigint not null default 0,
        extra jsonb,
        constraint task_key primary key (context_id, id)
      );
      create index task_uid on task (context_id, md5(uid));
      create table task_folder (
        context_id int not null,
        folder_id int not null,
        task_id int not null,
        user_id int,
        is_origin boolean not null,
        last_modified bigint not null,
        constraint task_folder_key primary key (context_id, folder_id, task_id),
        constraint task_folder_task foreign key (context_id, task_id) references task (context_id, id) on delete cascade
      );
      create index task_folder_of_task on task_folder (context_id, task_id);
      create index task_folder_age on task_folder (context_id, folder_id, last_modified);
      create table task_participant (
        context_id int not null,
        task_id int not null,
        position int not null,
        type smallint not null,
        entity int,
        mail text,
        display_name text,
        listed boolean not null,
        removed boolean not null,
        confirm smallint not null,
        message text,
        constraint task_participant_key primary key (context_id, task_id, position),
        constraint task_participant_task foreign key (context_id, task_id)
          references task (context_id, id) on delete cascade
      );
      create index task_participant_entity on task_participant (context_id, entity) where entity is not null;
      create table task_reminder (
        context_id int not null,
        id bigint not null generated always as identity,
        task_id int not null,
        user_id int not null,
        alarm_ms bigint not null,
        remind_ms bigint not null,
        due_ms bigint,
        state smallint not null,
        last_modified bigint not null,
        constraint task_reminder_key primary key (context_id, id),
        constraint task_reminder_task foreign key (context_id, task_id)
          references task (context_id, id) on delete cascade
      );
      create unique index task_reminder_of_user on task_reminder (context_id, task_id, user_id);
      create index task_reminder_due on task_reminder (due_ms) where due_ms is not null;
      create index task_reminder_shown on task_reminder (context_id, user_id, remind_ms) where state <> 3;
      create table task_tombstone (
        context_id int not null,
        folder_id int not null,
        id int not null,
        created_by int not null,
        last_modified bigint not null,
        constraint task_tombstone_key primary key (context_id, folder_id, id)
      );
      create index task_tombstone_age on task_tombstone (context_id, folder_id, last_modified);
      create index task_tombstone_expiry on task_tombstone (last_modified);
      create table folder_access (
        context_id int not null,
        folder_id int not null,
        stamp bigint not null,
        constraint folder_access_key primary key (context_id, folder_id)
      );
    `);
    for (const table of ['task', 'task_folder', 'task_participant', 'task_tombstone'])
      await db.query(
        `alter table ${table} set (autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 200)`,
      );
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(
      'drop table folder_access; drop table task_tombstone; drop table task_reminder; drop table task_participant; drop table task_folder; drop table task; drop table task_counter',
    );
  }
}
