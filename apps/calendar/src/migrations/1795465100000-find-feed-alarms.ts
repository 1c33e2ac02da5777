import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Index of the alarms in calendars of the web that are due next. */
export class FindFeedAlarms1795465100000 implements Migration {
  readonly isTransactional = false;

  async up(db: MigrationRunner): Promise<void> {
    await db.createIndexConcurrently(
      'feed_event_alarm_due',
      'on feed_event (alarm_due_ms) where alarm_due_ms is not null',
    );
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.dropIndexConcurrently('feed_event_alarm_due');
  }
}
