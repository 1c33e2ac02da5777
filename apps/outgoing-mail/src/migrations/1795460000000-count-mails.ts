import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Finds how many mails of a kind an address got lately. */
export class CountMails1795460000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('create index mail_of_address on mail (context_id, address, template, created_at)');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop index mail_of_address');
  }
}
