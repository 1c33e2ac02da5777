import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Index of calendars that are transparent for scheduling. */
export class FindTransparentCalendars1795510000000 implements Migration {
  readonly isTransactional = false;

  async up(db: MigrationRunner): Promise<void> {
    await db.createIndexConcurrently(
      'folder_transparent',
      `on folder (context_id, id) where properties #>> '{scheduleTransp,value}' = 'TRANSPARENT'`,
    );
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.dropIndexConcurrently('folder_transparent');
  }
}
