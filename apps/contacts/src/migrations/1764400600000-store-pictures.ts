import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Pictures of contacts, those of users aside. */
export class StorePictures1764400600000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table contact_picture (
        context_id int not null,
        contact_id int not null,
        content_type text not null,
        bytes bytea not null,
        sha256 text not null,
        constraint contact_picture_key primary key (context_id, contact_id),
        constraint contact_picture_contact foreign key (context_id, contact_id)
          references contact (context_id, id) on delete cascade
      );
      create index contact_with_picture on contact (context_id) where image_type is not null;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop index contact_with_picture; drop table contact_picture');
  }
}
