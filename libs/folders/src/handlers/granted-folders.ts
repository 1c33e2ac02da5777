import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, GrantedFolder, Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { FolderModuleRules } from '../folder-module';
import { FolderRepository } from '../persistence/folder.repository';

/** `granted`: on which folders, and which objects by themselves, users or guests have rights of their own. */
@Injectable()
export class GrantedFolders implements Handler<FolderOwner['granted']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
  ) {}

  handle({ principal, query }: CallOf<FolderOwner['granted']>): Promise<GrantedFolder[]> {
    const { entities } = query;
    return this.database.read(principal, async (db) => [
      ...(await this.folders.listGranted(db, entities)),
      ...(await this.rules.listGrantedObjects(db, entities)),
    ]);
  }
}
