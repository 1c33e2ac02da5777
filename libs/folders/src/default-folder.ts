import { Injectable } from '@nestjs/common';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { createOwnerPermissions } from './domain/permission-list';
import { PERSONAL } from './domain/rights';
import { FolderModuleRules } from './folder-module';
import { FolderRepository } from './persistence/folder.repository';
import { FolderWriter } from './persistence/folder-writer.repository';
import type { StoredFolder } from './stored-folder';

/** A name without the number that tells it from others. */
const withoutNumber = (title: string): string => title.replace(/ \(\d+\)$/, '');

/** Makes sure that users have their default folder. Safe to run at the same time for the same user. */
@Injectable()
export class DefaultFolder {
  constructor(
    private readonly folders: FolderRepository,
    private readonly writer: FolderWriter,
    private readonly rules: FolderModuleRules,
    private readonly clock: Clock,
  ) {}

  /** The id of the user's default folder, made now when it is missing. `locale` picks the language of its name. */
  async ensureDefaultFolder(tx: Transaction, userId: number, locale: string, displayName?: string): Promise<number> {
    const known = await this.folders.findDefault(tx, userId);
    if (known !== undefined) return known;
    const stamp = await this.writer.nextStamp(tx, this.clock.now(), 1);
    const { parent, type } = this.rules.defaultPlace;
    const created = await this.writer.insert(
      tx,
      this.rules.module,
      {
        parent,
        type,
        title: await this.folders.findFreeTitle(tx, parent, userId, this.rules.defaultTitle(locale, displayName)),
        createdBy: userId,
        modifiedBy: userId,
        isDefault: true,
        kind: this.rules.hasPersonalFolders ? PERSONAL : 0,
        properties: null,
        permissions: createOwnerPermissions(userId),
      },
      stamp,
    );
    if (!created) return (await this.folders.findDefault(tx, userId))!;
    await tx.publish(this.rules.events['folder.created'], { folderId: created.id });
    return created.id;
  }

  /** Names the default folder of a user as a new one would be named now. */
  async renameDefaultFolder(tx: Transaction, userId: number, locale: string, displayName: string): Promise<void> {
    const wanted = this.rules.defaultTitle(locale, displayName);
    const findMisnamed = async (): Promise<StoredFolder | undefined> => {
      const id = await this.folders.findDefault(tx, userId);
      const [folder] = id === undefined ? [] : await this.folders.listByIds(tx, [id]);
      return folder && withoutNumber(folder.title) !== withoutNumber(wanted) ? folder : undefined;
    };
    if (!(await findMisnamed())) return;
    // Names stay as they are from here on.
    const { stamp } = await this.writer.nextStamp(tx, this.clock.now(), 0);
    const folder = await findMisnamed();
    if (!folder) return;
    const { id, parent } = folder;
    const isSameName = wanted.toLowerCase() === folder.title.toLowerCase();
    const title = isSameName ? wanted : await this.folders.findFreeTitle(tx, parent, userId, wanted);
    await this.writer.update(tx, { ...folder, title }, userId, stamp);
    await tx.publish(this.rules.events['folder.changed'], { folderId: id });
  }
}
