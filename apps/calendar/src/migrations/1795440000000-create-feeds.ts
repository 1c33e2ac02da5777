import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Calendars of the web that users subscribed to, and their events. They go with their folders. */
export class CreateFeeds1795440000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table feed (
        context_id int not null,
        folder_id int not null,
        user_id int not null,
        address text not null,
        refresh_minutes int,
        published_minutes int,
        etag text,
        modified text,
        due_at bigint,
        claimed_until bigint not null default 0,
        refreshed_at bigint,
        failures int not null default 0,
        error jsonb,
        constraint feed_key primary key (context_id, folder_id),
        constraint feed_folder foreign key (context_id, folder_id) references folder (context_id, id) on delete cascade
      );
      comment on column feed.address is 'sealed: address, login and password';
      comment on column feed.refresh_minutes is 'as the user wants it';
      comment on column feed.published_minutes is 'as the calendar says';
      comment on column feed.due_at is 'when it is read again; null: never, it is gone';
      comment on column feed.claimed_until is 'a process reads it until then at most';
      create index feed_of_user on feed (context_id, user_id);
      create index feed_due on feed (due_at) where due_at is not null;
      create table feed_event (
        context_id int not null,
        folder_id int not null,
        id int not null,
        uid text not null,
        series_id int,
        start_ms bigint not null,
        range_end_ms bigint not null,
        floating boolean not null,
        last_modified bigint not null,
        content jsonb not null,
        own jsonb,
        constraint feed_event_key primary key (context_id, folder_id, id),
        constraint feed_event_feed foreign key (context_id, folder_id)
          references feed (context_id, folder_id) on delete cascade
      );
      comment on column feed_event.content is 'the event as appointments have it';
      comment on column feed_event.own is 'alarms of the user; null: none';
      create index feed_event_time on feed_event (context_id, folder_id, range_end_ms, start_ms);
      create index feed_event_uid on feed_event (context_id, folder_id, md5(uid));
      create index feed_event_changes on feed_event (context_id, folder_id, last_modified);
      create index feed_event_series on feed_event (context_id, folder_id, series_id) where series_id is not null;
      create index feed_event_alarms on feed_event (context_id, folder_id) where own is not null;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table feed_event; drop table feed');
  }
}
