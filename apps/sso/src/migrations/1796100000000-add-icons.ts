import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Pictures of applications. */
export class AddIcons1796100000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query("alter table oauth_client add column icon text not null default ''");
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table oauth_client drop column icon');
  }
}
