import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Configurations of packages, and previews of users. JSON stays text, so that it is answered as it was stored. */
export class CreateAdvertisement1763910000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table advertisement_config (
        reseller text not null,
        package text not null,
        config text not null,
        changed bigint not null,
        constraint advertisement_config_key primary key (reseller, package)
      );
      create table advertisement_preview (
        context_id int not null,
        user_id int not null,
        config text not null,
        changed bigint not null,
        constraint advertisement_preview_key primary key (context_id, user_id)
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table advertisement_preview; drop table advertisement_config');
  }
}
