import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Resellers: administrators who answer for contexts of their own and of resellers below them. */
export class CreateResellers1763805000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      -- Kept on the default shard only: a reseller has contexts on all of them.
      create table reseller (
        name text primary key,
        display_name text not null,
        parent text references reseller (name),
        hash text not null,
        config jsonb not null default '{}',
        taxonomy_types text[] not null default '{}',
        capabilities_added text[] not null default '{}',
        capabilities_removed text[] not null default '{}',
        max_contexts int,
        max_users int,
        max_quota_mb double precision,
        created_at bigint not null,
        version int not null default 1
      );
      create index reseller_by_parent on reseller (parent);

      alter table context add column reseller text;
      create index context_by_reseller on context (reseller) where reseller is not null;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(`
      drop index context_by_reseller;
      alter table context drop column reseller;
      drop table reseller;
    `);
  }
}
