import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler, OwnedFolderWritten } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { FolderEditor } from '../folder-editor';
import { askingUser } from './folder-user';

/** `remove`: deletes a folder with everything in it. */
@Injectable()
export class RemoveFolder implements Handler<FolderOwner['remove']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly editor: FolderEditor,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['remove']>): Promise<OwnedFolderWritten> {
    const user = askingUser(principal);
    return this.database.transact(user, (tx) => this.editor.remove(tx, user, query));
  }
}
