import { Injectable, Optional } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler, OwnedFoldersDone } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { ExternalFolders, withExternalIds } from '../external-folders';
import { FolderRemoval } from '../folder-removal';
import { FolderModuleRules } from '../folder-module';
import { requireModuleUser } from './folder-user';

/** `clear`: deletes what is in folders. */
@Injectable()
export class ClearFolders implements Handler<FolderOwner['clear']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly removal: FolderRemoval,
    private readonly rules: FolderModuleRules,
    @Optional() private readonly external?: ExternalFolders,
  ) {}

  async handle(call: CallOf<FolderOwner['clear']>): Promise<OwnedFoldersDone> {
    const { principal, query } = call;
    const user = requireModuleUser(principal, this.rules.module);
    return withExternalIds(
      this.external,
      query.ids,
      (external, ids) => external.clearFolders(call, ids),
      (ids) => this.database.transact(user, (tx) => this.removal.clearFolders(tx, user, { ...query, ids })),
    );
  }
}
