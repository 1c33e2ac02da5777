import { Injectable } from '@nestjs/common';
import {
  FolderErrors,
  SYSTEM_FOLDERS,
  type OwnedFolderChange,
  type OwnedFolderCreation,
  type OwnedFolderRemoval,
  type OwnedFolderWritten,
  type OwnedPermission,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { folderName } from './domain/folder-name';
import { inheritedPermissions, requireValidPermissions, samePermissions } from './domain/permission-list';
import { EDIT_PUBLIC_FOLDERS, type FolderKind, RANK, rightsOf, SHARE_FOLDERS } from './domain/rights';
import { FolderModuleRules, type FolderUser } from './folder-module';
import { isVisible, rightsIn } from './folder-view';
import { FolderRepository, type SeenFolder } from './persistence/folder.repository';

interface Place extends FolderKind {
  readonly permissions?: readonly OwnedPermission[];
}

/** Writes folders by the rules of the API. Everything happens in the caller's transaction. */
@Injectable()
export class FolderEditor {
  constructor(
    private readonly folders: FolderRepository,
    private readonly rules: FolderModuleRules,
    private readonly clock: Clock,
  ) {}

  /** Creates a folder below a system folder or another folder. */
  async create(tx: Transaction, user: FolderUser, wanted: OwnedFolderCreation): Promise<OwnedFolderWritten> {
    const title = folderName(wanted.title);
    const place = await this.placeBelow(tx, user, wanted.parent, wanted.foreignParent);
    const permissions = wanted.permissions ?? inheritedPermissions(place.permissions, place);
    requireValidPermissions(permissions, { ...place, id: wanted.parent, isDefault: false });
    this.requireSharing(user, permissions, place, wanted.parent);
    const folder = await this.folders.insert(
      tx,
      this.rules.module,
      {
        parent: wanted.parent,
        type: place.type,
        title,
        createdBy: place.owner,
        modifiedBy: user.userId,
        isDefault: false,
        properties: wanted.properties ?? null,
        permissions,
      },
      this.clock.now(),
    );
    if (wanted.subscribed === false) await this.folders.subscribe(tx, user.userId, folder!.id, false);
    await tx.publish(this.rules.events.created, { folderId: folder!.id });
    return { id: folder!.id, lastModified: folder!.lastModified };
  }

  /** Renames, moves, shares, subscribes or marks a folder. */
  async update(tx: Transaction, user: FolderUser, change: OwnedFolderChange): Promise<OwnedFolderWritten> {
    const folder = await this.requireVisible(tx, user, change.id, change.timestamp);
    const next = {
      id: folder.id,
      parent: change.parent ?? folder.parent,
      title: change.title === undefined ? folder.title : folderName(change.title),
      properties: change.properties === undefined ? folder.properties : merged(folder.properties, change.properties),
    };
    const moved = next.parent !== folder.parent;
    const renamed = next.title !== folder.title;
    const shared = change.permissions !== undefined && !samePermissions(change.permissions, folder.permissions);
    const administered = moved || renamed || shared || Boolean(change.cascade) || change.properties !== undefined;
    if (administered) {
      if (!rightsOf(rightsIn(folder, user)).admin) throw FolderErrors.noAdminAccess(folder.id);
      if (renamed && folder.isDefault) throw FolderErrors.defaultNotRenamed();
      if (moved) await this.requireMovable(tx, user, folder, next.parent, change.foreignParent);
      if (shared) {
        const target = { id: folder.id, type: folder.type, owner: folder.createdBy, isDefault: folder.isDefault };
        requireValidPermissions(change.permissions!, target);
        this.requireSharing(user, change.permissions!, target, folder.id);
      }
    }
    if (change.subscribed !== undefined && change.subscribed !== folder.subscribed) {
      if (!change.subscribed && folder.isDefault) throw FolderErrors.badParameter('subscribed', false);
      await this.folders.subscribe(tx, user.userId, folder.id, change.subscribed);
    }
    if (!administered) return { id: folder.id, lastModified: folder.lastModified };

    const { stamp } = await this.folders.nextStamp(tx, this.clock.now(), 0);
    await this.folders.update(tx, next, user.userId, stamp);
    if (shared) await this.folders.replacePermissions(tx, folder.id, change.permissions!);
    await tx.publish(this.rules.events.changed, { folderId: folder.id });
    if (change.cascade) await this.cascade(tx, user, folder, change.permissions ?? folder.permissions, stamp);
    return { id: folder.id, lastModified: stamp };
  }

  /** Deletes a folder with everything in it and below it. */
  async remove(tx: Transaction, user: FolderUser, wanted: OwnedFolderRemoval): Promise<OwnedFolderWritten> {
    const folder = await this.requireVisible(tx, user, wanted.id, wanted.timestamp);
    const tree = await this.folders.subtree(tx, folder.id);
    const seen = new Map(
      (
        await this.folders.seenMany(
          tx,
          user,
          tree.map(({ id }) => id),
        )
      ).map((entry) => [entry.id, entry]),
    );
    for (const entry of tree) {
      const view = seen.get(entry.id)!;
      const rights = rightsOf(rightsIn(view, user));
      if (entry.isDefault) throw FolderErrors.defaultNotDeleted();
      if (!rights.admin && entry.id !== folder.id) throw FolderErrors.hiddenSubfolder(folder.id);
      if (!rights.admin) throw FolderErrors.noAdminAccess(entry.id);
      if (await this.rules.holdsUndeletable(tx, entry, user, rights.remove))
        throw FolderErrors.objectsNotDeletable(entry.id);
    }
    for (const entry of [...tree].reverse()) {
      await this.rules.removeObjects(tx, entry, user);
      await tx.publish(this.rules.events.deleted, { folderId: entry.id });
    }
    const { stamp } = await this.folders.nextStamp(tx, this.clock.now(), 0);
    await this.folders.remove(
      tx,
      tree.map(({ id }) => id),
      stamp,
    );
    return { id: folder.id, lastModified: stamp };
  }

  private async requireVisible(
    tx: Transaction,
    user: FolderUser,
    id: number,
    timestamp: number | undefined,
  ): Promise<SeenFolder> {
    await this.folders.lock(tx, id, 'update');
    const folder = await this.folders.seen(tx, user, id);
    if (!folder) throw FolderErrors.notFound(id);
    if (!isVisible(folder, user)) throw FolderErrors.notVisible(id, user.userId);
    if (timestamp !== undefined && folder.lastModified > timestamp) throw FolderErrors.changedInTheMeantime();
    return folder;
  }

  private async placeBelow(
    tx: Transaction,
    user: FolderUser,
    parent: number,
    foreign: FolderKind | undefined,
  ): Promise<Place> {
    if (parent === SYSTEM_FOLDERS.private) return { type: 1, owner: user.userId };
    if (parent === SYSTEM_FOLDERS.public) {
      if (!user.capabilities.includes(EDIT_PUBLIC_FOLDERS)) throw FolderErrors.publicNotWritable();
      return { type: 2, owner: user.userId };
    }
    // Another module owns the parent: the folders service asked it before.
    if (foreign) return { type: foreign.type, owner: foreign.type === 1 ? foreign.owner : user.userId };
    await this.folders.lock(tx, parent, 'share');
    const above = await this.folders.seen(tx, user, parent);
    if (!above) throw FolderErrors.notFound(parent);
    if (!isVisible(above, user)) throw FolderErrors.notVisible(parent, user.userId);
    if (rightsOf(rightsIn(above, user)).folder < RANK.createSubfolders)
      throw FolderErrors.noSubfolderPermission(parent);
    return {
      type: above.type,
      owner: above.type === 1 ? above.createdBy : user.userId,
      permissions: above.permissions,
    };
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
  ): Promise<void> {
    if (folder.isDefault) throw FolderErrors.defaultNotMoved();
    if (folder.type === 1 && folder.createdBy !== user.userId) throw FolderErrors.sharedNotMoved();
    const target = await this.placeBelow(tx, user, parent, foreign);
    if (folder.type === 1 && target.type !== 1) throw FolderErrors.privateIntoPrivate();
    if (folder.type === 2 && target.type !== 2) throw FolderErrors.publicIntoPublic();
    if (target.type === 1 && target.owner !== folder.createdBy) throw FolderErrors.intoShared();
    const below = await this.folders.subtree(tx, folder.id);
    if (below.some(({ id }) => id === parent)) throw FolderErrors.belowItself();
  }

  private async cascade(
    tx: Transaction,
    user: FolderUser,
    folder: SeenFolder,
    permissions: readonly OwnedPermission[],
    stamp: number,
  ): Promise<void> {
    for (const child of await this.folders.subtree(tx, folder.id)) {
      if (child.id === folder.id || samePermissions(child.permissions, permissions)) continue;
      await this.folders.replacePermissions(tx, child.id, permissions);
      await this.folders.update(tx, child, user.userId, stamp);
      await tx.publish(this.rules.events.changed, { folderId: child.id });
    }
  }
}

function merged(
  before: Readonly<Record<string, unknown>> | null,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> | null {
  const next = Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null));
  return Object.keys(next).length > 0 ? next : null;
}
