import { Injectable } from '@nestjs/common';
import { FolderErrors, type CallOf, type ExceededLimit, type FolderOwner, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { FolderModuleRules } from '../folder-module';
import { isVisible } from '../folder-view';
import { FolderRepository } from '../persistence/folder.repository';
import { userOf } from './folder-user';

/** `limits`: what files would exceed in a folder, as the module says. */
@Injectable()
export class FolderLimits implements Handler<FolderOwner['limits']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['limits']>): Promise<ExceededLimit[]> {
    const user = userOf(principal, this.rules.module);
    const folder = await this.database.read(user, (db) => this.folders.seen(db, user, query.id));
    if (!folder) throw FolderErrors.notFound(query.id);
    if (!isVisible(folder, user)) throw FolderErrors.notVisible(query.id, user.userId);
    return this.rules.exceededLimits(folder, query.type, query.files);
  }
}
