import type { Migration, MigrationRunner } from './migration';

/** Events that wait to be sent, and events that were already consumed. Part of every module's schema. */
export class CreateOutbox1000000000001 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table outbox (
        seq bigint generated always as identity primary key,
        id uuid not null,
        context_id int not null,
        name text not null,
        payload jsonb not null,
        occurred_at bigint not null
      );
      create table consumed_event (
        consumer text not null,
        message_id uuid not null,
        consumed_at bigint not null,
        primary key (consumer, message_id)
      );
      create index consumed_event_age on consumed_event (consumed_at);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table consumed_event; drop table outbox');
  }
}

/** What the kit adds to the schema of every module, before the module's own migrations. */
export const kitMigrations = [CreateOutbox1000000000001] as const;
