import { Injectable, Optional } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler, OwnedFoldersDone } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { ExternalFolders, withExternalIds } from '../external-folders';
import { FolderRemoval } from '../folder-removal';
import { FolderModuleRules } from '../folder-module';
import { requireModuleUser } from './folder-user';

/** `remove`: deletes folders with everything in them and below them. */
@Injectable()
export class RemoveFolders implements Handler<FolderOwner['remove']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly removal: FolderRemoval,
    private readonly rules: FolderModuleRules,
    @Optional() private readonly external?: ExternalFolders,
  ) {}

  async handle(call: CallOf<FolderOwner['remove']>): Promise<OwnedFoldersDone> {
    const { principal, query } = call;
    const user = requireModuleUser(principal, this.rules.module);
    return withExternalIds(
      this.external,
      query.ids,
      (external, ids) => external.removeFolders(call, ids),
      (ids) => this.database.transact(user, (tx) => this.removal.removeFolders(tx, user, { ...query, ids })),
    );
  }
}
