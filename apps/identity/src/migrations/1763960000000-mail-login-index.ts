import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Look-up of users by the login of their mail account. */
export class MailLoginIndex1763960000000 implements Migration {
  readonly isTransactional = false;

  async up(db: MigrationRunner): Promise<void> {
    await db.createIndexConcurrently(
      'directory_user_mail_login',
      `on directory_user (lower(imap->>'login')) where imap->>'login' is not null`,
    );
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.dropIndexConcurrently('directory_user_mail_login');
  }
}
