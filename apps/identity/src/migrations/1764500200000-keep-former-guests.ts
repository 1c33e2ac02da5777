import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Named guests with whom nothing is shared any more are kept for a while. */
export class KeepFormerGuests1764500200000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('alter table guest add column ended_at bigint');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(`
      delete from guest where ended_at is not null;
      alter table guest drop column ended_at;
    `);
  }
}
