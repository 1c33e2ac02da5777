import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, GrantedFolder, Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { FolderRepository } from '../persistence/folder.repository';

/** `granted`: on which folders users or guests have rights of their own. */
@Injectable()
export class GrantedFolders implements Handler<FolderOwner['granted']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
  ) {}

  handle({ principal, query }: CallOf<FolderOwner['granted']>): Promise<GrantedFolder[]> {
    return this.database.read(principal, (db) => this.folders.listGranted(db, query.entities));
  }
}
