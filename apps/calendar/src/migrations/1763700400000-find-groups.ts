import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Index for the appointments of a group, looked up when its members change. */
export class FindGroups1763700400000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('create index attendee_group on attendee (context_id, entity, range_end_ms) where type = 2');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop index attendee_group');
  }
}
