import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Deletions are forgotten after a while: up to which stamp is kept per context. Changes are found by their stamps. */
export class ForgetTombstones1763700100000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      alter table appointment_counter add column forgotten bigint not null default 0;
      create index tombstone_oldest on tombstone (last_modified);
      create index appointment_newest on appointment (context_id, last_modified);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(`
      drop index appointment_newest;
      drop index tombstone_oldest;
      alter table appointment_counter drop column forgotten;
    `);
  }
}
