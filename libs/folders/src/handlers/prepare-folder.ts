import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { DefaultFolder } from '../default-folder';
import { FolderRepository } from '../persistence/folder.repository';

/** `prepare`: the default folder of a user. */
@Injectable()
export class PrepareFolder implements Handler<FolderOwner['prepare']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly defaultFolder: DefaultFolder,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['prepare']>): Promise<number> {
    const known = await this.database.read(principal, (db) => this.folders.findDefault(db, query.user));
    if (known !== undefined) return known;
    return this.database.transact(principal, (tx) =>
      this.defaultFolder.ensureDefaultFolder(tx, query.user, query.locale),
    );
  }
}
