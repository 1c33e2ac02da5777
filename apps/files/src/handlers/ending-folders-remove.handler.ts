import { endingFolders, type CallOf, type Handler } from '@groupware/contracts';
import { FolderRemoval } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';

/** `remove`: deletes a folder that its owner made for a while. */
@Handles(endingFolders.remove)
export class RemoveEndingFolderHandler implements Handler<typeof endingFolders.remove> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly removal: FolderRemoval,
  ) {}

  handle({ principal, query }: CallOf<typeof endingFolders.remove>): Promise<boolean> {
    return this.database.transact(principal, (tx) => this.removal.removeEnded(tx, query));
  }
}
