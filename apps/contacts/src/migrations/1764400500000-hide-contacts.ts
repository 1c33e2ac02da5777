import type { Migration, MigrationRunner } from '@groupware/persistence';

/**
 * Shared contacts that were made private: for those who may not see private contacts they are gone since then, whatever
 * happens to them later. The deletion of a private contact stays unknown to them.
 */
export class HideContacts1764400500000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table contact_hidden (
        context_id int not null,
        folder_id int not null,
        id int not null,
        created_by int not null,
        last_modified bigint not null,
        constraint contact_hidden_key primary key (context_id, folder_id, id)
      );
      create index contact_hidden_age on contact_hidden (context_id, folder_id, last_modified);
      create index contact_hidden_expiry on contact_hidden (last_modified);
      alter table contact_hidden set (autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 200);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table contact_hidden');
  }
}
