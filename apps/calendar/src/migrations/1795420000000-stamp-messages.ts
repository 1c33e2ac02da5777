import type { Migration, MigrationRunner } from '@groupware/persistence';

/** DTSTAMP of the newest message about an appointment, so that no two of them have the same. */
export class StampMessages1795420000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table scheduling_stamp (
        context_id int not null,
        uid_hash text not null,
        user_id int not null,
        stamp bigint not null,
        constraint scheduling_stamp_key primary key (context_id, uid_hash, user_id)
      );
      create index scheduling_stamp_age on scheduling_stamp (stamp);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table scheduling_stamp');
  }
}
