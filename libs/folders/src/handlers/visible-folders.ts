import { Injectable } from '@nestjs/common';
import {
  FOLDER_RIGHTS,
  waiveCheck,
  reply,
  type CallOf,
  type FolderOwner,
  type Handler,
  type OwnedFolder,
  type Reply,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { DefaultFolder } from '../default-folder';
import { FolderListing } from '../folder-listing';
import { FolderModuleRules } from '../folder-module';
import { filterVisible, toOwnedFolder } from '../folder-view';
import { FolderRepository } from '../persistence/folder.repository';
import type { SeenFolder } from '../stored-folder';
import { FolderWriter } from '../persistence/folder-writer.repository';
import { requireActingUser, canUseModule } from './folder-user';

/** `visible`: all folders the user sees. Makes the default folder when it is missing. */
@Injectable()
export class VisibleFolders implements Handler<FolderOwner['visible']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly writer: FolderWriter,
    private readonly defaultFolder: DefaultFolder,
    private readonly rules: FolderModuleRules,
    private readonly listing: FolderListing,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['visible']>): Promise<Reply<OwnedFolder[]>> {
    const user = requireActingUser(principal);
    if (!canUseModule(user, this.rules.module)) {
      waiveCheck(FOLDER_RIGHTS.see, 'nothing of a module that the user may not use');
      return reply<OwnedFolder[]>([], { timestamp: query.reach ?? 0 });
    }
    const { reach } = query;
    if (reach !== undefined) await this.database.transact(user, (tx) => this.writer.raiseStamp(tx, reach));
    let { stamp, seen } = await this.read(user);
    if (!user.guest && !seen.some((folder) => folder.isDefault && folder.createdBy === user.userId)) {
      await this.database.transact(user, (tx) => this.defaultFolder.ensureDefaultFolder(tx, user.userId, user.locale));
      ({ stamp, seen } = await this.read(user));
    }
    const stored = filterVisible(seen, user).map((folder) => toOwnedFolder(this.rules, folder, user));
    const folders = await this.database.read(user, async (db) => {
      const all = [...(await this.listing.listSystemFolders(db, user)), ...stored];
      return query.counts ? this.listing.withCounts(db, user, all) : all;
    });
    return reply<OwnedFolder[]>(folders, { timestamp: stamp });
  }

  private read(user: ReturnType<typeof requireActingUser>): Promise<{ stamp: number; seen: SeenFolder[] }> {
    return this.database.read(user, async (db) => {
      // The stamp first: concurrent commits are then reported twice rather than never.
      const stamp = await this.folders.getStamp(db);
      return { stamp, seen: await this.folders.listVisible(db, user) };
    });
  }
}
