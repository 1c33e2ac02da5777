import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Shares with guests: by link, or by an address without an account elsewhere. */
export class NoteGuests1764300000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('alter table share add column guest boolean not null default false');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table share drop column guest');
  }
}
