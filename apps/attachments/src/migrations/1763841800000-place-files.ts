import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Files of contexts in other stores than the one of the process. */
export class PlaceFiles1763841800000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      -- Set by a move: nothing new is kept in other stores from then on. Null: never moved.
      alter table context_state add column store_id int;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table context_state drop column store_id');
  }
}
