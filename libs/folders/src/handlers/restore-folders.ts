import { findVisibilityError } from '../folder-view';
import { Injectable, Optional } from '@nestjs/common';
import {
  FolderErrors,
  type CallOf,
  type FolderOwner,
  type Handler,
  type OwnedFoldersDone,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { ExternalFolders, refuseRestoring, withExternalIds } from '../external-folders';
import { FolderTrash } from '../folder-trash';
import { FolderModuleRules } from '../folder-module';
import { FolderRepository } from '../persistence/folder.repository';
import { requireModuleUser } from './folder-user';

/** `restore`: moves folders out of the trash; a module without one refuses every folder and says why. */
@Injectable()
export class RestoreFolders implements Handler<FolderOwner['restore']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
    private readonly trash: FolderTrash,
    @Optional() private readonly external?: ExternalFolders,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['restore']>): Promise<OwnedFoldersDone> {
    const user = requireModuleUser(principal, this.rules.module);
    return withExternalIds(
      this.external,
      query.ids,
      async (_external, ids) => refuseRestoring(ids),
      (stored) => this.restoreStored(user, [...new Set(stored.map(Number))]),
    );
  }

  private async restoreStored(user: UserPrincipal, ids: number[]): Promise<OwnedFoldersDone> {
    if (this.rules.hasTrash) return this.database.transact(user, (tx) => this.trash.restoreFolders(tx, user, ids));
    const seen = new Map(
      (await this.database.read(user, (db) => this.folders.listVisibleByIds(db, user, ids))).map((entry) => [
        entry.id,
        entry,
      ]),
    );
    const refused = ids.map((id) => {
      const { entry, params } = findVisibilityError(seen.get(id), id, user) ?? FolderErrors.notInTrash(id);
      return { id, error: entry.key, params };
    });
    return { stamp: 0, refused };
  }
}
