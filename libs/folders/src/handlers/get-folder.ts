import { Injectable, Optional } from '@nestjs/common';
import {
  LOWEST_FOLDER_ID,
  type CallOf,
  type FolderOwner,
  type Handler,
  type OwnedFolder,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { ExternalFolders } from '../external-folders';
import { FolderListing } from '../folder-listing';
import { FolderModuleRules } from '../folder-module';
import { requireVisible, toOwnedFolder } from '../folder-view';
import { FolderRepository } from '../persistence/folder.repository';
import { requireModuleUser } from './folder-user';

/** `get`: one folder. */
@Injectable()
export class GetFolder implements Handler<FolderOwner['get']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
    private readonly listing: FolderListing,
    @Optional() private readonly external?: ExternalFolders,
  ) {}

  async handle(call: CallOf<FolderOwner['get']>): Promise<OwnedFolder> {
    const { principal, query } = call;
    const user = requireModuleUser(principal, this.rules.module);
    if (this.external && typeof query.id === 'string') return this.external.getFolder(call);
    const id = Number(query.id);
    return this.database.read(user, async (db) => {
      const folder =
        id < LOWEST_FOLDER_ID ? await this.listing.getSystemFolder(db, user, id) : await this.getStored(db, user, id);
      if (!query.counts) return folder;
      return { ...folder, counts: (await this.listing.countObjects(db, user, [folder])).get(id) };
    });
  }

  private async getStored(db: Reader, user: UserPrincipal, id: number): Promise<OwnedFolder> {
    const folder = requireVisible(await this.folders.findVisible(db, user, id), id, user);
    const account = (await this.listing.findAccounts(db, user, [folder])).get(id);
    return { ...toOwnedFolder(this.rules, folder, user), ...(account && { account }) };
  }
}
