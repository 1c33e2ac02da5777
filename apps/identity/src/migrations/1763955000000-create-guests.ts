import type { Migration, MigrationRunner } from '@groupware/persistence';

/** People from outside with whom something is shared. They are no users: no list, count or limit of users has them. */
export class CreateGuests1763955000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table guest (
        context_id int not null,
        -- Of the number space of users, groups and resources.
        guest_id int not null,
        -- The folder of the link an anonymous guest comes by.
        module text,
        folder int,
        -- Named guests have an address, in lower case.
        email text,
        display_name text not null,
        created_by int not null,
        created_at bigint not null,
        changed_at bigint not null,
        -- Sealed for the row: whoever has it opens the share.
        token text not null,
        -- argon2id
        password_hash text,
        expires_at bigint,
        -- When rights were last known to be written; until then nothing removes the guest for having none.
        settled_at bigint,
        primary key (context_id, guest_id),
        constraint guest_is_of_a_kind check ((email is null) = (module is not null and folder is not null))
      );
      create unique index guest_of_link on guest (context_id, module, folder) where email is null;
      create unique index guest_of_address on guest (context_id, email) where email is not null;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table guest');
  }
}
