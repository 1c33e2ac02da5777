import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler, OwnedFolderWritten } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { EntityCheck } from '../entity-check';
import { FolderEditor } from '../folder-editor';
import { askingUser } from './folder-user';

/** `create`: a new folder. */
@Injectable()
export class CreateFolder implements Handler<FolderOwner['create']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly editor: FolderEditor,
    private readonly entities: EntityCheck,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['create']>): Promise<OwnedFolderWritten> {
    const user = askingUser(principal);
    await this.entities.require(user, query.permissions);
    return this.database.transact(user, (tx) => this.editor.create(tx, user, query));
  }
}
