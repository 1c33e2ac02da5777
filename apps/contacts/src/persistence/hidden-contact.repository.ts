import { Injectable } from '@nestjs/common';
import { TombstoneRepository } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import type { Contact } from '../domain/contact';

/** Shared contacts that were made private: tombstones for those who may not see private contacts. */
@Injectable()
export class HiddenContactRepository extends TombstoneRepository {
  constructor() {
    super({ counter: 'contact_counter', tombstone: 'contact_hidden' });
  }

  /** Notes with the next statement that a contact is no longer shared in its folder. */
  insert(tx: Transaction, { folderId, id, createdBy }: Contact, stamp: number): void {
    tx.enqueue(
      `insert into contact_hidden (context_id, folder_id, id, created_by, last_modified) values ($1, $2, $3, $4, $5)
       on conflict (context_id, folder_id, id) do update
         set created_by = excluded.created_by, last_modified = excluded.last_modified`,
      folderId,
      id,
      createdBy,
      stamp,
    );
  }

  /** Forgets with the next statement that a contact was hidden in its folder: it is shared again. */
  remove(tx: Transaction, { folderId, id }: Contact): void {
    tx.enqueue('delete from contact_hidden where context_id = $1 and folder_id = $2 and id = $3', folderId, id);
  }

  /** Deletes everything of the context. */
  async removeContext(tx: Transaction): Promise<void> {
    await tx.run('delete from contact_hidden where context_id = $1');
  }
}
