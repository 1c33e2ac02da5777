import { Injectable } from '@nestjs/common';
import {
  FOLDER_RIGHTS,
  recordCheck,
  waiveCheck,
  FolderErrors,
  LOWEST_FOLDER_ID,
  SYSTEM_FOLDERS,
  type OwnedFolderChange,
  type OwnedFolderCreation,
  type OwnedFolderNotice,
  type OwnedFolderWritten,
  type OwnedPermission,
  type SharingNotice,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { parseFolderName } from './domain/folder-name';
import {
  addsAdmin,
  addsEntity,
  createOwnerPermissions,
  filterInheritable,
  inheritPermissions,
  listNewEntities,
  requireStaying,
  requireValidPermissions,
  hasSamePermissions,
  splitByRights,
  type EntityFacts,
} from './domain/permission-list';
import {
  EDIT_PUBLIC_FOLDERS,
  EXTERNAL,
  type FolderKind,
  isKept,
  isOwned,
  isPersonal,
  RANK,
  parseRights,
  PERSONAL,
  READ_ONLY_RIGHTS,
  SHARE_FOLDERS,
  TRASH,
} from './domain/rights';
import { BranchLinks } from './branch-links';
import { FolderModuleRules, type PreparedAccount } from './folder-module';
import { FolderTrash } from './folder-trash';
import { isAdministrator, isVisible, requireVisible, resolveRights } from './folder-view';
import { FolderRepository } from './persistence/folder.repository';
import type { FolderUser, SeenFolder, StoredFolder } from './stored-folder';
import { Withdrawals } from './withdrawals';
import { FolderWriter } from './persistence/folder-writer.repository';

interface Place extends FolderKind {
  readonly permissions?: readonly OwnedPermission[];
}

/** Facts about a new folder from elsewhere. */
export interface FolderCreationFacts {
  readonly maxFolders: number;
  readonly entities: EntityFacts;
  /** The account elsewhere that it is to show. */
  readonly account?: PreparedAccount;
}

/** Writes folders by the rules of the API. Everything happens in the caller's transaction. */
@Injectable()
export class FolderEditor {
  constructor(
    private readonly folders: FolderRepository,
    private readonly writer: FolderWriter,
    private readonly rules: FolderModuleRules,
    private readonly withdrawals: Withdrawals,
    private readonly trash: FolderTrash,
    private readonly branches: BranchLinks,
    private readonly clock: Clock,
  ) {}

  /** Creates a folder below a system folder or another folder; FLD-1029 when its owner would have more than `maxFolders`. */
  async createFolder(
    tx: Transaction,
    user: FolderUser,
    wanted: OwnedFolderCreation,
    { maxFolders, entities, account }: FolderCreationFacts,
  ): Promise<OwnedFolderWritten> {
    if (account && Number(wanted.parent) !== SYSTEM_FOLDERS.private)
      throw FolderErrors.noSubfolderPermission(wanted.parent);
    const named = parseFolderName(wanted.title);
    // Taken first by all who write folders: names and places found from here on stay as they are.
    const stamp = await this.writer.nextStamp(tx, this.clock.now(), wanted.id === undefined ? 1 : 0);
    const parent = Number(wanted.parent);
    const place = await this.resolvePlace(tx, user, parent, wanted.foreignParent);
    const count = await this.folders.countByOwner(tx, place.owner);
    if (count >= maxFolders) throw FolderErrors.tooManyFolders(count);
    const above = filterInheritable(place.permissions ?? [], entities);
    const permissions = account
      ? [{ entity: user.userId, group: false, bits: READ_ONLY_RIGHTS }]
      : (wanted.permissions ?? (user.guest ? above : inheritPermissions(above, place)));
    requireStaying(permissions, above, entities);
    if (isOwned(place) && place.owner !== user.userId && addsAdmin(permissions, place.permissions ?? [], place.owner))
      throw FolderErrors.ownerOfParentOnly(parent);
    requireValidPermissions(permissions, { ...place, id: parent, isDefault: false });
    this.requireSharing(user, permissions, place, parent);
    if (addsEntity(wanted.permissions ?? [], [], place.owner)) await this.trash.requireOutsideTrash(tx, parent, parent);
    const title = wanted.autorename ? await this.folders.findFreeTitle(tx, parent, place.owner, named) : named;
    const folder = await this.writer.insert(
      tx,
      this.rules.module,
      {
        id: wanted.id,
        parent,
        type: place.type,
        title,
        createdBy: place.owner,
        modifiedBy: user.userId,
        isDefault: false,
        kind: account ? EXTERNAL : place.isPersonal ? PERSONAL : 0,
        properties: wanted.properties ?? null,
        meta: wanted.meta ?? null,
        permissions,
      },
      stamp,
    );
    const { id, lastModified } = folder!;
    const { subscribed, usedForSync } = wanted;
    if (subscribed === false || usedForSync === false)
      await this.writer.writeOwnSettings(tx, user.userId, id, { subscribed, usedForSync }, lastModified);
    await account?.store(tx, id);
    await tx.publish(this.rules.events['folder.created'], { folderId: id });
    await this.publishNotice(tx, user, { id, title }, listNewEntities(permissions, [], user), wanted.notice);
    return { id, lastModified, ...(account && { isExternal: true }) };
  }

  /** Renames, moves, shares, subscribes or marks a folder. */
  async updateFolder(
    tx: Transaction,
    user: FolderUser,
    change: OwnedFolderChange,
    entities: EntityFacts,
  ): Promise<OwnedFolderWritten> {
    const { stamp } = await this.writer.nextStamp(tx, this.clock.now(), 0);
    const folder = await this.requireVisible(tx, user, Number(change.id), change.timestamp);
    // A user who may only see a folder changes how it looks to himself.
    const isOwnColour = change.properties !== undefined && !isAdministrator(folder, user);
    const next = {
      id: folder.id,
      parent: change.parent === undefined ? folder.parent : Number(change.parent),
      title: change.title === undefined ? folder.title : parseFolderName(change.title),
      properties:
        isOwnColour || change.properties === undefined
          ? folder.properties
          : mergeProperties(folder.properties, change.properties),
      meta: change.meta === undefined ? folder.meta : mergeProperties(folder.meta, change.meta),
    };
    const moved = next.parent !== folder.parent;
    const renamed = next.title !== folder.title;
    const shared = change.permissions !== undefined && !hasSamePermissions(change.permissions, folder.permissions);
    const isExternal = folder.kind === EXTERNAL;
    const { branchLink } = change;
    if (isExternal && (shared || change.cascade || branchLink)) throw FolderErrors.mayNotShare(folder.id);
    const hasNewAccount = isExternal && change.accountConfig !== undefined;
    const isMarked = (change.properties !== undefined && !isOwnColour) || change.meta !== undefined || hasNewAccount;
    const administered = moved || renamed || shared || Boolean(change.cascade) || isMarked || branchLink !== undefined;
    if (administered) {
      if (moved && folder.type === 1 && folder.createdBy !== user.userId) throw FolderErrors.sharedNotMoved();
      if (!isAdministrator(folder, user)) throw FolderErrors.noAdminAccess(folder.id);
      if (renamed && isKept(folder)) throw FolderErrors.defaultNotRenamed();
      const place = moved ? await this.requireMovable(tx, user, folder, next.parent, change.foreignParent) : undefined;
      if (shared) {
        const isOwners = hasSamePermissions(change.permissions!, createOwnerPermissions(folder.createdBy));
        if (folder.kind === TRASH && !isOwners) throw FolderErrors.mayNotShare(folder.id);
        const { id, type, isDefault } = folder;
        // A personal folder belongs to the owner of its new place.
        const at = place ?? { owner: folder.createdBy, isPersonal: isPersonal(folder) };
        const owner = at.isPersonal ? at.owner : folder.createdBy;
        const target = { id, type, owner, isDefault, isPersonal: at.isPersonal === true };
        requireStaying(change.permissions!, folder.permissions, entities);
        requireValidPermissions(change.permissions!, target);
        this.requireSharing(user, change.permissions!, target, folder.id);
        if (addsEntity(change.permissions!, folder.permissions, owner))
          await this.trash.requireOutsideTrash(tx, next.parent, folder.id);
      }
    }
    // Others hide the default folder of its owner, and leave it out of synchronization, as any other one that they see.
    const isOwnDefault = folder.isDefault && folder.createdBy === user.userId;
    if (change.subscribed === false && folder.subscribed && isOwnDefault) throw FolderErrors.unsubscribeNotPermitted();
    const own = {
      ...(change.subscribed !== folder.subscribed && { subscribed: change.subscribed }),
      // The default folder is always synchronized.
      ...(!isOwnDefault && { usedForSync: change.usedForSync }),
      ...(isOwnColour && { properties: change.properties }),
    };
    if (Object.values(own).some((value) => value !== undefined))
      await this.writer.writeOwnSettings(tx, user.userId, folder.id, own, stamp);
    if (!administered) waiveCheck(FOLDER_RIGHTS.administer, 'subscriptions and colours are the own ones');
    const written = { id: folder.id, ...(isExternal && { isExternal }) };
    if (!administered) return { ...written, lastModified: folder.lastModified };
    if (hasNewAccount) await this.rules.updateAccount(tx, folder, change.accountConfig!);

    if (change.autorename && (moved || renamed))
      next.title = await this.folders.findFreeTitle(tx, next.parent, folder.createdBy, next.title);
    if (moved) await this.writer.insertLosses(tx, [folder.id], stamp);
    await this.writer.update(tx, next, user.userId, stamp);
    if (moved) await this.branches.endInherited(tx, user, folder.id, entities, stamp);
    if (moved) await this.trash.followPlaces(tx, user.userId, [folder.id], stamp);
    if (shared) {
      await this.writer.replacePermissions(tx, [folder.id], change.permissions!, stamp);
      await this.rules.permissionsChanged(tx, [folder.id]);
      await this.branches.endDropped(tx, user, folder, { list: change.permissions!, entities, stamp });
      await this.withdrawals.publishWithdrawals(tx, folder.permissions, stamp);
    }
    await tx.publish(this.rules.events['folder.changed'], { folderId: folder.id });
    const unreached = branchLink
      ? await this.branches.setBranch(tx, user, folder, { branchLink, entities, stamp })
      : [];
    const cascaded = change.cascade
      ? await this.cascadePermissions(tx, user, folder, {
          list: change.permissions ?? folder.permissions,
          entities,
          stamp,
        })
      : [];
    const skipped = [...cascaded, ...unreached];
    if (moved && this.rules.hasTrash) await this.trash.followMove(tx, user.userId, folder, next.parent, stamp);
    if (shared)
      await this.publishNotice(
        tx,
        user,
        next,
        listNewEntities(change.permissions!, folder.permissions, user),
        change.notice,
      );
    return { ...written, lastModified: stamp, ...(skipped.length > 0 && { skipped }) };
  }

  /**
   * Removes the rights of entities on a folder; the owner keeps his. Answers whether there were any. Guests who
   * have nothing left go, and their sessions end: see {@link Withdrawals}.
   */
  async takeRights(tx: Transaction, id: number, entities: readonly number[], group: boolean): Promise<boolean> {
    const { stamp } = await this.writer.nextStamp(tx, this.clock.now(), 0);
    await this.folders.lock(tx, id, 'update');
    const [folder] = await this.folders.listByIds(tx, [id]);
    if (!folder) return false;
    const staying = folder.permissions.filter(
      (entry) =>
        entry.group !== group ||
        !entities.includes(entry.entity) ||
        (!group && folder.type === 1 && entry.entity === folder.createdBy),
    );
    if (staying.length === folder.permissions.length) return false;
    await this.writer.replacePermissions(tx, [id], staying, stamp);
    await this.rules.permissionsChanged(tx, [id]);
    await this.withdrawals.publishWithdrawals(tx, folder.permissions, stamp);
    await this.writer.updateStamps(tx, [id], folder.modifiedBy, stamp);
    await tx.publish(this.rules.events['folder.changed'], { folderId: id });
    return true;
  }

  /** Tells users and groups about a folder; answers those that have no rights on it. */
  async notifyFolder(tx: Transaction, user: FolderUser, wanted: OwnedFolderNotice): Promise<number[]> {
    const id = Number(wanted.id);
    const folder = requireVisible(await this.folders.findVisible(tx, user, id), id, user);
    if (!isAdministrator(folder, user)) throw FolderErrors.noAdminAccess(id);
    const { entitled, others } = splitByRights(wanted.entities, folder.permissions, user);
    await this.publishNotice(tx, user, folder, entitled, wanted);
    return others;
  }

  private async publishNotice(
    tx: Transaction,
    user: FolderUser,
    { id: folderId, title }: Pick<StoredFolder, 'id' | 'title'>,
    entities: readonly number[],
    notice: SharingNotice | undefined,
  ): Promise<void> {
    if (!notice || entities.length === 0) return;
    await tx.publish(this.rules.events['folder.shared'], {
      folderId,
      userId: user.userId,
      title,
      entities,
      ...(notice.message && { message: notice.message }),
    });
  }

  private async requireVisible(
    tx: Transaction,
    user: FolderUser,
    id: number,
    timestamp: number | undefined,
  ): Promise<SeenFolder> {
    await this.folders.lock(tx, id, 'update');
    const folder = requireVisible(await this.folders.findVisible(tx, user, id), id, user);
    if (timestamp !== undefined && folder.lastModified > timestamp) throw FolderErrors.changedInTheMeantime();
    return folder;
  }

  private async resolvePlace(
    tx: Transaction,
    user: FolderUser,
    parent: number,
    foreign: FolderKind | undefined,
  ): Promise<Place> {
    recordCheck(FOLDER_RIGHTS.createInside);
    if (parent === SYSTEM_FOLDERS.private) return { type: 1, owner: user.userId };
    if (parent === SYSTEM_FOLDERS.public) {
      if (!user.capabilities.includes(EDIT_PUBLIC_FOLDERS)) throw FolderErrors.publicNotWritable();
      return { type: 2, owner: user.userId };
    }
    if (parent < LOWEST_FOLDER_ID) {
      const place = await this.rules.placeBelow(parent, user);
      if (!place) throw FolderErrors.noSubfolderPermission(parent);
      return place;
    }
    // Another module owns the parent: the folders service checked it before.
    if (foreign) return { type: foreign.type, owner: foreign.type === 1 ? foreign.owner : user.userId };
    await this.folders.lock(tx, parent, 'share');
    const above = requireVisible(await this.folders.findVisible(tx, user, parent), parent, user);
    if (parseRights(resolveRights(above, user)).folder < RANK.createSubfolders)
      throw FolderErrors.noSubfolderPermission(parent);
    const kind = { type: above.type, owner: above.createdBy, isPersonal: isPersonal(above) };
    // Guests own nothing: what they make belongs to the owner of the folder above.
    const owner = isOwned(kind) || user.guest ? above.createdBy : user.userId;
    return { ...kind, owner, permissions: above.permissions };
  }

  private requireSharing(
    user: FolderUser,
    permissions: readonly OwnedPermission[],
    target: FolderKind,
    id: number,
  ): void {
    const others = permissions.some(({ group, entity }) => group || entity !== target.owner);
    if (target.type === 1 && others && !user.capabilities.includes(SHARE_FOLDERS)) throw FolderErrors.mayNotShare(id);
  }

  private async requireMovable(
    tx: Transaction,
    user: FolderUser,
    folder: SeenFolder,
    parent: number,
    foreign: FolderKind | undefined,
  ): Promise<Place> {
    if (parent === folder.id) throw FolderErrors.ontoItself();
    if (isKept(folder)) throw FolderErrors.defaultNotMoved();
    const target = await this.resolvePlace(tx, user, parent, foreign);
    if (folder.type === 1 && target.type !== 1) throw FolderErrors.privateIntoPrivate();
    if (folder.type === 2 && target.type !== 2) throw FolderErrors.publicIntoPublic();
    if (target.type === 1 && target.owner !== folder.createdBy) throw FolderErrors.intoShared();
    const below = (await this.folders.listSubtrees(tx, [folder.id])).map(({ id }) => id);
    if (below.includes(parent)) throw FolderErrors.belowItself();
    for (const child of await this.folders.listVisibleByIds(tx, user, below))
      if (!isAdministrator(child, user)) throw FolderErrors.subfolderNotMoved(folder.id);
    return target;
  }

  /**
   * Gives the folders below the same permissions, as far as the user administrates them, but those of a trash; each keeps the links
   * to it and to folders above it within the branch. Answers those that the user sees and does not administrate.
   */
  private async cascadePermissions(
    tx: Transaction,
    user: FolderUser,
    folder: SeenFolder,
    { list, entities, stamp }: { list: readonly OwnedPermission[]; entities: EntityFacts; stamp: number },
  ): Promise<number[]> {
    const below = await this.folders.listShareable(tx, folder.id);
    const inherited = filterInheritable(list, entities);
    const own = new Set(
      [...entities.links].flatMap(([guest, target]) =>
        target !== undefined && target !== folder.id && below.includes(target) ? [guest] : [],
      ),
    );
    for (const { entity, group } of inherited) if (!group) own.delete(entity);
    const listOf = ({ permissions }: SeenFolder): OwnedPermission[] => [
      ...inherited,
      ...permissions.filter(({ entity, group }) => !group && own.has(entity)),
    ];
    const different = (await this.folders.listVisibleByIds(tx, user, below)).filter(
      (child) => child.id !== folder.id && !hasSamePermissions(child.permissions, listOf(child)),
    );
    const others = different.filter((child) => isAdministrator(child, user));
    const skipped = different.filter((child) => isVisible(child, user) && !isAdministrator(child, user));
    const ids = others.map(({ id }) => id);
    if (ids.length === 0) return skipped.map(({ id }) => id);
    await this.writer.replacePermissions(tx, ids, inherited, stamp, own);
    await this.rules.permissionsChanged(tx, ids);
    await this.writer.updateStamps(tx, ids, user.userId, stamp);
    for (const folderId of ids) await tx.publish(this.rules.events['folder.changed'], { folderId });
    await this.withdrawals.publishWithdrawals(
      tx,
      others.flatMap((child) => child.permissions),
      stamp,
    );
    return skipped.map(({ id }) => id);
  }
}

function mergeProperties(
  before: Readonly<Record<string, unknown>> | null,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> | null {
  const next = Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null));
  return Object.keys(next).length > 0 ? next : null;
}
