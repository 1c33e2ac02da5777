import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler, OwnedFoldersDone } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
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
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['clear']>): Promise<OwnedFoldersDone> {
    const user = requireModuleUser(principal, this.rules.module);
    return this.database.transact(user, (tx) => this.removal.clearFolders(tx, user, query));
  }
}
