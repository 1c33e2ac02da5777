import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Default folders of files, and those below them, are personal from now on; until now all were public. */
export class PersonalFolders1764600000006 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      with recursive tree (context_id, id) as (
        select context_id, id from folder where is_default
        union
        select f.context_id, f.id from tree t join folder f on f.context_id = t.context_id and f.parent = t.id)
      update folder f set kind = 1 from tree t where f.context_id = t.context_id and f.id = t.id and f.kind = 0;
      comment on column folder.kind is '0 like its type, 1 personal: below a default folder, 16 trash';
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('update folder set kind = 0 where kind = 1');
  }
}
