import type { Migration, MigrationRunner } from '@groupware/persistence';

/** File stores are used: their credentials, and the contexts in them. */
export class OpenFilestores1763841700000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      -- Sealed for the store: key and secret of its address.
      alter table filestore add column credentials text;
      create index context_in_filestore on context (filestore_id);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop index context_in_filestore; alter table filestore drop column credentials');
  }
}
