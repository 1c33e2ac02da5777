import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Contexts and what lives in them. Every key begins with the context, except what is unique over the installation. */
export class CreateDirectory1763700000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table context (
        context_id int primary key,
        name text not null,
        enabled boolean not null default true,
        reason text,
        admin_user_id int not null,
        quota_mb double precision not null default -1,
        taxonomy_types text[] not null default '{}',
        context_group text not null default 'default',
        access_combination text,
        access_flags text[] not null,
        shard text not null default 'default',
        filestore_id int not null default 1,
        state text not null default 'ready',
        created_at bigint not null,
        version int not null default 1,
        -- Users, groups and resources count together; a number is never given twice.
        next_entity_id int not null default 2
      );

      -- Numbers of contexts given out, so that the number of a deleted one does not come back.
      create table context_number (context_id int primary key);

      create table login_mapping (
        context_id int not null,
        mapping text not null,
        implicit boolean not null,
        primary key (context_id, mapping),
        constraint login_mapping_unique unique (mapping)
      );

      create table directory_user (
        context_id int not null,
        user_id int not null,
        name text not null,
        enabled boolean not null default true,
        display_name text not null,
        given_name text,
        surname text not null,
        primary_email text not null,
        locale text not null,
        time_zone text not null,
        access_combination text,
        access_flags text[] not null,
        capabilities_added text[] not null default '{}',
        capabilities_removed text[] not null default '{}',
        quota_mb double precision,
        -- Further fields of the person by wire name; most are empty for most users.
        person jsonb not null default '{}',
        uid uuid not null default gen_random_uuid(),
        created_at bigint not null,
        created_by int,
        changed_at bigint not null,
        changed_by int,
        version int not null default 1,
        primary key (context_id, user_id)
      );
      create unique index user_name_unique on directory_user (context_id, lower(name));
      create unique index user_display_name_unique on directory_user (context_id, lower(display_name collate "und-x-icu"));

      -- Addresses of users (their aliases) and of resources.
      create table mail_address (
        context_id int not null,
        entity_id int not null,
        address text not null,
        spelled text not null,
        position int not null,
        primary key (context_id, entity_id, address),
        constraint mail_address_unique unique (address)
      );

      create table credential (
        context_id int not null,
        user_id int not null,
        hash text not null,
        must_change boolean not null default false,
        changed_at bigint not null,
        primary key (context_id, user_id)
      );

      create table directory_group (
        context_id int not null,
        group_id int not null,
        name text not null,
        display_name text not null,
        changed_at bigint not null,
        version int not null default 1,
        primary key (context_id, group_id)
      );
      create unique index group_name_unique on directory_group (context_id, lower(name));

      create table membership (
        context_id int not null,
        group_id int not null,
        user_id int not null,
        primary key (context_id, group_id, user_id)
      );
      create index membership_of_user on membership (context_id, user_id, group_id);

      create table directory_resource (
        context_id int not null,
        resource_id int not null,
        name text not null,
        display_name text not null,
        email text not null,
        description text,
        available boolean not null default true,
        room boolean not null default false,
        capacity int,
        privileges jsonb not null default '[]',
        changed_at bigint not null,
        version int not null default 1,
        primary key (context_id, resource_id)
      );
      create unique index resource_name_unique on directory_resource (context_id, lower(name));

      create table property_value (
        context_id int not null,
        -- 0: value of the context
        user_id int not null,
        key text not null,
        value text not null,
        primary key (context_id, user_id, key)
      );

      create table tombstone (
        context_id int not null,
        kind text not null,
        entity_id int not null,
        deleted_at bigint not null,
        primary key (context_id, kind, entity_id)
      );

      create table login_history (
        context_id int not null,
        user_id int not null,
        client text not null,
        last_login bigint not null,
        logins int not null default 1,
        primary key (context_id, user_id, client)
      );
      create index login_history_by_time on login_history (context_id, last_login);

      create table idempotency_key (
        context_id int not null,
        owner text not null,
        key text not null,
        fingerprint text not null,
        status int,
        result jsonb,
        created_at bigint not null,
        primary key (context_id, owner, key)
      );
      create index idempotency_key_by_time on idempotency_key (created_at);

      create table job (
        context_id int not null,
        job_id uuid not null default gen_random_uuid(),
        kind text not null,
        state text not null,
        progress double precision not null default 0,
        result jsonb,
        errors jsonb not null default '[]',
        created_at bigint not null,
        -- Last sign of life: a job without one for long was interrupted.
        seen_at bigint not null,
        finished_at bigint,
        primary key (context_id, job_id)
      );

      create table audit_entry (
        context_id int not null,
        entry_id bigint generated always as identity,
        at bigint not null,
        actor text not null,
        action text not null,
        kind text not null,
        object_id text not null,
        before jsonb,
        after jsonb,
        primary key (context_id, entry_id)
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(`
      drop table audit_entry, job, idempotency_key, login_history, tombstone, property_value, directory_resource, membership,
        directory_group, credential, mail_address, directory_user, login_mapping, context_number, context;
    `);
  }
}
