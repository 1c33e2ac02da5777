import type { Migration, MigrationRunner } from '@groupware/persistence';

/**
 * Mail accounts. Row 0 of a user holds what differs from the properties in his primary account; it may be missing.
 * Passwords are sealed for their row. Full names of folders have no account prefix here.
 */
export class CreateAccounts1763700000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table account_counter (
        context_id int not null,
        user_id int not null,
        next_id int not null default 1,
        constraint account_counter_key primary key (context_id, user_id)
      );
      create table account (
        context_id int not null,
        user_id int not null,
        id int not null,
        name text,
        login text,
        password text,
        mail_server text,
        mail_port int,
        mail_protocol text,
        mail_secure boolean,
        mail_starttls boolean,
        mail_oauth int,
        transport_server text,
        transport_port int,
        transport_protocol text,
        transport_secure boolean,
        transport_starttls boolean,
        transport_oauth int,
        transport_auth text,
        transport_login text,
        transport_password text,
        primary_address text,
        personal text,
        reply_to text,
        spam_handler text,
        trash text,
        sent text,
        drafts text,
        spam text,
        confirmed_spam text,
        confirmed_ham text,
        archive text,
        trash_fullname text,
        sent_fullname text,
        drafts_fullname text,
        spam_fullname text,
        confirmed_spam_fullname text,
        confirmed_ham_fullname text,
        archive_fullname text,
        unified_inbox_enabled boolean,
        pop3_refresh_rate int,
        pop3_expunge_on_quit boolean,
        pop3_delete_write_through boolean,
        pop3_storage text,
        pop3_path text,
        meta jsonb,
        mail_disabled boolean,
        transport_disabled boolean,
        created bigint not null,
        last_modified bigint not null,
        constraint account_key primary key (context_id, user_id, id)
      );
      create unique index account_address on account (context_id, user_id, lower(primary_address))
        where primary_address is not null;
      create unique index account_unified on account (context_id, user_id) where mail_protocol = 'unifiedinbox';
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table account; drop table account_counter;');
  }
}
