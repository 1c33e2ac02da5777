import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
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
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['notify']>): Promise<number[]> {
    const user = requireModuleUser(principal, this.rules.module);
    return this.database.transact(user, (tx) => this.editor.notifyFolder(tx, user, query));
  }
}
