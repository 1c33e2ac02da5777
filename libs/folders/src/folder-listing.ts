import { Injectable } from '@nestjs/common';
import { FOLDER_RIGHTS, FolderErrors, recordCheck, type OwnedFolder, type UserPrincipal } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { parseRights } from './domain/rights';
import { FolderModuleRules } from './folder-module';
import { toOwnedSystemFolder } from './folder-view';

/** Adds to stored folders what the rules of their module know: system folders and numbers of objects. */
@Injectable()
export class FolderListing {
  constructor(private readonly rules: FolderModuleRules) {}

  /** Lists the system folders of the module that the user sees. */
  async listSystemFolders(db: Reader, user: UserPrincipal): Promise<OwnedFolder[]> {
    recordCheck(FOLDER_RIGHTS.see);
    const folders = await this.rules.listSystemFolders(db, user, user.locale);
    return folders
      .filter(({ ownRights }) => parseRights(ownRights).folder > 0)
      .map((folder) => toOwnedSystemFolder(this.rules, folder));
  }

  /** Gets a system folder of the module. @throws FLD-0008 when the user has none with this id */
  async getSystemFolder(db: Reader, user: UserPrincipal, id: number): Promise<OwnedFolder> {
    const folder = (await this.listSystemFolders(db, user)).find((candidate) => candidate.id === id);
    if (!folder) throw FolderErrors.notFound(id);
    return folder;
  }

  /** Adds numbers of objects to folders, with one statement of the module for all of them. */
  async withCounts(db: Reader, user: UserPrincipal, folders: readonly OwnedFolder[]): Promise<OwnedFolder[]> {
    const counted = folders.map(({ id, ownRights }) => ({ id: Number(id), rank: parseRights(ownRights).read }));
    const counts = await this.rules.countObjects(db, counted, user);
    return folders.map((folder) => ({ ...folder, counts: counts.get(Number(folder.id)) }));
  }
}
