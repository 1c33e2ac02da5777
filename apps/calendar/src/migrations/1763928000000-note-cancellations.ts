import type { Migration, MigrationRunner } from '@groupware/persistence';

/**
 * Cancellations by external organizers, so that an older invitation that arrives later restores nothing; and indexes that
 * find out whether a user has to do with an external address.
 */
export class NoteCancellations1763928000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table cancellation (
        context_id int not null,
        user_id int not null,
        uid_hash text not null,
        recurrence text not null,
        sequence int not null,
        dtstamp bigint not null,
        noted_at bigint not null,
        constraint cancellation_key primary key (context_id, user_id, uid_hash, recurrence)
      );
      create index cancellation_age on cancellation (noted_at);
      create index attendee_external on attendee (context_id, lower(mail)) where type = 5;
      create index appointment_external_organizer on appointment (context_id, lower(organizer)) where organizer_id is null;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop index appointment_external_organizer; drop index attendee_external; drop table cancellation');
  }
}
