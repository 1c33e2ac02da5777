import { Injectable } from '@nestjs/common';
import {
  FOLDER_RIGHTS,
  FolderErrors,
  LOWEST_FOLDER_ID,
  recordCheck,
  type OwnedFoldersDone,
  type UserPrincipal,
} from '@groupware/contracts';
import type { Reader, Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { DefaultFolder } from './default-folder';
import { createOwnerPermissions } from './domain/permission-list';
import { isPersonal, parseRights, PERSONAL, RANK } from './domain/rights';
import { splitFolderPath, toFolderPath } from './domain/folder-path';
import { FolderModuleRules } from './folder-module';
import { findVisibilityError, isAdministrator, resolveRights } from './folder-view';
import { FolderRepository } from './persistence/folder.repository';
import { FolderWriter } from './persistence/folder-writer.repository';
import { TrashRepository, type TrashedFolder, type TrashMove } from './persistence/trash.repository';
import type { FolderUser, StoredFolder } from './stored-folder';
import { Withdrawals } from './withdrawals';

/** Whose trash it is. */
export type TrashOwner = Pick<UserPrincipal, 'userId' | 'locale'> & Partial<Pick<UserPrincipal, 'displayName'>>;

/** Throws folders away and brings them back, in modules with a trash: one for each user, below his default folder. */
@Injectable()
export class FolderTrash {
  constructor(
    private readonly folders: FolderRepository,
    private readonly writer: FolderWriter,
    private readonly trash: TrashRepository,
    private readonly defaultFolder: DefaultFolder,
    private readonly rules: FolderModuleRules,
    private readonly withdrawals: Withdrawals,
    private readonly clock: Clock,
  ) {}

  /** Makes sure that a user has a trash; answers its id. */
  async ensureTrash(tx: Transaction, { userId, locale, displayName }: TrashOwner): Promise<number> {
    const known = await this.trash.findTrash(tx, userId);
    if (known !== undefined) return known;
    const parent = await this.defaultFolder.ensureDefaultFolder(tx, userId, locale, displayName);
    // Another transaction may be making it: it holds the stamps of the context until it ends.
    await this.writer.nextStamp(tx, this.clock.now(), 0);
    const made = await this.trash.findTrash(tx, userId);
    if (made !== undefined) return made;
    const id = await this.createFolder(tx, userId, parent, this.rules.trashTitle(locale));
    await this.trash.markTrash(tx, id);
    return id;
  }

  /**
   * Moves folders with all below them into the trash of a user, where they are that user's alone; answers those that stand in one
   * already.
   */
  async throwAway(
    tx: Transaction,
    user: FolderUser & TrashOwner,
    folders: readonly StoredFolder[],
    stamp: number,
  ): Promise<ReadonlySet<number>> {
    const places = await this.trash.listPlaces(
      tx,
      folders.map(({ id }) => id),
    );
    const open = folders.filter(({ id }) => !places.get(id)?.inTrash);
    if (open.length > 0) {
      const parent = await this.ensureTrash(tx, user);
      const moves = open.map(({ id, title, parent: origin }) => ({
        ...{ id, title, parent, origin },
        originPath: places.get(id)?.path ?? '',
      }));
      await this.move(tx, moves, user.userId, stamp);
      await this.passToOwner(tx, user.userId, open, stamp);
    }
    return new Set(folders.filter(({ id }) => places.get(id)?.inTrash).map(({ id }) => id));
  }

  /** Refuses to share what stands in a trash. @param id what is shared @throws FLD-0072 */
  async requireOutsideTrash(db: Reader, folderId: number, id: number): Promise<void> {
    if (!this.rules.hasTrash) return;
    const place = (await this.trash.listPlaces(db, [folderId])).get(folderId);
    if (place?.inTrash) throw FolderErrors.mayNotShare(id);
  }

  /** Lets a folder that moved by itself into a trash, or out of one, be as one that was thrown away, or restored. */
  async followMove(
    tx: Transaction,
    userId: number,
    folder: StoredFolder,
    parent: number,
    stamp: number,
  ): Promise<void> {
    const places = await this.trash.listPlaces(tx, [folder.parent, parent]);
    const [wasTrashed, isTrashed] = [folder.parent, parent].map((id) => places.get(id)?.inTrash ?? false);
    if (wasTrashed === isTrashed) return;
    const [above] = await this.folders.listByIds(tx, [folder.parent]);
    const path = above ? `${places.get(folder.parent)?.path ?? ''}${toFolderPath([above.title])}` : '';
    await this.trash.writeOrigin(tx, folder.id, isTrashed ? folder.parent : null, isTrashed ? path : null);
    if (isTrashed) await this.passToOwner(tx, userId, [folder], stamp);
  }

  /** Makes folders with all below them those of the owner of the trash: all other rights on them, and on single objects in them, end. */
  private async passToOwner(
    tx: Transaction,
    userId: number,
    folders: readonly Pick<StoredFolder, 'id'>[],
    stamp: number,
  ): Promise<void> {
    const trees = await this.folders.listSubtrees(
      tx,
      folders.map(({ id }) => id),
    );
    const ids = [...new Set(trees.map(({ id }) => id))];
    const foreign = trees.filter(({ createdBy }) => createdBy !== userId).map(({ id }) => id);
    const gone = await this.writer.passToOwner(tx, ids, userId, stamp);
    const changed = [...new Set([...foreign, ...gone.map(({ folder }) => folder)])];
    if (changed.length > 0) {
      await this.rules.permissionsChanged(tx, changed);
      await this.writer.updateStamps(tx, changed, userId, stamp);
      for (const folderId of changed) await tx.publish(this.rules.events['folder.changed'], { folderId });
    }
    await this.rules.endObjectShares(tx, ids, userId);
    await this.withdrawals.publishWithdrawals(tx, gone, stamp);
  }

  /**
   * Moves folders out of the trash to where they were; folders that are missing above are made again. Where the user may make no
   * folder any more, it is as if the place were gone.
   */
  async restoreFolders(tx: Transaction, user: UserPrincipal, ids: readonly number[]): Promise<OwnedFoldersDone> {
    const { stamp } = await this.writer.nextStamp(tx, this.clock.now(), 0);
    await this.writer.lockMany(tx, ids);
    const seen = new Map((await this.folders.listVisibleByIds(tx, user, ids)).map((folder) => [folder.id, folder]));
    const trashed = new Map((await this.trash.listTrashed(tx, ids)).map((folder) => [folder.id, folder]));
    const refused = ids.flatMap((id) => {
      const folder = seen.get(id);
      const error =
        findVisibilityError(folder, id, user) ??
        (isAdministrator(folder!, user) ? undefined : FolderErrors.noAdminAccess(id)) ??
        (trashed.has(id) ? undefined : FolderErrors.notInTrash(id));
      return error ? [{ id, error: error.entry.key, params: error.params }] : [];
    });
    const stay = new Set(refused.map(({ id }) => id));
    const moves: TrashMove[] = [];
    const restored = [...trashed.values()].filter(({ id }) => !stay.has(id));
    const open = await this.listOpenPlaces(tx, user, restored);
    for (const { id, title, origin, originPath } of restored) {
      const parent = open.has(origin) ? origin : await this.ensurePath(tx, user, originPath);
      moves.push({ id, title, parent, origin: null, originPath: null });
    }
    if (moves.length > 0) await this.move(tx, moves, user.userId, stamp);
    return { stamp, refused };
  }

  /** Former places of some folders, as far as the user may make folders there. */
  private async listOpenPlaces(
    tx: Transaction,
    user: UserPrincipal,
    trashed: readonly TrashedFolder[],
  ): Promise<ReadonlySet<number>> {
    recordCheck(FOLDER_RIGHTS.createInside);
    const open = new Set<number>();
    for (const { origin } of trashed)
      if (origin < LOWEST_FOLDER_ID && (await this.rules.placeBelow(origin, user))) open.add(origin);
    const stored = trashed.flatMap(({ place }) => place ?? []);
    for (const folder of await this.folders.listVisibleByIds(tx, user, stored))
      if (parseRights(resolveRights(folder, user)).folder >= RANK.createSubfolders) open.add(folder.id);
    return open;
  }

  /** Moves folders, numbering the names that are taken where they go. */
  private async move(tx: Transaction, moves: readonly TrashMove[], userId: number, stamp: number): Promise<void> {
    const names = await this.trash.listNames(tx, [...new Set(moves.map(({ parent }) => parent))]);
    const taken = new Set(names.map(({ parent, title }) => toNameKey(parent, title)));
    const numbered = moves.map((move) => {
      let title = move.title;
      // A name that was numbered in the trash counts on from there.
      const [, base, number] = /^(.+) \((\d{1,6})\)$/s.exec(title) ?? [undefined, title, '0'];
      for (let next = Number(number) + 1; taken.has(toNameKey(move.parent, title)); next += 1)
        title = `${base} (${next})`;
      taken.add(toNameKey(move.parent, title));
      return { ...move, title };
    });
    const ids = moves.map(({ id }) => id);
    await this.writer.insertLosses(tx, ids, stamp);
    await this.trash.moveMany(tx, numbered, userId, stamp);
    await this.followPlaces(tx, userId, ids, stamp);
    for (const folderId of ids) await tx.publish(this.rules.events['folder.changed'], { folderId });
  }

  /** Lets folders that moved be personal or public as those above them are, and tells of those that got another owner. */
  async followPlaces(tx: Transaction, userId: number, ids: readonly number[], stamp: number): Promise<void> {
    if (!this.rules.hasPersonalFolders) return;
    const passedOn = await this.writer.followPlaces(tx, ids);
    if (passedOn.length === 0) return;
    await this.rules.permissionsChanged(tx, passedOn);
    await this.writer.updateStamps(tx, passedOn, userId, stamp);
    for (const folderId of passedOn) await tx.publish(this.rules.events['folder.changed'], { folderId });
  }

  /** The folder with a path of names below the default folder, made where it is missing. */
  async ensurePath(tx: Transaction, user: UserPrincipal, path: string): Promise<number> {
    let parent = await this.defaultFolder.ensureDefaultFolder(tx, user.userId, user.locale, user.displayName);
    const [home] = await this.folders.listByIds(tx, [parent]);
    const names = splitFolderPath(path);
    // Paths begin at the top: most of them with the default folder itself.
    for (const title of names.slice(names[0] === home?.title ? 1 : 0).slice(0, MAX_DEPTH)) {
      const children = await this.trash.listNames(tx, [parent]);
      const known = children.find((folder) => toNameKey(parent, folder.title) === toNameKey(parent, title));
      parent = known?.id ?? (await this.createFolder(tx, user.userId, parent, title));
    }
    return parent;
  }

  private async createFolder(tx: Transaction, userId: number, parent: number, title: string): Promise<number> {
    const stamp = await this.writer.nextStamp(tx, this.clock.now(), 1);
    const [above] = await this.folders.listByIds(tx, [parent]);
    const folder = await this.writer.insert(
      tx,
      this.rules.module,
      {
        parent,
        type: above?.type ?? 1,
        title: await this.folders.findFreeTitle(tx, parent, userId, title),
        createdBy: userId,
        modifiedBy: userId,
        isDefault: false,
        kind: above && isPersonal(above) ? PERSONAL : 0,
        properties: null,
        permissions: createOwnerPermissions(userId),
      },
      stamp,
    );
    await tx.publish(this.rules.events['folder.created'], { folderId: folder!.id });
    return folder!.id;
  }
}

const toNameKey = (parent: number, title: string): string => `${parent}/${title.toLowerCase()}`;

/** Most folders that one restored folder brings back above it. */
const MAX_DEPTH = 64;
