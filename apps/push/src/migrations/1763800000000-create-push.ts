import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Subscriptions, notices of users with streams, and deliveries under way. */
export class CreatePush1763800000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table subscription (
        context_id int not null,
        id uuid not null,
        user_id int not null,
        client text not null,
        transport text not null,
        token_hash text not null,
        token text not null,
        topics text[] not null,
        created_at bigint not null,
        due_at bigint,
        window_until bigint not null default 0,
        attempts int not null default 0,
        constraint subscription_key primary key (context_id, id),
        constraint subscription_token unique (context_id, user_id, transport, token_hash, client)
      );
      create index subscription_hash on subscription (context_id, token_hash);
      create index subscription_due on subscription (due_at) where due_at is not null;

      create table delivery (
        context_id int not null,
        subscription_id uuid not null,
        id bigint not null generated always as identity,
        notice_id uuid not null,
        topic text not null,
        data json not null,
        created_at bigint not null,
        constraint delivery_key primary key (context_id, subscription_id, id),
        constraint delivery_subscription foreign key (context_id, subscription_id)
          references subscription (context_id, id) on delete cascade
      );
      create index delivery_age on delivery (created_at);

      create table stream (
        context_id int not null,
        user_id int not null,
        epoch bigint not null,
        last_seq bigint not null,
        wanted_until bigint not null,
        constraint stream_key primary key (context_id, user_id)
      );

      create table notice (
        context_id int not null,
        user_id int not null,
        seq bigint not null,
        topic text not null,
        data json not null,
        created_at bigint not null,
        constraint notice_key primary key (context_id, user_id, seq)
      );
      create index notice_age on notice (created_at);

      create table seen_mail (
        context_id int not null,
        user_id int not null,
        mail text not null,
        seen_at bigint not null,
        constraint seen_mail_key primary key (context_id, user_id, mail)
      );
      create index seen_mail_age on seen_mail (seen_at);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table seen_mail, notice, stream, delivery, subscription');
  }
}
