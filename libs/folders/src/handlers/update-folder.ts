import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler, OwnedFolderWritten } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { EntityCheck } from '../entity-check';
import { FolderEditor } from '../folder-editor';
import { askingUser } from './folder-user';

/** `update`: name, place, permissions, subscription or attributes of a folder. */
@Injectable()
export class UpdateFolder implements Handler<FolderOwner['update']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly editor: FolderEditor,
    private readonly entities: EntityCheck,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['update']>): Promise<OwnedFolderWritten> {
    const user = askingUser(principal);
    await this.entities.require(user, query.permissions);
    return this.database.transact(user, (tx) => this.editor.update(tx, user, query));
  }
}
