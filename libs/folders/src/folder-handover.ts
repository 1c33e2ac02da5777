import { Injectable } from '@nestjs/common';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { isPersonal, RANK, parseRights } from './domain/rights';
import { withoutLimits } from './domain/ranked-folder';
import { FolderModuleRules, type Handover } from './folder-module';
import { FolderRepository } from './persistence/folder.repository';
import type { StoredFolder } from './stored-folder';
import { HandoverRepository } from './persistence/handover.repository';
import { TrashRepository } from './persistence/trash.repository';
import { Withdrawals } from './withdrawals';
import { FolderWriter } from './persistence/folder-writer.repository';

/** Hands over folders of removed users, and updates the visibility of groups whose members change. */
@Injectable()
export class FolderHandover {
  constructor(
    private readonly folders: FolderRepository,
    private readonly writer: FolderWriter,
    private readonly handovers: HandoverRepository,
    private readonly rules: FolderModuleRules,
    private readonly withdrawals: Withdrawals,
    private readonly trash: TrashRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * A user leaves: what he shared with others, single objects included, and his public folders go to the heir, everything else of
   * his goes, and so do his rights. Without heir all of it goes. Safe to repeat.
   */
  async handOverUser(tx: Transaction, handover: Handover): Promise<void> {
    const { userId, heir } = handover;
    const { stamp } = await this.writer.nextStamp(tx, this.clock.now(), 0);
    const owned = await this.handovers.listByOwner(tx, userId);
    const trashed = this.rules.hasTrash ? await this.trash.listTrashes(tx, userId) : new Set<number>();
    const stays = (folder: StoredFolder): boolean =>
      (folder.type === 2 && !isPersonal(folder)) || (isShared(folder) && !trashed.has(folder.id));
    const leaving = heir ? owned.filter((folder) => !stays(folder)) : owned;
    const open = leaving.filter(({ id }) => !trashed.has(id));
    const needed = heir && open.length > 0 ? await this.rules.keepShared(tx, open, handover) : new Set<number>();
    const gone = leaving.filter(({ id }) => !needed.has(id));
    const left = new Set(gone.map(({ id }) => id));
    const kept = owned.filter(({ id }) => !left.has(id));
    const ids = kept.map(({ id }) => id);
    if (gone.length > 0) {
      await this.rules.removeObjects(tx, gone.map(withoutLimits), { userId });
      for (const { id } of gone) await tx.publish(this.rules.events['folder.deleted'], { folderId: id });
    }
    await this.rules.handOver(tx, kept, handover);
    await this.moveChildren(tx, gone, handover, stamp);
    await this.writer.delete(
      tx,
      gone.map(({ id }) => id),
      stamp,
    );
    await this.withdrawals.publishWithdrawals(
      tx,
      gone.flatMap(({ permissions }) => permissions),
      stamp,
    );
    if (heir && kept.length > 0) {
      await this.writer.insertLosses(tx, ids, stamp);
      const placed = this.rules.hasPersonalFolders ? await this.folders.listByIds(tx, ids) : kept;
      for (const folder of await this.handovers.assignFreeTitles(tx, placed, heir.userId))
        await this.handovers.updateOwner(tx, folder, heir.userId, stamp);
      for (const folderId of ids) await tx.publish(this.rules.events['folder.changed'], { folderId });
    }
    for (const folderId of await this.handovers.deleteRights(tx, userId, heir?.userId, stamp))
      await tx.publish(this.rules.events['folder.changed'], { folderId });
  }

  /** Folders below those that go: to the top of their kind, personal ones into the default folder of whom they belong to. */
  private async moveChildren(
    tx: Transaction,
    gone: readonly StoredFolder[],
    { userId, heir }: Handover,
    stamp: number,
  ): Promise<void> {
    const ids = gone.map(({ id }) => id);
    if (!this.rules.hasPersonalFolders) return this.handovers.moveChildrenToRoot(tx, ids, stamp);
    const topOf = async (folder: StoredFolder): Promise<number> => {
      const owner = folder.createdBy === userId && heir ? heir.userId : folder.createdBy;
      const home = isPersonal(folder) ? await this.folders.findDefault(tx, owner) : undefined;
      return home ?? this.rules.defaultPlace.parent;
    };
    return this.handovers.moveChildrenToRoot(tx, ids, stamp, topOf);
  }

  /** Members of a group changed, or the group is gone: those concerned find out by `updates`. */
  async updateGroup(tx: Transaction, groupId: number, exists: boolean): Promise<void> {
    const { stamp } = await this.writer.nextStamp(tx, this.clock.now(), 0);
    await this.handovers.recordGroupChange(tx, groupId, stamp);
    // New members must receive the whole content of these folders, however old.
    const folders = await this.handovers.listIdsByGroup(tx, groupId);
    if (folders.length > 0) await this.rules.permissionsChanged(tx, folders);
    await this.rules.groupChanged(tx, groupId);
    if (!exists) await this.handovers.deleteGroup(tx, groupId);
  }
}

const isShared = ({ permissions, createdBy }: StoredFolder): boolean =>
  permissions.some(
    ({ entity, group, bits }) => (group || entity !== createdBy) && parseRights(bits).folder > RANK.none,
  );
