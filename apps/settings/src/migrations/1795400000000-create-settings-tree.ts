import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Trees of settings that clients store for their users. */
export class CreateSettingsTree1795400000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table settings_tree (
        context_id int not null,
        user_id int not null,
        service text not null,
        id text not null,
        tree json not null,
        size_bytes int not null,
        last_modified bigint not null,
        constraint settings_tree_key primary key (context_id, user_id, service, id)
      )`);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table settings_tree');
  }
}
