import { Injectable, Optional } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler, OwnedFolderWritten } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { EntityCheck } from '../entity-check';
import { ExternalFolders } from '../external-folders';
import { FolderEditor } from '../folder-editor';
import { FolderModuleRules } from '../folder-module';
import { FolderRepository } from '../persistence/folder.repository';
import { requireModuleUser } from './folder-user';

/** `update`: name, place, permissions, subscription or attributes of a folder. */
@Injectable()
export class UpdateFolder implements Handler<FolderOwner['update']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly editor: FolderEditor,
    private readonly entities: EntityCheck,
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
    @Optional() private readonly external?: ExternalFolders,
  ) {}

  async handle(call: CallOf<FolderOwner['update']>): Promise<OwnedFolderWritten> {
    const { principal, query } = call;
    const user = requireModuleUser(principal, this.rules.module);
    if (this.external && [query.id, query.parent].some((id) => typeof id === 'string'))
      return this.external.updateFolder(call);
    const { permissions, cascade, parent, branchLink } = query;
    const id = Number(query.id);
    const seen = await this.database.read(user, async (db) => {
      if (cascade || parent !== undefined) return this.folders.listSubtrees(db, [id]);
      return permissions || branchLink ? this.folders.listByIds(db, [id]) : [];
    });
    const around = seen.flatMap((folder) => folder.permissions);
    const entities = await this.entities.requireValidEntities(user, { permissions, folder: id, around });
    return this.database.transact(user, (tx) => this.editor.updateFolder(tx, user, query, entities));
  }
}
