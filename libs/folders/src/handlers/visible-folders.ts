import { Injectable, Optional } from '@nestjs/common';
import {
  FOLDER_RIGHTS,
  LOWEST_FOLDER_ID,
  waiveCheck,
  reply,
  type CallOf,
  type FolderOwner,
  type Handler,
  type OwnedFolder,
  type OwnedFolderListing,
  type Reply,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { toJsonList } from '@groupware/service-kit';
import { DefaultFolder } from '../default-folder';
import { ExternalFolders } from '../external-folders';
import { FolderListing } from '../folder-listing';
import { FolderModuleRules } from '../folder-module';
import { filterVisible, toOwnedFolder } from '../folder-view';
import { FolderRepository } from '../persistence/folder.repository';
import { FolderScopes } from '../persistence/folder-scope.repository';
import { FolderWriter } from '../persistence/folder-writer.repository';
import { requireActingUser, canUseModule } from './folder-user';

/** `visible`: the folders the user sees, all or those of a part of the tree. Makes the default folder when it is missing. */
@Injectable()
export class VisibleFolders implements Handler<FolderOwner['visible']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly scopes: FolderScopes,
    private readonly writer: FolderWriter,
    private readonly defaultFolder: DefaultFolder,
    private readonly rules: FolderModuleRules,
    private readonly listing: FolderListing,
    @Optional() private readonly external?: ExternalFolders,
  ) {}

  async handle(call: CallOf<FolderOwner['visible']>): Promise<Reply<OwnedFolder[]>> {
    const { principal, query } = call;
    const user = requireActingUser(principal);
    if (!canUseModule(user, this.rules.module)) {
      waiveCheck(FOLDER_RIGHTS.see, 'nothing of a module that the user may not use');
      return reply<OwnedFolder[]>([], { timestamp: query.reach ?? 0 });
    }
    const { reach } = query;
    if (reach !== undefined) await this.database.transact(user, (tx) => this.writer.raiseStamp(tx, reach));
    let part = await this.read(user, query);
    if (!user.guest && !part.hasDefault) {
      await this.database.transact(user, (tx) => this.defaultFolder.ensureDefaultFolder(tx, user.userId, user.locale));
      part = await this.read(user, query);
    }
    const elsewhere = (await this.external?.listVisible(call)) ?? [];
    return reply<OwnedFolder[]>(toJsonList([...part.folders, ...elsewhere]), { timestamp: part.stamp });
  }

  private read(user: UserPrincipal, query: OwnedFolderListing) {
    return this.database.read(user, async (db) => {
      // The stamp first: concurrent commits are then reported twice rather than never.
      const state = await this.folders.getState(db, user.userId);
      const scoped = await this.scopes.listVisible(db, user, this.rules.module, query);
      const seen = filterVisible(scoped, user);
      const owned = seen.map((folder) => toOwnedFolder(this.rules, folder, user));
      const stored = await this.listing.withAccounts(db, user, owned, seen);
      const system = hasSystemFolders(query) ? await this.listing.listSystemFolders(db, user) : [];
      const folders = [...system, ...stored];
      return { ...state, folders: query.counts ? await this.listing.withCounts(db, user, folders) : folders };
    });
  }
}

/** Whether a part of the tree may need system folders: not one that is below a stored folder. */
const hasSystemFolders = ({ below, since, shared }: OwnedFolderListing): boolean =>
  since === undefined && !shared && (below === undefined || Number(below) < LOWEST_FOLDER_ID);
