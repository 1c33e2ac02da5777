import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Users behind organizer and principal of tasks, and how often a task was revised. */
export class AddOrganizers1796000000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(
      'alter table task add column organizer_id int, add column principal_id int, add column sequence int not null default 0',
    );
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table task drop column organizer_id, drop column principal_id, drop column sequence');
  }
}
