import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Space that files use, as the modules that keep them tell it. */
export class CountUsage1763815000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table context_usage (
        context_id int not null,
        source text not null,
        used_bytes bigint not null,
        -- Grows with each number a module tells: a late one does not replace a newer one.
        revision bigint not null,
        primary key (context_id, source)
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table context_usage');
  }
}
