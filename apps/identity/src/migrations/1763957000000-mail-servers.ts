import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Servers of the primary mail account belong to the user; what they leave open follows the properties. */
export class MailServers1763957000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('alter table directory_user add column imap jsonb, add column smtp jsonb;');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table directory_user drop column imap, drop column smtp;');
  }
}
