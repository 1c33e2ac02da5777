import type { Migration, MigrationRunner } from '@groupware/persistence';

/** How often users invited groups. */
export class CountGroupUses1764500600000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table group_use (
        context_id int not null,
        user_id int not null,
        group_id int not null,
        uses int not null,
        primary key (context_id, user_id, group_id)
      );
      create index group_use_of_group on group_use (context_id, group_id)
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table group_use');
  }
}
