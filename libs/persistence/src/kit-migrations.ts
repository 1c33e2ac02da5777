import type { Migration, MigrationRunner } from './migration';

/** Events that wait to be sent, and events that were already consumed. Part of every module's schema. */
class CreateOutbox1000000000001 implements Migration {
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

/** Events that the broker confirmed, kept for a while: it may lose them. */
class CreateSentEvents1000000000002 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    // The context stands in the message only: the rows belong to the place, and end by themselves.
    await db.query(`
      create table sent_event (
        seq bigint primary key,
        message jsonb not null,
        generation text not null,
        stream_seq bigint not null,
        sent_at bigint not null
      );
      create index sent_event_age on sent_event (sent_at);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table sent_event');
  }
}

/** Notes of calls with an idempotency key: see {@link CallNotes}. */
class CreateCallKeys1000000000003 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table call_key (
        context_id int not null,
        key uuid not null,
        step smallint not null,
        request bytea,
        value bytea,
        -- Minutes since 1970.
        expires_at int not null,
        primary key (context_id, key, step)
      );
      create index call_key_by_end on call_key (expires_at);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table call_key');
  }
}

/** Migrations of the kit for the schema of every module, before the module's own migrations. */
export const kitMigrations = [
  CreateOutbox1000000000001,
  CreateSentEvents1000000000002,
  CreateCallKeys1000000000003,
] as const;
