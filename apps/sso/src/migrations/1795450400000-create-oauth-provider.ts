import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Applications that operators registered, and what users granted them. */
export class CreateOAuthProvider1795450400000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      -- Kept on the default shard only: applications belong to the installation.
      create table oauth_client (
        id text primary key,
        name text not null,
        description text not null,
        website text not null,
        contact_address text not null,
        redirect_uris text[] not null,
        default_scope text[] not null,
        secret_digest bytea not null,
        enabled boolean not null,
        created_at bigint not null
      );

      create table oauth_grant (
        context_id int not null,
        id text not null,
        user_id int not null,
        client_id text not null,
        scopes text[] not null,
        -- Digests: whoever reads the table cannot use what it leads to.
        refresh_digest bytea not null,
        former_digest bytea,
        created_at bigint not null,
        constraint oauth_grant_key primary key (context_id, id)
      );
      create index oauth_grant_by_user on oauth_grant (context_id, user_id, client_id);
      create unique index oauth_grant_by_refresh on oauth_grant (context_id, refresh_digest);
      create index oauth_grant_by_former on oauth_grant (context_id, former_digest) where former_digest is not null;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table oauth_grant; drop table oauth_client;');
  }
}
