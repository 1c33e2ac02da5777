import type { Migration, MigrationRunner } from '@groupware/persistence';

const TABLES = ['appointment', 'attendee', 'reminder', 'tombstone'];

/**
 * Statistics after a fiftieth of the rows changed, not a tenth: every index begins with the context, and which one is best
 * depends on how many rows a context has. An import multiplies them.
 */
export class AnalyzeEarly1764200000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    for (const table of TABLES)
      await db.query(
        `alter table ${table} set (autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 200)`,
      );
  }

  async down(db: MigrationRunner): Promise<void> {
    for (const table of TABLES)
      await db.query(`alter table ${table} reset (autovacuum_analyze_scale_factor, autovacuum_analyze_threshold)`);
  }
}
