import { Injectable } from '@nestjs/common';
import { FolderErrors, type CallOf, type FolderOwner, type Handler, type OwnedFolder } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { FolderModuleRules } from '../folder-module';
import { isVisible, ownedFolder } from '../folder-view';
import { FolderRepository } from '../persistence/folder.repository';
import { userOf } from './folder-user';

/** `get`: one folder. */
@Injectable()
export class GetFolder implements Handler<FolderOwner['get']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['get']>): Promise<OwnedFolder> {
    const user = userOf(principal, this.rules.module);
    const folder = await this.database.read(user, (db) => this.folders.seen(db, user, query.id));
    if (!folder) throw FolderErrors.notFound(query.id);
    if (!isVisible(folder, user)) throw FolderErrors.notVisible(query.id, user.userId);
    return ownedFolder(this.rules.module, folder, user);
  }
}
