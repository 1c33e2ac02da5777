import type { Migration, MigrationRunner } from '@groupware/persistence';

/** One link for each document; built while others write. */
export class FindLinkedDocuments1764500100000 implements Migration {
  readonly isTransactional = false;

  up(db: MigrationRunner): Promise<void> {
    const definition = 'on guest (context_id, module, item) where item is not null';
    return db.createIndexConcurrently('guest_of_item', definition, { isUnique: true });
  }

  down(db: MigrationRunner): Promise<void> {
    return db.dropIndexConcurrently('guest_of_item');
  }
}
