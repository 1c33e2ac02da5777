import type { Migration, MigrationRunner } from '@groupware/persistence';

/**
 * One account of a user for each mailbox: server, protocol, port and login. Accounts that were doubled before stay, marked. Primary
 * accounts have no name of their own any more.
 */
export class IdentifyMailboxes1764200000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      alter table account add column is_duplicate boolean not null default false;
      update account a set is_duplicate = true
      from (
        select context_id, user_id, id, row_number() over (
          partition by context_id, user_id, mail_protocol, mail_server, mail_port, coalesce(login, '#' || mail_oauth) order by id
        ) as place
        from account where id > 0 and mail_server is not null
      ) d
      where d.place > 1 and a.context_id = d.context_id and a.user_id = d.user_id and a.id = d.id;
      create unique index account_mailbox
        on account (context_id, user_id, mail_protocol, mail_server, mail_port, coalesce(login, '#' || mail_oauth))
        where id > 0 and mail_server is not null and not is_duplicate;
      update account set name = null where id = 0;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop index account_mailbox; alter table account drop column is_duplicate;');
  }
}
