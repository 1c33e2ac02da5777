import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Versions of the membership of groups: see `GroupWatch`. */
export class CountGroupChanges1763701200000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table group_change (
        context_id int not null,
        group_id int not null,
        changes bigint not null default 0,
        constraint group_change_key primary key (context_id, group_id)
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table group_change');
  }
}
