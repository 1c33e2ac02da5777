import { Injectable } from '@nestjs/common';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { RANK, rightsOf } from './domain/rights';
import { FolderModuleRules, type Handover } from './folder-module';
import { FolderRepository } from './persistence/folder.repository';
import type { StoredFolder } from './stored-folder';
import { HandoverRepository } from './persistence/handover.repository';
import { Withdrawals } from './withdrawals';
import { FolderWriter } from './persistence/folder-writer.repository';

/** What happens to the folders of users who leave, and to what groups see when their members change. */
@Injectable()
export class FolderHandover {
  constructor(
    private readonly folders: FolderRepository,
    private readonly writer: FolderWriter,
    private readonly handovers: HandoverRepository,
    private readonly rules: FolderModuleRules,
    private readonly withdrawals: Withdrawals,
    private readonly clock: Clock,
  ) {}

  /**
   * A user leaves: what he shared with others and his public folders go to the heir, everything else of his goes, and so
   * do his rights. Without heir all of it goes. Safe to repeat.
   */
  async userLeaves(tx: Transaction, handover: Handover): Promise<void> {
    const { userId, heir } = handover;
    const { stamp } = await this.writer.nextStamp(tx, this.clock.now(), 0);
    const owned = await this.handovers.ownedBy(tx, userId);
    const kept = heir ? owned.filter((folder) => folder.type === 2 || isShared(folder)) : [];
    const gone = owned.filter((folder) => !kept.includes(folder));
    const ids = kept.map(({ id }) => id);
    if (gone.length > 0) {
      await this.rules.removeObjects(tx, gone, userId);
      for (const { id } of gone) await tx.publish(this.rules.events.deleted, { folderId: id });
    }
    await this.rules.handOver(tx, kept, handover);
    await this.handovers.raiseBelow(
      tx,
      gone.map(({ id }) => id),
      stamp,
    );
    await this.writer.remove(
      tx,
      gone.map(({ id }) => id),
      stamp,
    );
    await this.withdrawals.note(
      tx,
      gone.flatMap(({ permissions }) => permissions),
      stamp,
    );
    if (heir && kept.length > 0) {
      await this.writer.noteLoss(tx, ids, stamp);
      for (const folder of await this.handovers.freeTitles(tx, kept, heir.userId))
        await this.handovers.giveTo(tx, folder, heir.userId, stamp);
      for (const folderId of ids) await tx.publish(this.rules.events.changed, { folderId });
    }
    for (const folderId of await this.handovers.dropRights(tx, userId, heir?.userId, stamp))
      await tx.publish(this.rules.events.changed, { folderId });
  }

  /** Members of a group changed, or the group is gone: those concerned find out by `updates`. */
  async groupChanged(tx: Transaction, groupId: number, exists: boolean): Promise<void> {
    const { stamp } = await this.writer.nextStamp(tx, this.clock.now(), 0);
    await this.handovers.groupChanged(tx, groupId, stamp);
    // Whoever joined is told all that is in these folders, however old it is.
    const folders = await this.handovers.foldersOf(tx, groupId);
    if (folders.length > 0) await this.rules.permissionsChanged(tx, folders);
    if (!exists) await this.handovers.dropGroup(tx, groupId);
  }
}

const isShared = ({ permissions, createdBy }: StoredFolder): boolean =>
  permissions.some(({ entity, group, bits }) => (group || entity !== createdBy) && rightsOf(bits).folder > RANK.none);
