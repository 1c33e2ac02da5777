import { Injectable } from '@nestjs/common';
import { FolderErrors, type CallOf, type FolderOwner, type Handler, type OwnedFoldersDone } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { FolderModuleRules } from '../folder-module';
import { isVisible } from '../folder-view';
import { FolderRepository } from '../persistence/folder.repository';
import { userOf } from './folder-user';

/** `restore` of a module without trash: refuses every folder and says why. */
@Injectable()
export class RestoreFolders implements Handler<FolderOwner['restore']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['restore']>): Promise<OwnedFoldersDone> {
    const user = userOf(principal, this.rules.module);
    const seen = new Map(
      (await this.database.read(user, (db) => this.folders.seenMany(db, user, query.ids))).map((entry) => [
        entry.id,
        entry,
      ]),
    );
    const refused = query.ids.map((id) => {
      const folder = seen.get(id);
      const { entry, params } = !folder
        ? FolderErrors.notFound(id)
        : isVisible(folder, user)
          ? FolderErrors.notInTrash(id)
          : FolderErrors.notVisible(id, user.userId);
      return { id, error: entry.key, params };
    });
    return { stamp: 0, refused };
  }
}
