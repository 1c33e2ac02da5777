import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Creates shares, stored with the owner (share) and with the entities that see them (liaison). */
export class CreateShares1763925000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table share (
        context_id int not null,
        share_id uuid not null default gen_random_uuid(),
        -- 0: no owner in particular
        owner int not null,
        module text not null,
        kind text not null,
        folder text not null default '',
        item text not null default '',
        grantee_context int not null,
        entity int not null,
        entity_group boolean not null,
        permissions int not null,
        name text,
        default_folder boolean not null default false,
        send_on_behalf boolean not null default false,
        created bigint not null,
        -- Set while a purge waits for somebody who was away.
        attempts int not null default 0,
        retry_at bigint,
        constraint share_key primary key (context_id, share_id),
        constraint share_unique unique (context_id, owner, module, kind, folder, item, grantee_context, entity)
      );
      create index share_by_retry on share (retry_at) where retry_at is not null;

      create table liaison (
        context_id int not null,
        liaison_id uuid not null default gen_random_uuid(),
        entity int not null,
        entity_group boolean not null,
        type text not null,
        module text not null,
        from_context int not null,
        owner int not null,
        -- The id of the share, or how another module names the link.
        reference text not null,
        folder text not null default '',
        item text not null default '',
        permissions int not null default 0,
        name text,
        default_folder boolean not null default false,
        send_on_behalf boolean not null default false,
        attempts int not null default 0,
        retry_at bigint,
        constraint liaison_key primary key (context_id, liaison_id),
        constraint liaison_unique unique (context_id, type, module, from_context, entity, reference)
      );
      create index liaison_by_entity on liaison (context_id, entity);
      create index liaison_by_retry on liaison (retry_at) where retry_at is not null;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table liaison; drop table share');
  }
}
