import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Keys of the installation, private parts sealed. On the default shard only. */
export class CreateServerKeys1763800100000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table server_key (
        name text not null,
        public_key text not null,
        private_key text not null,
        constraint server_key_name primary key (name)
      )`);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table server_key');
  }
}
