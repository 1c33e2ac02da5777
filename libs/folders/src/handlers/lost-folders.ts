import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler, LostFolder } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { FolderModuleRules } from '../folder-module';
import { FolderRepository } from '../persistence/folder.repository';
import { requireActingUser, canUseModule } from './folder-user';

/** `lost`: where the user no longer sees folders. */
@Injectable()
export class LostFolders implements Handler<FolderOwner['lost']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['lost']>): Promise<LostFolder[]> {
    const user = requireActingUser(principal);
    if (!canUseModule(user, this.rules.module)) return [];
    const since = Math.min(Math.max(query.since, 0), Number.MAX_SAFE_INTEGER);
    return this.database.read(user, (db) => this.folders.listLost(db, user, since));
  }
}
