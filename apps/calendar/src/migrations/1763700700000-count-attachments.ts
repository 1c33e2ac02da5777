import type { Migration, MigrationRunner } from '@groupware/persistence';

/** The number of the attachment state that an appointment shows: states arrive in any order, the highest one holds. */
export class CountAttachments1763700700000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('alter table appointment add column attachment_revision bigint not null default 0');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table appointment drop column attachment_revision');
  }
}
