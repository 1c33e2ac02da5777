import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler, OwnedFolderWritten } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { EntityCheck } from '../entity-check';
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
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['update']>): Promise<OwnedFolderWritten> {
    const user = requireModuleUser(principal, this.rules.module);
    const { permissions, cascade } = query;
    const id = Number(query.id);
    const below = cascade ? await this.database.read(user, (db) => this.folders.listSubtrees(db, [id])) : [];
    const around = below.flatMap((folder) => folder.permissions);
    const entities = await this.entities.requireValidEntities(user, { permissions, folder: id, around });
    return this.database.transact(user, (tx) => this.editor.updateFolder(tx, user, query, entities));
  }
}
