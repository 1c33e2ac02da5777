import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, FolderRights as Rights, Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { resolveRights } from '../folder-view';
import { FolderRepository } from '../persistence/folder.repository';
import { FolderModuleRules } from '../folder-module';
import { requireActingUser, canUseModule } from './folder-user';

/** `rights`: what the user may do in folders. */
@Injectable()
export class FolderRights implements Handler<FolderOwner['rights']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['rights']>): Promise<Rights[]> {
    const user = requireActingUser(principal);
    if (!canUseModule(user, this.rules.module)) return [];
    const seen = await this.database.read(user, (db) => this.folders.listVisibleByIds(db, user, query.ids));
    return seen.map((folder) => ({
      id: folder.id,
      rights: resolveRights(folder, user),
      type: folder.type,
      owner: folder.createdBy,
    }));
  }
}
