import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { ModuleDatabase } from '@groupware/persistence';
import { FolderEditor } from '../folder-editor';
import { FolderRepository } from '../persistence/folder.repository';
import { listGrantees } from '../share-grantees';

/** `retract`: takes away the rights that a share gave, for operators. */
@Injectable()
export class RetractShare implements Handler<FolderOwner['retract']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly editor: FolderEditor,
    private readonly directory: Directory,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['retract']>): Promise<boolean> {
    const [folder] = await this.database.read(principal, (db) => this.folders.listByIds(db, [Number(query.folder)]));
    if (!folder) return false;
    const entities = await listGrantees(this.directory, principal, folder.permissions, query);
    if (entities.length === 0) return false;
    return this.database.transact(principal, (tx) => this.editor.takeRights(tx, folder.id, entities, query.group));
  }
}
