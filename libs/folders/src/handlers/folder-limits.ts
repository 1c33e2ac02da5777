import { requireVisible } from '../folder-view';
import { Injectable, Optional } from '@nestjs/common';
import { type CallOf, type ExceededLimit, type FolderOwner, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { ExternalFolders } from '../external-folders';
import { FolderModuleRules } from '../folder-module';
import { FolderRepository } from '../persistence/folder.repository';
import { requireModuleUser } from './folder-user';

/** `limits`: what files would exceed in a folder, as the module says. */
@Injectable()
export class FolderLimits implements Handler<FolderOwner['limits']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
    @Optional() private readonly external?: ExternalFolders,
  ) {}

  async handle(call: CallOf<FolderOwner['limits']>): Promise<ExceededLimit[]> {
    const { principal, query } = call;
    const user = requireModuleUser(principal, this.rules.module);
    if (this.external && typeof query.id === 'string') {
      // Its storage says for itself what it takes.
      await this.external.getFolder({ ...call, query: { id: query.id } });
      return [];
    }
    const id = Number(query.id);
    const found = await this.database.read(user, (db) => this.folders.findVisible(db, user, id));
    requireVisible(found, id, user);
    return this.rules.exceededLimits(user, query.files);
  }
}
