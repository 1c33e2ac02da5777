import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Links to single documents: named by their numbers alone, for they move between folders. */
export class LinkDocuments1764500000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      alter table guest add column item int;
      alter table guest drop constraint guest_is_of_a_kind;
      alter table guest add constraint guest_is_of_a_kind
        check ((email is null) = (module is not null and coalesce(folder, item) is not null));
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(`
      delete from guest where item is not null;
      alter table guest drop constraint guest_is_of_a_kind;
      alter table guest add constraint guest_is_of_a_kind
        check ((email is null) = (module is not null and folder is not null));
      alter table guest drop column item;
    `);
  }
}
