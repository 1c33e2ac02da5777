import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Links that open the folders below theirs, too. */
export class LinkBranches1764500400000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('alter table guest add column includes_below boolean not null default false');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table guest drop column includes_below');
  }
}
