import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Accounts of users with services elsewhere. */
export class CreateOAuthAccounts1795450500000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      -- Ids are never used again: mail accounts name them.
      create table oauth_account_counter (
        context_id int not null,
        user_id int not null,
        next_id int not null,
        constraint oauth_account_counter_key primary key (context_id, user_id)
      );

      create table oauth_account (
        context_id int not null,
        user_id int not null,
        id int not null,
        service text not null,
        display_name text not null,
        scopes text[] not null,
        -- Tokens, and who it is there: sealed for the row.
        sealed text not null,
        -- The service refused the refresh token: the user must grant access anew.
        is_ended boolean not null,
        created_at bigint not null,
        constraint oauth_account_key primary key (context_id, user_id, id)
      );
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table oauth_account; drop table oauth_account_counter;');
  }
}
