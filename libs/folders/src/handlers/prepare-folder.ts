import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { DefaultFolder } from '../default-folder';

/** `prepare`: the default folder of a new user. */
@Injectable()
export class PrepareFolder implements Handler<FolderOwner['prepare']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly defaultFolder: DefaultFolder,
  ) {}

  handle({ principal, query }: CallOf<FolderOwner['prepare']>): Promise<number> {
    return this.database.transact(principal, (tx) => this.defaultFolder.ensure(tx, query.user, query.locale));
  }
}
