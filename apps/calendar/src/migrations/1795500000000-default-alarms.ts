import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Alarms that users set for all events of a calendar elsewhere. */
export class DefaultAlarms1795500000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      alter table feed add column default_alarms jsonb;
      comment on column feed.default_alarms is 'alarms of events for which the user set none: date, dateTime and since when, ms UTC';
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table feed drop column default_alarms');
  }
}
