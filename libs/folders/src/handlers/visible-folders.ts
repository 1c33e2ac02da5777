import { Injectable } from '@nestjs/common';
import { reply, type CallOf, type FolderOwner, type Handler, type OwnedFolder, type Reply } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { DefaultFolder } from '../default-folder';
import { FolderModuleRules } from '../folder-module';
import { isVisible, ownedFolder } from '../folder-view';
import { FolderRepository } from '../persistence/folder.repository';
import type { SeenFolder } from '../stored-folder';
import { FolderWriter } from '../persistence/folder-writer.repository';
import { askingUser, mayUse } from './folder-user';

/** `visible`: all folders the user sees. Makes the default folder when it is missing. */
@Injectable()
export class VisibleFolders implements Handler<FolderOwner['visible']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly writer: FolderWriter,
    private readonly defaultFolder: DefaultFolder,
    private readonly rules: FolderModuleRules,
  ) {}

  async handle({ principal, query }: CallOf<FolderOwner['visible']>): Promise<Reply<OwnedFolder[]>> {
    const user = askingUser(principal);
    if (!mayUse(user, this.rules.module)) return reply<OwnedFolder[]>([], { timestamp: query.reach ?? 0 });
    const { reach } = query;
    if (reach !== undefined) await this.database.transact(user, (tx) => this.writer.reach(tx, reach));
    let { stamp, seen } = await this.read(user);
    if (!user.guest && !seen.some((folder) => folder.isDefault && folder.createdBy === user.userId)) {
      await this.database.transact(user, (tx) => this.defaultFolder.ensure(tx, user.userId, user.locale));
      ({ stamp, seen } = await this.read(user));
    }
    const folders = seen
      .filter((folder) => isVisible(folder, user))
      .map((folder) => ownedFolder(this.rules.module, folder, user));
    return reply<OwnedFolder[]>(folders, { timestamp: stamp });
  }

  private read(user: ReturnType<typeof askingUser>): Promise<{ stamp: number; seen: SeenFolder[] }> {
    return this.database.read(user, async (db) => {
      // The stamp first: what is committed in between is told now and again.
      const stamp = await this.folders.stampOf(db);
      return { stamp, seen: await this.folders.visible(db, user) };
    });
  }
}
