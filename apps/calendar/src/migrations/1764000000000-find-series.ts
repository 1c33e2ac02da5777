import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Series of a folder are found without a look at the rows of those that begin after the range. */
export class FindSeries1764000000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      drop index appointment_series_in_folder, attendee_series_in_folder;
      create index appointment_series_in_folder on appointment (context_id, folder_id, range_end_ms, start_ms)
        where is_series;
      create index attendee_series_in_folder on attendee (context_id, folder_id, range_end_ms, start_ms)
        where folder_id is not null and is_series;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(`
      drop index appointment_series_in_folder, attendee_series_in_folder;
      create index appointment_series_in_folder on appointment (context_id, folder_id, range_end_ms) where is_series;
      create index attendee_series_in_folder on attendee (context_id, folder_id, range_end_ms)
        where folder_id is not null and is_series;
    `);
  }
}
