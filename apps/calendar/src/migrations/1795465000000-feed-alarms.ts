import type { Migration, MigrationRunner } from '@groupware/persistence';

/** When alarms of users in calendars of the web are looked at next, and until when they were told of. */
export class FeedAlarms1795465000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      alter table feed_event add column alarm_due_ms bigint, add column alarm_told_ms bigint,
        add column alarm_told_clock_ms bigint;
      comment on column feed_event.alarm_due_ms is 'when alarms are looked at next, ms UTC; null: there are none';
      comment on column feed_event.alarm_told_ms is 'the user was told of alarms until then, ms UTC';
      comment on column feed_event.alarm_told_clock_ms is 'of events without zone, the last alarm that was told, on the clock of the user';
      update feed_event set alarm_due_ms = 0, alarm_told_ms = (extract(epoch from now()) * 1000)::bigint where own is not null;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(
      'alter table feed_event drop column alarm_due_ms, drop column alarm_told_ms, drop column alarm_told_clock_ms',
    );
  }
}
