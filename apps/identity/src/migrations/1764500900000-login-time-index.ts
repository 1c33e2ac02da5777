import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Count of logins in a span over all contexts: by time alone, which the index by context and time does not serve. */
export class LoginTimeIndex1764500900000 implements Migration {
  readonly isTransactional = false;

  async up(db: MigrationRunner): Promise<void> {
    await db.createIndexConcurrently('login_history_by_last_login', 'on login_history (last_login)');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.dropIndexConcurrently('login_history_by_last_login');
  }
}
