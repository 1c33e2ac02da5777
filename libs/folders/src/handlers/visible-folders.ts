import { Injectable, Optional } from '@nestjs/common';
import {
  FOLDER_RIGHTS,
  LOWEST_FOLDER_ID,
  waiveCheck,
  reply,
  type CallOf,
  type FolderCounts,
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
import type { ScopedFolder } from '../stored-folder';
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
      const locales = new Set(parts.filter(hasSystemFolders).map(({ locale }) => locale));
      const [system, ...seen] = await Promise.all([
        Promise.all(
          [...locales].map(async (locale) => [locale, await this.listing.listSystemFolders(db, user, locale)] as const),
        ).then((lists) => new Map(lists)),
        ...parts.map((part) => this.listSeen(db, user, part, state.stamp)),
      ]);
      const lists = parts.map((part, index) => [
        ...((hasSystemFolders(part) && system.get(part.locale)?.[part.flat ? 'flat' : 'full']) || []),
        ...seen[index]!.map((folder) => toOwnedFolder(this.rules, folder, user)),
      ]);
      const counted = lists.filter((_list, index) => parts[index]!.counts).flat();
      const [accounts, counts] = await Promise.all([
        this.listing.findAccounts(db, user, seen.flat()),
        counted.length === 0 ? new Map<number, FolderCounts>() : this.listing.countObjects(db, user, counted),
      ]);
      const complete = (folder: OwnedFolder, part: OwnedFolderListing): OwnedFolder => {
        const account = accounts.get(Number(folder.id));
        return {
          ...folder,
          ...(account && { account }),
          ...(part.counts && { counts: counts.get(Number(folder.id)) }),
        };
      };
      return { ...state, lists: lists.map((list, index) => list.map((folder) => complete(folder, parts[index]!))) };
    });
  }

  private async listSeen(
    db: Reader,
    user: UserPrincipal,
    part: OwnedFolderListing,
    stamp: number,
  ): Promise<readonly ScopedFolder[]> {
    return filterVisible(await this.parts.list(db, user, this.rules.module, part, stamp), user);
  }
}

/** Whether a part of the tree, which is not just some folders, is for a client that knows accounts. */
const showsAccounts = ({ accounts, ids, paths, since }: OwnedFolderListing): boolean =>
  accounts === true && ids === undefined && paths === undefined && since === undefined;

/** Whether a part of the tree may need system folders: not one that is below a stored folder. */
const hasSystemFolders = ({ below, since, shared }: OwnedFolderListing): boolean =>
  since === undefined && !shared && (below === undefined || Number(below) < LOWEST_FOLDER_ID);
