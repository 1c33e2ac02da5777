import type { Migration, MigrationRunner } from '@groupware/persistence';

/**
 * Busy times are found without a look at the rows of what ended before or begins after the range: the index holds both ends,
 * and whether the attendee takes part at all.
 */
export class FindBusyTimes1763701300000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      drop index attendee_busy;
      create index attendee_busy on attendee (context_id, entity, range_end_ms, start_ms)
        include (appointment_id, type, hidden, confirm) where type in (1, 3);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(`
      drop index attendee_busy;
      create index attendee_busy on attendee (context_id, entity, range_end_ms) where type in (1, 3);
    `);
  }
}
