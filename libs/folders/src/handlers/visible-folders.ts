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
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { toJsonNestedList } from '@groupware/service-kit';
import { DefaultFolder } from '../default-folder';
import { ExternalFolders } from '../external-folders';
import { FolderListing } from '../folder-listing';
import { FolderParts } from '../folder-parts';
import { FolderModuleRules } from '../folder-module';
import { filterVisible, toOwnedFolder } from '../folder-view';
import { FolderRepository } from '../persistence/folder.repository';
import { FolderWriter } from '../persistence/folder-writer.repository';
import { requireActingUser, canUseModule } from './folder-user';

/** `visible`: the folders the user sees, in parts of the tree. Makes the default folder when it is missing. */
@Injectable()
export class VisibleFolders implements Handler<FolderOwner['visible']> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: FolderRepository,
    private readonly parts: FolderParts,
    private readonly writer: FolderWriter,
    private readonly defaultFolder: DefaultFolder,
    private readonly rules: FolderModuleRules,
    private readonly listing: FolderListing,
    @Optional() private readonly external?: ExternalFolders,
  ) {}

  async handle(call: CallOf<FolderOwner['visible']>): Promise<Reply<OwnedFolder[][]>> {
    const { principal, query } = call;
    const { parts, reach } = query;
    const user = requireActingUser(principal);
    if (!canUseModule(user, this.rules.module)) {
      waiveCheck(FOLDER_RIGHTS.see, 'nothing of a module that the user may not use');
      return reply<OwnedFolder[][]>(
        parts.map(() => []),
        { timestamp: reach ?? 0 },
      );
    }
    if (reach !== undefined) await this.database.transact(user, (tx) => this.writer.raiseStamp(tx, reach));
    let found = await this.read(user, parts);
    if (!user.guest && !found.hasDefault) {
      await this.database.transact(user, (tx) =>
        this.defaultFolder.ensureDefaultFolder(tx, user.userId, user.locale, user.displayName),
      );
      found = await this.read(user, parts);
    }
    if (!user.guest && parts.some(showsAccounts) && (await this.rules.ensureAccounts(user)))
      found = await this.read(user, parts);
    const elsewhere = await Promise.all(
      parts.map(async (part) => (await this.external?.listVisible(call, part)) ?? []),
    );
    const lists = found.lists.map((list, index) => [...list, ...elsewhere[index]!]);
    return reply<OwnedFolder[][]>(toJsonNestedList(lists), { timestamp: found.stamp });
  }

  private read(user: UserPrincipal, parts: readonly OwnedFolderListing[]) {
    return this.database.read(user, async (db) => {
      // The stamp first: concurrent commits are then reported twice rather than never.
      const state = await this.folders.getState(db, user.userId);
      const [system, ...stored] = await Promise.all([
        parts.some(hasSystemFolders) ? this.listing.listSystemFolders(db, user) : [],
        ...parts.map((part) => this.readStored(db, user, part, state.stamp)),
      ]);
      const lists = parts.map((part, index) => [...(hasSystemFolders(part) ? system : []), ...stored[index]!]);
      return { ...state, lists: await this.withCounts(db, user, parts, lists) };
    });
  }

  private async readStored(
    db: Reader,
    user: UserPrincipal,
    part: OwnedFolderListing,
    stamp: number,
  ): Promise<readonly OwnedFolder[]> {
    const seen = filterVisible(await this.parts.list(db, user, this.rules.module, part, stamp), user);
    const owned = seen.map((folder) => toOwnedFolder(this.rules, folder, user));
    return this.listing.withAccounts(db, user, owned, seen);
  }

  /** Adds numbers of objects to the folders of the parts that ask for them, with one question for all. */
  private async withCounts(
    db: Reader,
    user: UserPrincipal,
    parts: readonly OwnedFolderListing[],
    lists: readonly (readonly OwnedFolder[])[],
  ): Promise<readonly (readonly OwnedFolder[])[]> {
    const counted = lists.filter((_list, index) => parts[index]!.counts);
    if (counted.every((list) => list.length === 0)) return lists;
    const counts = await this.listing.countObjects(db, user, counted.flat());
    return lists.map((list, index) =>
      parts[index]!.counts ? list.map((folder) => ({ ...folder, counts: counts.get(Number(folder.id)) })) : list,
    );
  }
}

/** Whether a part of the tree, which is not just some folders, is for a client that knows accounts. */
const showsAccounts = ({ accounts, ids, paths, since }: OwnedFolderListing): boolean =>
  accounts === true && ids === undefined && paths === undefined && since === undefined;

/** Whether a part of the tree may need system folders: not one that is below a stored folder. */
const hasSystemFolders = ({ below, since, shared }: OwnedFolderListing): boolean =>
  since === undefined && !shared && (below === undefined || Number(below) < LOWEST_FOLDER_ID);
