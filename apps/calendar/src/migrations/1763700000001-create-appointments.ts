import type { Migration, MigrationRunner } from '@groupware/persistence';

/**
 * Appointments, series and exceptions. Times are instants in ms UTC; with `floating` (whole days, or no zone) they are
 * wall-clock times written as if they were UTC. Times of attendees are copies, so that the indexes of a user's view and
 * of his busy time need no look at the appointment.
 */
export class CreateAppointments1763700000001 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table appointment_counter (
        context_id int primary key,
        next_id int not null default 1,
        last_stamp bigint not null default 0
      );
      create table appointment (
        context_id int not null,
        id int not null,
        series_id int,
        folder_id int not null,
        is_public boolean not null,
        owner int not null,
        uid text not null,
        recurrence_local bigint,
        position int,
        start_ms bigint not null,
        end_ms bigint not null,
        range_end_ms bigint not null,
        time_zone text not null,
        full_time boolean not null,
        floating boolean not null,
        title text,
        location text,
        note text,
        shown_as smallint not null,
        classification smallint not null,
        color smallint,
        categories text,
        organizer text,
        organizer_id int,
        principal text,
        principal_id int,
        sequence int not null,
        rule text,
        rdates bigint[],
        exdates bigint[],
        changes bigint[],
        created_by int not null,
        modified_by int not null,
        created bigint not null,
        last_modified bigint not null,
        attachments int not null default 0,
        newest_attachment bigint,
        extra jsonb,
        -- What views answer about the attendees: copies, kept by every statement that writes attendees.
        participants json,
        users json not null,
        confirmations json not null,
        is_series boolean not null generated always as (series_id is not null and series_id = id) stored,
        constraint appointment_key primary key (context_id, id),
        constraint appointment_folder foreign key (context_id, folder_id) references folder (context_id, id),
        constraint appointment_times check (end_ms >= start_ms)
      );
      create unique index appointment_uid
        on appointment (context_id, md5(uid), folder_id, coalesce(recurrence_local, -9007199254740991));
      create index appointment_in_folder on appointment (context_id, folder_id, start_ms) where not is_series;
      create index appointment_long on appointment (context_id, folder_id, end_ms)
        where not is_series and end_ms - start_ms > 3024000000;
      create index appointment_series_in_folder on appointment (context_id, folder_id, range_end_ms) where is_series;
      create index appointment_of_series on appointment (context_id, series_id) where series_id is not null;
      create index appointment_changed on appointment (context_id, folder_id, last_modified);
      create table attendee (
        context_id int not null,
        appointment_id int not null,
        position int not null,
        type smallint not null,
        entity int,
        mail text,
        display_name text,
        folder_id int,
        direct boolean not null,
        listed boolean not null,
        hidden boolean not null default false,
        confirm smallint not null,
        message text,
        alarm int,
        extra jsonb,
        is_series boolean not null,
        start_ms bigint not null,
        range_end_ms bigint not null,
        constraint attendee_key primary key (context_id, appointment_id, position),
        constraint attendee_appointment foreign key (context_id, appointment_id)
          references appointment (context_id, id) on delete cascade
      );
      create unique index attendee_entity on attendee (context_id, appointment_id, type, entity) where entity is not null;
      create index attendee_folder on attendee (context_id, folder_id, start_ms)
        where folder_id is not null and not is_series;
      create index attendee_series_in_folder on attendee (context_id, folder_id, range_end_ms)
        where folder_id is not null and is_series;
      create index attendee_public on attendee (context_id, entity, start_ms)
        where type = 1 and not direct and folder_id is null;
      create index attendee_busy on attendee (context_id, entity, range_end_ms) where type in (1, 3);
      create table tombstone (
        context_id int not null,
        folder_id int not null,
        id int not null,
        series_id int,
        recurrence_local bigint,
        position int,
        last_modified bigint not null,
        constraint tombstone_key primary key (context_id, folder_id, id)
      );
      create index tombstone_age on tombstone (context_id, folder_id, last_modified);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table tombstone; drop table attendee; drop table appointment; drop table appointment_counter');
  }
}
