import { Injectable, Optional } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { ExternalFolders } from '../external-folders';
import { FolderEditor } from '../folder-editor';
import { FolderModuleRules } from '../folder-module';
import { requireModuleUser } from './folder-user';

/** `notify`: tells users and groups about a folder. */
@Injectable()
export class NotifyFolder implements Handler<FolderOwner['notify']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly editor: FolderEditor,
    private readonly rules: FolderModuleRules,
    @Optional() private readonly external?: ExternalFolders,
  ) {}

  async handle(call: CallOf<FolderOwner['notify']>): Promise<number[]> {
    const { principal, query } = call;
    const user = requireModuleUser(principal, this.rules.module);
    // It belongs to the user alone: nobody else has rights on it.
    if (this.external && typeof query.id === 'string') {
      await this.external.getFolder({ ...call, query: { id: query.id } });
      return [...query.entities];
    }
    return this.database.transact(user, (tx) => this.editor.notifyFolder(tx, user, query));
  }
}
