import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Which contact belongs to the administrator of the context: clients may ask to leave it out. */
export class MarkAdministrators1764400200000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('alter table contact add column is_admin boolean not null default false');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table contact drop column is_admin');
  }
}
