import { Injectable } from '@nestjs/common';
import {
  FOLDER_RIGHTS,
  FolderErrors,
  recordCheck,
  type FolderAccount,
  type OwnedFolder,
  type UserPrincipal,
} from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { EXTERNAL, parseRights } from './domain/rights';
import { FolderModuleRules, type SystemFolder } from './folder-module';
import { toOwnedSystemFolder } from './folder-view';
import type { StoredFolder } from './stored-folder';
import { FolderScopes } from './persistence/folder-scope.repository';

/** System folders of a module in both trees. */
export interface SystemFolderLists {
  readonly full: readonly OwnedFolder[];
  readonly flat: readonly OwnedFolder[];
}

/** Adds to stored folders what the rules of their module know: system folders and numbers of objects. */
@Injectable()
export class FolderListing {
  constructor(
    private readonly rules: FolderModuleRules,
    private readonly scopes: FolderScopes,
  ) {}

  /** Lists the system folders of the module that the user sees: in the flat tree his default one stands below another. */
  async listSystemFolders(db: Reader, user: UserPrincipal, locale = user.locale): Promise<SystemFolderLists> {
    recordCheck(FOLDER_RIGHTS.see);
    const folders = (await this.rules.listSystemFolders(db, user, locale)).filter(
      ({ ownRights }) => parseRights(ownRights).folder > 0,
    );
    if (folders.length === 0) return { full: [], flat: [] };
    const ids = folders.map(({ id }) => id);
    const parents = await this.scopes.listParents(db, user, ids);
    const toOwned = (flat: boolean) => (folder: SystemFolder) => {
      const below = parents.filter(({ id, isOfDefault }) => id === folder.id && !(flat && isOfDefault));
      return {
        ...toOwnedSystemFolder(this.rules, folder),
        hasSubfolders: below.length > 0,
        hasSubscribedSubfolders: below.some(({ hasSubscribed }) => hasSubscribed),
      };
    };
    return { full: folders.map(toOwned(false)), flat: folders.map(toOwned(true)) };
  }

  /** Gets a system folder of the module. @throws FLD-0008 when the user has none with this id */
  async getSystemFolder(db: Reader, user: UserPrincipal, id: number): Promise<OwnedFolder> {
    const folder = (await this.listSystemFolders(db, user)).full.find((candidate) => candidate.id === id);
    if (!folder) throw FolderErrors.notFound(id);
    return folder;
  }

  /** Accounts elsewhere that stored folders show, by folder, with one statement of the module where there are any. */
  async findAccounts(
    db: Reader,
    user: UserPrincipal,
    stored: readonly StoredFolder[],
  ): Promise<ReadonlyMap<number, FolderAccount>> {
    const ids = new Set(stored.filter(({ kind }) => kind === EXTERNAL).map(({ id }) => id));
    return ids.size === 0 ? new Map() : this.rules.listAccounts(db, [...ids], user);
  }

  /** Numbers of objects by folder, with one statement of the module for all of them. */
  countObjects(db: Reader, user: UserPrincipal, folders: readonly OwnedFolder[]) {
    const ranks = new Map(folders.map(({ id, ownRights }) => [Number(id), parseRights(ownRights).read]));
    const counted = [...ranks].map(([id, rank]) => ({ id, rank }));
    return this.rules.countObjects(db, counted, user);
  }
}
