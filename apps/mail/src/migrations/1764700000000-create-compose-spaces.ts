import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Mails that are being written. */
export class CreateComposeSpaces1764700000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table compose_space (
        context_id int not null,
        user_id int not null,
        id uuid not null,
        -- Times: ms UTC. The last write; who does not write loses the space in the end.
        modified bigint not null,
        -- Set while the mail is sent or saved: until then, unless it is set anew.
        busy_until bigint,
        -- Window that has the space.
        claim text,
        -- JSON, as clients send and see it.
        sender text not null default 'null',
        recipients text not null default '[]',
        copies text not null default '[]',
        blind_copies text not null default '[]',
        reply_to text not null default '[]',
        subject text not null default '',
        content text not null default '',
        content_type text not null,
        meta text not null,
        receipt boolean not null default false,
        priority text not null default 'normal',
        security text not null default '{}',
        shared text not null default '{}',
        constraint compose_space_key primary key (context_id, user_id, id)
      );
      create index compose_space_idle on compose_space (modified);
      create table compose_attachment (
        context_id int not null,
        user_id int not null,
        space_id uuid not null,
        id uuid not null,
        position bigint generated always as identity,
        reference text not null,
        name text not null,
        content_type text not null,
        sniffed text,
        size_bytes bigint not null,
        cid text,
        origin text not null,
        -- Part of the original that it is a copy of.
        source text,
        -- Set from when its bytes may go.
        removed bigint,
        constraint compose_attachment_key primary key (context_id, user_id, space_id, id, reference)
      );
      create index compose_attachment_removed on compose_attachment (removed) where removed is not null;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table compose_attachment; drop table compose_space');
  }
}
