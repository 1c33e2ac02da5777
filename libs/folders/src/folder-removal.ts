import { Injectable } from '@nestjs/common';
import {
  FOLDER_RIGHTS,
  groupBy,
  recordCheck,
  type CatalogueError,
  FolderErrors,
  type OwnedFolderClearing,
  type OwnedFolderRemoval,
  type OwnedFoldersDone,
  type RefusedFolder,
  type UserPrincipal,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { isUnlimited, toRankedFolder, withoutLimits } from './domain/ranked-folder';
import { isKept, parseRights, RANK, TRASH } from './domain/rights';
import { FolderModuleRules, type RankedFolder } from './folder-module';
import { findVisibilityError, isAdministrator, resolveRights } from './folder-view';
import { FolderTrash } from './folder-trash';
import { FolderRepository } from './persistence/folder.repository';
import { TrashRepository } from './persistence/trash.repository';
import type { FolderUser, SeenFolder, StoredFolder } from './stored-folder';
import { Withdrawals } from './withdrawals';
import { FolderWriter } from './persistence/folder-writer.repository';

type Refusals = Map<number, CatalogueError>;
/** The acting user, with the language of the trash. */
type RemovingUser = FolderUser & Pick<UserPrincipal, 'locale'>;

/** Deletes and empties folders by the rules of the API. The number of statements does not depend on that of the folders. */
@Injectable()
export class FolderRemoval {
  constructor(
    private readonly folders: FolderRepository,
    private readonly writer: FolderWriter,
    private readonly rules: FolderModuleRules,
    private readonly withdrawals: Withdrawals,
    private readonly trash: FolderTrash,
    private readonly trashes: TrashRepository,
    private readonly clock: Clock,
  ) {}

  /** Deletes folders with everything in them and below them; those that must not go stay whole. */
  async removeFolders(tx: Transaction, user: RemovingUser, wanted: OwnedFolderRemoval): Promise<OwnedFoldersDone> {
    const ids = [...new Set(wanted.ids.map(Number))];
    // Taken first by all who write folders: nothing can be made below one of them meanwhile.
    const { stamp } = await this.writer.nextStamp(tx, this.clock.now(), 0);
    await this.writer.lockMany(tx, ids);
    const trees = await this.folders.listSubtrees(tx, ids);
    const all = [...new Set([...ids, ...trees.map(({ id }) => id)])];
    const seen = await this.findVisible(tx, user, all);
    const refused: Refusals = new Map();
    for (const id of ids) {
      const error = checkRemoval(seen.get(id), user, id, wanted.timestamp);
      if (error) refused.set(id, error);
    }
    const below = trees.filter(({ root }) => !refused.has(root));
    const candidates = dedupeById(below);
    const undeletable = await this.undeletable(tx, user, candidates, seen);
    const locked = await this.rules.listLocked(tx, candidates.map(withoutLimits), user);
    for (const { root, id } of below) {
      if (refused.has(root)) continue;
      const error =
        checkRemovalBelow(seen.get(id)!, user, root) ??
        (locked.has(id) ? FolderErrors.objectsLocked(id) : undefined) ??
        (undeletable.has(id) ? FolderErrors.objectsNotDeletable(id) : undefined);
      if (error) refused.set(root, error);
    }
    const gone = dedupeById(trees.filter(({ root }) => !refused.has(root)));
    // One that stays for itself and goes with a folder above is gone.
    for (const { id } of gone) refused.delete(id);
    if (wanted.strict && refused.size > 0) throw [...refused.values()][0]!;
    const thrown = wanted.check || wanted.hardDelete ? [] : await this.throwAway(tx, user, ids, refused, seen, stamp);
    const moved = new Set(thrown);
    const trashed = new Set(trees.filter(({ root }) => moved.has(root)).map(({ id }) => id));
    const deleted =
      trashed.size === 0 ? gone : dedupeById(trees.filter(({ root }) => !refused.has(root) && !trashed.has(root)));
    if (!wanted.check && deleted.length > 0) await this.deleteFolders(tx, user.userId, deleted, stamp);
    return {
      stamp,
      refused: toRefusedFolders(refused),
      ...(thrown.length > 0 && { trashed: thrown.map((id) => ({ id, newId: id })) }),
    };
  }

  /** Deletes a folder whose owner chose its end, with what is below it; false when it is gone, kept, or not all of it is the owner's. */
  async removeEnded(tx: Transaction, { id, user }: { readonly id: number; readonly user: number }): Promise<boolean> {
    const { stamp } = await this.writer.nextStamp(tx, this.clock.now(), 0);
    await this.writer.lockMany(tx, [id]);
    const tree = await this.folders.listSubtrees(tx, [id]);
    if (tree.length === 0 || tree.some((folder) => folder.createdBy !== user || isKept(folder))) return false;
    await this.deleteFolders(tx, user, tree, stamp);
    return true;
  }

  /**
   * Deletes the objects in folders that the user may delete for themselves: all, or in folders where only own ones may be deleted,
   * those. They go into the trash where the module has one. A folder of which an object that the user sees may not be deleted stays as
   * it is; objects that the user does not see stay without a word. Folders below are left alone but those of a trash, which go with it.
   */
  async clearFolders(tx: Transaction, user: UserPrincipal, wanted: OwnedFolderClearing): Promise<OwnedFoldersDone> {
    const ids = [...new Set(wanted.ids.map(Number))];
    const { stamp } = await this.writer.nextStamp(tx, this.clock.now(), 0);
    await this.writer.lockMany(tx, ids);
    const seen = await this.findVisible(tx, user, ids);
    const refused: Refusals = new Map();
    for (const id of ids) {
      const error = checkClearing(seen.get(id), user, id);
      if (error) refused.set(id, error);
    }
    const ranked = new Map([...seen].map(([id, folder]) => [id, toRankedFolder(folder, user)]));
    for (const id of await this.rules.listLocked(tx, [...ranked.values()], user))
      if (!refused.has(id)) refused.set(id, FolderErrors.objectsLocked(id));
    for (const id of await this.listProtected(tx, user, [...ranked.values()]))
      if (!refused.has(id)) refused.set(id, FolderErrors.objectsNotDeletable(id));
    const open = [...seen.values()].filter(({ id }) => !refused.has(id));
    const { userId } = user;
    const isThrownAway = this.rules.hasTrash && !wanted.hardDelete;
    for (const [trashId, some] of isThrownAway
      ? await this.listTrashes(tx, user, open)
      : [[undefined, open] as const]) {
      const going = some.map(({ id }) => ranked.get(id)!);
      if (going.length > 0) await this.rules.removeObjects(tx, going, { userId, trashId });
    }
    for (const id of await this.emptyTrashes(tx, user, open)) refused.set(id, FolderErrors.objectsNotDeletable(id));
    return { stamp, refused: toRefusedFolders(refused) };
  }

  private async deleteFolders(
    tx: Transaction,
    userId: number,
    deleted: readonly StoredFolder[],
    stamp: number,
  ): Promise<void> {
    await this.rules.removeObjects(tx, deleted.map(withoutLimits), { userId });
    for (const { id } of [...deleted].reverse())
      await tx.publish(this.rules.events['folder.deleted'], { folderId: id });
    await this.writer.delete(
      tx,
      deleted.map(({ id }) => id),
      stamp,
    );
    await this.withdrawals.publishWithdrawals(
      tx,
      deleted.flatMap(({ permissions }) => permissions),
      stamp,
    );
  }

  /** Folders by the trash to which their objects go: that of the user, or for guests, who have none, that of the owner. */
  private async listTrashes(
    tx: Transaction,
    user: UserPrincipal,
    folders: readonly SeenFolder[],
  ): Promise<ReadonlyMap<number, SeenFolder[]>> {
    const removals: { readonly trash: number; readonly folder: SeenFolder }[] = [];
    for (const folder of folders) {
      const owner = { userId: user.guest ? folder.createdBy : user.userId, locale: user.locale };
      removals.push({ trash: await this.trash.ensureTrash(tx, owner), folder });
    }
    return groupBy(
      removals,
      ({ trash }) => trash,
      ({ folder }) => folder,
    );
  }

  /** Deletes the folders below trashes for good; answers the trashes of which some stay. */
  private async emptyTrashes(tx: Transaction, user: UserPrincipal, folders: readonly SeenFolder[]): Promise<number[]> {
    const staying: number[] = [];
    for (const { id } of folders.filter(({ kind }) => kind === TRASH)) {
      const ids = (await this.trashes.listNames(tx, [id])).map((below) => below.id);
      if (ids.length === 0) continue;
      const { refused } = await this.removeFolders(tx, user, { ids, hardDelete: true });
      if (refused.length > 0) staying.push(id);
    }
    return staying;
  }

  /** Moves folders into the trash, in modules that have one; answers those that are there now. */
  private async throwAway(
    tx: Transaction,
    user: RemovingUser,
    ids: readonly number[],
    refused: Refusals,
    seen: ReadonlyMap<number, SeenFolder>,
    stamp: number,
  ): Promise<number[]> {
    if (!this.rules.hasTrash) return [];
    const wanted = new Set(ids.filter((id) => !refused.has(id)));
    // A folder goes along with one above it.
    const roots = [...wanted].filter((id) => !wanted.has(seen.get(id)?.parent ?? 0)).map((id) => seen.get(id)!);
    const inTrash = await this.trash.throwAway(tx, user, roots, stamp);
    return roots.map(({ id }) => id).filter((id) => !inTrash.has(id));
  }

  private async findVisible(
    tx: Transaction,
    user: FolderUser,
    ids: readonly number[],
  ): Promise<Map<number, SeenFolder>> {
    return new Map((await this.folders.listVisibleByIds(tx, user, ids)).map((folder) => [folder.id, folder]));
  }

  private undeletable(
    tx: Transaction,
    user: FolderUser,
    folders: readonly StoredFolder[],
    seen: ReadonlyMap<number, SeenFolder>,
  ): Promise<ReadonlySet<number>> {
    const ranked = folders.map(({ id }) => toRankedFolder(seen.get(id)!, user));
    const limited = ranked.filter((folder) => !isUnlimited(folder));
    return limited.length > 0 ? this.rules.undeletable(tx, limited, user) : Promise.resolve(new Set());
  }

  /** Folders that must not be emptied: objects stay that the user sees, in spite of the right to delete all of them. */
  private listProtected(
    tx: Transaction,
    user: FolderUser,
    folders: readonly RankedFolder[],
  ): Promise<ReadonlySet<number>> {
    const whole = folders.filter((folder) => folder.rank >= RANK.all && !isUnlimited(folder));
    return whole.length > 0 ? this.rules.listProtected(tx, whole, user) : Promise.resolve(new Set());
  }
}

function checkRemoval(
  folder: SeenFolder | undefined,
  user: FolderUser,
  id: number,
  timestamp: number | undefined,
): CatalogueError | undefined {
  recordCheck(FOLDER_RIGHTS.administer);
  const hidden = findVisibilityError(folder, id, user);
  if (hidden || !folder) return hidden;
  if (folder.type === 1 && folder.createdBy !== user.userId) return FolderErrors.sharedNotDeleted();
  if (!isAdministrator(folder, user)) return FolderErrors.noAdminAccess(id);
  if (isKept(folder)) return FolderErrors.defaultNotDeleted();
  if (timestamp !== undefined && folder.lastModified > timestamp) return FolderErrors.changed(id);
  return undefined;
}

function checkClearing(folder: SeenFolder | undefined, user: FolderUser, id: number): CatalogueError | undefined {
  recordCheck(FOLDER_RIGHTS.removeObjects);
  const hidden = findVisibilityError(folder, id, user);
  if (hidden || !folder) return hidden;
  return parseRights(resolveRights(folder, user)).remove === RANK.none
    ? FolderErrors.objectsNotDeletable(id)
    : undefined;
}

function checkRemovalBelow(folder: SeenFolder, user: FolderUser, root: number): CatalogueError | undefined {
  if (folder.id === root) return undefined;
  if (folder.isDefault) return FolderErrors.defaultNotDeleted();
  return isAdministrator(folder, user) ? undefined : FolderErrors.hiddenSubfolder(root);
}

const dedupeById = <T extends { readonly id: number }>(folders: readonly T[]): T[] => [
  ...new Map(folders.map((folder) => [folder.id, folder])).values(),
];

const toRefusedFolders = (refused: Refusals): RefusedFolder[] =>
  [...refused].map(([id, { entry, params }]) => ({ id, error: entry.key, params }));
