import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Named guests: each user has guests of his own, also by an address that others invited, too. */
export class NameGuests1763956000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      -- Logins of a named guest who chose no password.
      alter table guest add column bare_logins int not null default 0;
      drop index guest_of_address;
      create unique index guest_of_address on guest (context_id, created_by, email) where email is not null;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(`
      drop index guest_of_address;
      create unique index guest_of_address on guest (context_id, email) where email is not null;
      alter table guest drop column bare_logins;
    `);
  }
}
