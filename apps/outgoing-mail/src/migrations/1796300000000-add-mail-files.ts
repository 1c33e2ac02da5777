import type { Migration, MigrationRunner } from '@groupware/persistence';

/** References to the files that mails carry. A mail with files is kept as its draft: it is written when it leaves. */
export class AddMailFiles1796300000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('alter table mail add column files jsonb');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table mail drop column files');
  }
}
