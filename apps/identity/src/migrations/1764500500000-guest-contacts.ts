import type { Migration, MigrationRunner } from '@groupware/persistence';

/** The contacts from which guests were chosen. */
export class GuestContacts1764500500000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      alter table guest add column contact_id text, add column contact_folder text,
        add constraint guest_contact_whole check ((contact_id is null) = (contact_folder is null))
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table guest drop column contact_id, drop column contact_folder');
  }
}
