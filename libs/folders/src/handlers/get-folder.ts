import { Injectable } from '@nestjs/common';
import { type CallOf, type FolderOwner, type Handler, type OwnedFolder } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { FolderModuleRules } from '../folder-module';
import { requireVisible, toOwnedFolder } from '../folder-view';
import { FolderRepository } from '../persistence/folder.repository';
import { requireModuleUser } from './folder-user';

/** `get`: one folder. */
@Injectable()
export class GetFolder implements Handler<FolderOwner['get']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['get']>): Promise<OwnedFolder> {
    const user = requireModuleUser(principal, this.rules.module);
    const found = await this.database.read(user, (db) => this.folders.findVisible(db, user, query.id));
    const folder = requireVisible(found, query.id, user);
    return toOwnedFolder(this.rules.module, folder, user);
  }
}
