import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Application passwords, second factors, and what is noted about passwords and logins. */
export class CreateFactors1763740000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table app_password (
        context_id int not null,
        password_id uuid not null default gen_random_uuid(),
        user_id int not null,
        login text not null,
        scope text not null,
        name text not null,
        -- SHA-256 of a random text of 79 bits: nothing to guess, so nothing to slow down.
        hash text not null,
        -- The user's own password, sealed with the application password; only for access to mail.
        sealed_password text,
        created_at bigint not null,
        last_login bigint,
        last_address text,
        last_device text,
        primary key (context_id, password_id),
        constraint app_password_unique unique (context_id, user_id, hash)
      );

      create table factor_device (
        context_id int not null,
        device_id uuid not null,
        user_id int not null,
        provider text not null,
        name text not null,
        backup boolean not null,
        enabled boolean not null default true,
        -- Sealed: what the provider needs to check an answer.
        secret text not null,
        created_at bigint not null,
        used_at bigint,
        primary key (context_id, device_id)
      );
      create index factor_device_of_user on factor_device (context_id, user_id);

      -- Logins that count for the enforcement of second factors.
      create table login_information (
        context_id int not null,
        user_id int not null,
        logins int not null,
        first_login bigint not null,
        primary key (context_id, user_id)
      );

      create table password_change (
        context_id int not null,
        user_id int not null,
        entry_id bigint generated always as identity,
        at bigint not null,
        client_id text not null,
        client_address text,
        primary key (context_id, user_id, entry_id)
      );

      create table user_attribute (
        context_id int not null,
        user_id int not null,
        name text not null,
        value text not null,
        primary key (context_id, user_id, name)
      );

      alter table directory_group add column created_at bigint not null default 0;
      alter table directory_resource add column created_at bigint not null default 0;
      create index group_by_change on directory_group (context_id, changed_at);
      create index resource_by_change on directory_resource (context_id, changed_at);
      create index tombstone_by_time on tombstone (context_id, kind, deleted_at);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(`
      drop index tombstone_by_time, resource_by_change, group_by_change;
      alter table directory_resource drop column created_at;
      alter table directory_group drop column created_at;
      drop table user_attribute, password_change, login_information, factor_device, app_password;
    `);
  }
}
