import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler, OwnedFolder } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { DefaultFolder } from '../default-folder';
import { FolderModuleRules } from '../folder-module';
import { isVisible, ownedFolder } from '../folder-view';
import { FolderRepository } from '../persistence/folder.repository';
import { askingUser } from './folder-user';

/** `visible`: all folders the user sees. Makes the default folder when it is missing. */
@Injectable()
export class VisibleFolders implements Handler<FolderOwner['visible']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly defaultFolder: DefaultFolder,
    private readonly rules: FolderModuleRules,
  ) {}

  async handle({ principal }: CallOf<FolderOwner['visible']>): Promise<OwnedFolder[]> {
    const user = askingUser(principal);
    let seen = await this.database.read(user, (db) => this.folders.visible(db, user));
    if (!user.guest && !seen.some((folder) => folder.isDefault && folder.createdBy === user.userId)) {
      await this.database.transact(user, (tx) => this.defaultFolder.ensure(tx, user.userId, user.locale));
      seen = await this.database.read(user, (db) => this.folders.visible(db, user));
    }
    return seen
      .filter((folder) => isVisible(folder, user))
      .map((folder) => ownedFolder(this.rules.module, folder, user));
  }
}
