import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Fields whose beginning completes what a user types (`AUTOCOMPLETE_FIELDS`). */
const FIELDS = ['first_name', 'last_name', 'display_name', 'email1', 'email2', 'email3'];

/** Indexes by the beginning of names and addresses, case ignored (`anyBeginsWith` of the persistence kit). */
export class FindByPrefix1764400300000 implements Migration {
  readonly isTransactional = false;

  async up(db: MigrationRunner): Promise<void> {
    for (const field of FIELDS)
      await db.createIndexConcurrently(
        `contact_by_${field}`,
        `on contact (context_id, folder_id, lower(${field} collate "und-x-icu") text_pattern_ops) where ${field} is not null`,
      );
  }

  async down(db: MigrationRunner): Promise<void> {
    for (const field of FIELDS) await db.dropIndexConcurrently(`contact_by_${field}`);
  }
}
