import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Data of clients about links. */
export class LinkMeta1763959000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    // Not jsonb: clients get back what they sent, and jsonb refuses some texts that JSON allows.
    await db.query('alter table guest add column meta json');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table guest drop column meta');
  }
}
