import type { Migration, MigrationRunner } from '@groupware/persistence';

/** Pins of links, shown again to users who may share: the hash that opens the link tells them nothing. */
export class ShowPins1764500300000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    // Sealed for the row and its hash: a pin that was changed beside it does not open.
    await db.query('alter table guest add column sealed_pin text');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table guest drop column sealed_pin');
  }
}
