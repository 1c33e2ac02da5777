import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Signatures and text blocks. */
export class CreateSnippets1764800000001 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table snippet (
        context_id int not null,
        id int not null,
        created_by int not null,
        -- Grows with each change.
        revision bigint not null,
        account_id int not null,
        type text not null,
        module text not null,
        display_name text not null,
        -- Pictures are named by cid: and the id of their file.
        content text not null,
        -- JSON, as clients send and see it.
        misc text,
        props text not null,
        shared boolean not null,
        constraint snippet_key primary key (context_id, id)
      );
      create index snippet_creator on snippet (context_id, created_by);
      create index snippet_shared on snippet (context_id) where shared;
      create table snippet_file (
        context_id int not null,
        snippet_id int not null,
        id uuid not null,
        position bigint generated always as identity,
        reference text not null,
        name text not null,
        content_type text not null,
        sniffed text,
        size_bytes bigint not null,
        -- Whether the text shows it.
        inline boolean not null,
        constraint snippet_file_key primary key (context_id, snippet_id, id),
        constraint snippet_file_of foreign key (context_id, snippet_id) references snippet on delete cascade
      );
      create index snippet_file_reference on snippet_file (context_id, reference);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table snippet_file; drop table snippet');
  }
}
