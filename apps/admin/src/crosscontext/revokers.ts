import { Injectable } from '@nestjs/common';
import {
  moduleOfFolder,
  ownerOfFolder,
  sharedDocuments,
  shareEvents,
  SHARE_KINDS,
  type ShareKey,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { LiaisonRepository, type LiaisonRow } from './persistence/liaison.repository';
import { toNotice, ShareRepository, type ShareRow } from './persistence/share.repository';

/** Revokes a liaison of one type; answers false when it was revoked concurrently. */
export type Revoker = (liaison: LiaisonRow) => Promise<boolean>;

/** Revokers by type of liaison. Types without one are left alone. */
@Injectable()
export class Revokers {
  private readonly byType: ReadonlyMap<string, Revoker> = new Map(
    SHARE_KINDS.map((kind) => [kind, (liaison: LiaisonRow) => this.revokeLiaison(liaison)]),
  );

  constructor(
    private readonly caller: Caller,
    private readonly database: ModuleDatabase,
    private readonly shares: ShareRepository,
    private readonly liaisons: LiaisonRepository,
  ) {}

  /** Finds the revoker of a type. */
  findRevoker(type: string): Revoker | undefined {
    return this.byType.get(type);
  }

  /**
   * Revokes a share: first the module removes the permissions, then both sides delete it. Each step is idempotent, so
   * an interrupted one is completed by the next retry, or by the consumer of the event.
   */
  async revokeShare(share: ShareRow): Promise<boolean> {
    const retract = findRetraction(share);
    const isRetracted =
      retract !== undefined &&
      (await this.caller.call(retract, {
        principal: { kind: 'internal', service: 'admin', contextId: share.contextId },
        query: toShareKey(share),
      }));
    const removed = await this.database.transact(share, async (tx) => {
      const found = await this.shares.delete(tx, share.shareId);
      if (found) await tx.publish(shareEvents['share.removed'], toNotice(share));
      return found;
    });
    await this.database.transact({ contextId: share.granteeContext }, (tx) =>
      this.liaisons.deleteShare(tx, share.contextId, share.shareId),
    );
    // The event of the module may have removed the share before.
    return removed || isRetracted;
  }

  private async revokeLiaison(liaison: LiaisonRow): Promise<boolean> {
    const share = await this.database.read({ contextId: liaison.from }, (db) =>
      this.shares.findById(db, liaison.reference),
    );
    if (share) return this.revokeShare(share);
    // The owner's side is gone already: only the trace of it is left.
    await this.database.transact(liaison, (tx) => this.liaisons.delete(tx, liaison.id));
    return false;
  }
}

/** The operation that takes the rights of a share away; undefined where its module keeps none. */
function findRetraction({ kind, module, folder: key }: ShareRow) {
  if (kind === 'object' && module === 'infostore') return sharedDocuments.retract;
  const folder = Number(key);
  return moduleOfFolder(folder) === module ? ownerOfFolder(folder)?.retract : undefined;
}

const toShareKey = (share: ShareRow): ShareKey => ({
  owner: share.owner,
  module: share.module,
  kind: share.kind,
  ...(share.folder === null ? {} : { folder: share.folder }),
  ...(share.item === null ? {} : { item: share.item }),
  granteeContext: share.granteeContext,
  entity: share.entity,
  group: share.group,
});
