import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, FolderSharing, Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { FolderRepository } from '../persistence/folder.repository';

/** `sharing`: whose a folder is and who has rights on it. */
@Injectable()
export class GetFolderSharing implements Handler<FolderOwner['sharing']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['sharing']>): Promise<FolderSharing | null> {
    const [folder] = await this.database.read(principal, (db) => this.folders.listByIds(db, [query.id]));
    if (!folder) return null;
    const { createdBy: owner, type, title, isDefault, permissions } = folder;
    return { owner, type, title, isDefault, permissions };
  }
}
