import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Marks by which missing notices show: when the newest one was committed, and which life of the stream of events is known. */
export class RecognizeLosses1764100000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      alter table stream add column last_at bigint not null default 0;
      create table event_stream (
        is_only boolean not null default true,
        generation text not null,
        constraint event_stream_key primary key (is_only),
        constraint event_stream_one check (is_only)
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table event_stream; alter table stream drop column last_at');
  }
}
