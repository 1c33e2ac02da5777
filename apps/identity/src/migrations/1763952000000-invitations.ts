import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Creates invitation tokens, and the secrets handed out once to the caller of an import. */
export class Invitations1763952000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table invitation (
        context_id int not null,
        user_id int not null,
        -- SHA-256 of the token: who reads the table cannot use it.
        digest bytea not null,
        expires_at bigint not null,
        primary key (context_id, user_id)
      );
      create index invitation_by_digest on invitation (context_id, digest);

      create table job_password (
        context_id int not null,
        job_id uuid not null,
        position int not null,
        user_id int not null,
        kind text not null,
        -- Only the caller of the import can read it.
        encrypted text not null,
        primary key (context_id, job_id, position)
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table job_password, invitation');
  }
}
