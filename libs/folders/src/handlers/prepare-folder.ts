import { Injectable } from '@nestjs/common';
import type { CallOf, FolderOwner, FolderPreparation, Handler, Tenant } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { DefaultFolder } from '../default-folder';
import { FolderModuleRules } from '../folder-module';
import { FolderTrash } from '../folder-trash';
import { FolderRepository } from '../persistence/folder.repository';
import { TrashRepository } from '../persistence/trash.repository';

/** `prepare`: the default folder of a user, or the trash. */
@Injectable()
export class PrepareFolder implements Handler<FolderOwner['prepare']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly defaultFolder: DefaultFolder,
    private readonly trash: FolderTrash,
    private readonly trashes: TrashRepository,
    private readonly rules: FolderModuleRules,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['prepare']>): Promise<number> {
    if (query.trash && this.rules.hasTrash) return this.prepareTrash(principal, query);
    const known = await this.database.read(principal, (db) => this.folders.findDefault(db, query.user));
    if (known !== undefined) return known;
    return this.database.transact(principal, (tx) =>
      this.defaultFolder.ensureDefaultFolder(tx, query.user, query.locale, query.name),
    );
  }

  private async prepareTrash(
    tenant: Tenant,
    { user: userId, locale, name: displayName }: FolderPreparation,
  ): Promise<number> {
    const known = await this.database.read(tenant, (db) => this.trashes.findTrash(db, userId));
    return known ?? this.database.transact(tenant, (tx) => this.trash.ensureTrash(tx, { userId, locale, displayName }));
  }
}
