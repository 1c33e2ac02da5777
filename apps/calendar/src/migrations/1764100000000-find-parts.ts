import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Series that were split off another one are found by its unique id. */
export class FindParts1764100000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create index appointment_part on appointment (context_id, md5(extra #>> '{icalendar,partOf,uid}'))
        where extra #>> '{icalendar,partOf,uid}' is not null;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop index appointment_part');
  }
}
