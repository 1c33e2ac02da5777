import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Files that clients upload before they say what they are for. */
export class CreateManagedFiles1764600000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table managed_file (
        context_id int not null,
        id uuid not null,
        user_id int not null,
        reference text not null,
        filename text not null,
        content_type text not null,
        sniffed text,
        size_bytes bigint not null,
        used bigint not null,
        -- When nobody asks for it meanwhile.
        expires bigint not null,
        constraint managed_file_key primary key (context_id, id)
      );
      create index managed_file_of_user on managed_file (context_id, user_id, used desc, id);
      create index managed_file_by_end on managed_file (expires);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table managed_file');
  }
}
