import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Objects that got the files of others: once, whether by call or by event. */
export class NoteCopies1795600000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table copied_object (
        context_id int not null,
        module int not null,
        object_id int not null,
        constraint copied_object_key primary key (context_id, module, object_id)
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table copied_object');
  }
}
