import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, FolderSharing, Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { isPersonal } from '../domain/rights';
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
    const { createdBy: owner, title, isDefault, permissions } = folder;
    // Personal folders are private data of their owners, whatever their type says.
    return { owner, type: isPersonal(folder) ? 1 : folder.type, title, isDefault, permissions };
  }
}
