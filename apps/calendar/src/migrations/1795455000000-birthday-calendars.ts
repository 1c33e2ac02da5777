import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Tells calendars of the web and of birthdays apart: of these, a user has one. */
export class BirthdayCalendars1795455000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      alter table feed add provider text not null default 'ical';
      comment on column feed.provider is 'ical: the web, at the address; birthdays: the contacts of the user';
      create unique index feed_of_birthdays on feed (context_id, user_id) where provider = 'birthdays';
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(`
      delete from folder f using feed e
      where e.provider = 'birthdays' and f.context_id = e.context_id and f.id = e.folder_id;
      drop index feed_of_birthdays;
      alter table feed drop column provider;
    `);
  }
}
