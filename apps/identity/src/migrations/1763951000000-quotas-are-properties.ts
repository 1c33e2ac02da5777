import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Limits of objects are values of the configuration cascade, which modules read anyway. */
export class QuotasAreProperties1763951000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      insert into property_value (context_id, user_id, key, value)
        select context_id, 0, 'com.example.quota.' || item, amount::bigint::text from context_quota
        on conflict (context_id, user_id, key) do update set value = excluded.value;
      drop table context_quota;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table context_quota (
        context_id int not null,
        item text not null,
        amount double precision not null,
        primary key (context_id, item)
      );
      insert into context_quota (context_id, item, amount)
        select context_id, substr(key, length('com.example.quota.') + 1), value::double precision
        from property_value where user_id = 0 and key like 'com.example.quota.%';
      delete from property_value where user_id = 0 and key like 'com.example.quota.%';
    `);
  }
}
