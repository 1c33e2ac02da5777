import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Pictures of users, apart from their rows: lists do not read the bytes. */
export class UserImages1763958000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table user_image (
        context_id int not null,
        user_id int not null,
        content_type text not null,
        bytes bytea not null,
        sha256 text not null,
        changed_at bigint not null,
        primary key (context_id, user_id)
      );
      -- Pictures are compressed already.
      alter table user_image alter column bytes set storage external;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table user_image');
  }
}
