import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Contact data that guests tell of themselves, beside their names. */
export class GuestPersons1764500710000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query("alter table guest add column person jsonb not null default '{}'");
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table guest drop column person');
  }
}
