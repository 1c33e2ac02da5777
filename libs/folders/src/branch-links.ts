import { Injectable } from '@nestjs/common';
import { FolderErrors, type BranchLink, type OwnedPermission } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import type { EntityFacts } from './domain/permission-list';
import { FolderModuleRules } from './folder-module';
import { isAdministrator, isVisible } from './folder-view';
import { FolderRepository } from './persistence/folder.repository';
import { FolderWriter } from './persistence/folder-writer.repository';
import type { FolderUser, SeenFolder } from './stored-folder';
import { Withdrawals } from './withdrawals';

/** Facts about links, and the stamp of the change. */
interface LinkFacts {
  readonly entities: EntityFacts;
  readonly stamp: number;
}

/**
 * Lets links of folders open the folders below, each of which then has an entry of the link's guest. New folders take it over with
 * the other rights of their parent; one that leaves the branch loses it.
 */
@Injectable()
export class BranchLinks {
  constructor(
    private readonly folders: FolderRepository,
    private readonly writer: FolderWriter,
    private readonly withdrawals: Withdrawals,
    private readonly rules: FolderModuleRules,
  ) {}

  /**
   * Lets a link of a folder open the folders below, as far as the user administrates them, or none of them. Answers those that he
   * sees and does not administrate. @throws FLD-0044 unless it is a link of the folder
   */
  async setBranch(
    tx: Transaction,
    user: FolderUser,
    folder: SeenFolder,
    { branchLink, entities, stamp }: LinkFacts & { readonly branchLink: BranchLink },
  ): Promise<number[]> {
    const { entity: guest, includesBelow } = branchLink;
    if (entities.links.get(guest) !== folder.id || !hasGuest(folder.permissions, guest))
      throw FolderErrors.unknownEntity(guest);
    if (!includesBelow) {
      await this.endOn(tx, user, [guest], stamp, (id) => id !== folder.id);
      return [];
    }
    const below = await this.folders.listShareable(tx, folder.id);
    const closed = (await this.folders.listVisibleByIds(tx, user, below)).filter(
      (child) => child.id !== folder.id && !hasGuest(child.permissions, guest),
    );
    const ids = closed.filter((child) => isAdministrator(child, user)).map(({ id }) => id);
    if (ids.length > 0) {
      await this.writer.addViewer(tx, ids, guest);
      await this.noteChanges(tx, user, ids, stamp);
    }
    return closed.filter((child) => isVisible(child, user) && !isAdministrator(child, user)).map(({ id }) => id);
  }

  /** Ends links of a folder everywhere once its list has them no more. */
  async endDropped(
    tx: Transaction,
    user: FolderUser,
    folder: SeenFolder,
    { list, entities, stamp }: LinkFacts & { readonly list: readonly OwnedPermission[] },
  ): Promise<void> {
    const dropped = folder.permissions.flatMap(({ entity, group }) =>
      !group && entities.links.get(entity) === folder.id && !hasGuest(list, entity) ? [entity] : [],
    );
    if (dropped.length > 0) await this.endOn(tx, user, dropped, stamp, (id) => id !== folder.id);
  }

  /** Takes from a folder that moved, and those below, the entries of links to folders that it is no longer below. */
  async endInherited(
    tx: Transaction,
    user: FolderUser,
    id: number,
    { links }: EntityFacts,
    stamp: number,
  ): Promise<void> {
    if (links.size === 0) return;
    const below = new Set((await this.folders.listSubtrees(tx, [id])).map((child) => child.id));
    const around = new Set([...below, ...(await this.folders.listPathIds(tx, id))]);
    const lost = [...links].flatMap(([guest, target]) => (target === undefined || around.has(target) ? [] : [guest]));
    await this.endOn(tx, user, lost, stamp, (folder) => below.has(folder));
  }

  /** Takes the entries of guests from the folders that are meant. */
  private async endOn(
    tx: Transaction,
    user: FolderUser,
    guests: readonly number[],
    stamp: number,
    isMeant: (folder: number) => boolean,
  ): Promise<void> {
    const granted = await this.folders.listGranted(tx, guests);
    const changed = [...new Set(granted.map(({ folder }) => folder))].filter(isMeant);
    if (changed.length === 0) return;
    await this.writer.removeGuests(tx, changed, guests, stamp);
    await this.noteChanges(tx, user, changed, stamp);
    await this.withdrawals.publishWithdrawals(
      tx,
      guests.map((entity) => ({ entity, group: false, bits: 0 })),
      stamp,
    );
  }

  private async noteChanges(tx: Transaction, user: FolderUser, ids: readonly number[], stamp: number): Promise<void> {
    await this.rules.permissionsChanged(tx, ids);
    await this.writer.updateStamps(tx, ids, user.userId, stamp);
    for (const folderId of ids) await tx.publish(this.rules.events['folder.changed'], { folderId });
  }
}

const hasGuest = (list: readonly OwnedPermission[], guest: number): boolean =>
  list.some(({ entity, group }) => !group && entity === guest);
