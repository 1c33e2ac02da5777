import { Injectable } from '@nestjs/common';
import { FolderErrors, type CatalogueError } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { isSystemId } from '../domain/system-folders';
import { Owners, type FolderRequest } from './owners';

/** Deletes what is in folders of all modules. */
@Injectable()
export class FolderClearing {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
  ) {}

  /** Clears folders; answers those that were not, with the reasons, and the newest stamp. */
  async clearFolders(
    call: FolderRequest,
    ids: readonly string[],
    hardDelete?: boolean,
  ): Promise<{ refused: ReadonlyMap<string, CatalogueError>; stamp: number }> {
    const named = [...new Set(ids)];
    const { refused, stamp } = await this.owners.forEachOwner(
      call,
      named.filter((id) => !isSystemId(id)),
      ({ contract }, own) =>
        this.caller.call(contract.clear, { ...this.owners.toCallOptions(call), query: { ids: own, hardDelete } }),
    );
    const reasons = new Map<string, CatalogueError>();
    for (const id of named) {
      const reason = isSystemId(id) ? FolderErrors.objectsNotDeletable(id) : refused.get(id);
      if (reason) reasons.set(id, reason);
    }
    return { refused: reasons, stamp };
  }
}
