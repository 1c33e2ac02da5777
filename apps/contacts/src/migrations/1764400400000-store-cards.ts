import type { Migration, MigrationRunner } from '@groupware/persistence';

/**
 * Imported vCards beside their contacts, in version 4.0; and imports that have not ended: their entries get
 * uids from the seed, so that the same file, sent again after an interruption, finds what is stored already.
 */
export class StoreCards1764400400000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table contact_card (
        context_id int not null,
        contact_id int not null,
        card text not null,
        constraint contact_card_key primary key (context_id, contact_id),
        constraint contact_card_contact foreign key (context_id, contact_id)
          references contact (context_id, id) on delete cascade
      );
      create table contact_import (
        context_id int not null,
        user_id int not null,
        folder_id int not null,
        file_hash text not null,
        seed uuid not null,
        started bigint not null,
        constraint contact_import_key primary key (context_id, user_id, folder_id, file_hash)
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table contact_import; drop table contact_card');
  }
}
