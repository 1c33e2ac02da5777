import { Injectable } from '@nestjs/common';
import { shareEvents, shareOwnerOf, SHARE_KINDS, type ShareKey } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { LiaisonRepository, type LiaisonRow } from './persistence/liaison.repository';
import { noticeOf, ShareRepository, type ShareRow } from './persistence/share.repository';

/** Takes back what a type of liaison stands for. Answers false when somebody was faster. */
export type Retractor = (liaison: LiaisonRow) => Promise<boolean>;

/** Who can take what back, by type of liaison. Types without anybody are left alone. */
@Injectable()
export class Retractors {
  private readonly byType: ReadonlyMap<string, Retractor> = new Map(
    SHARE_KINDS.map((kind) => [kind, (liaison: LiaisonRow) => this.retractLiaison(liaison)]),
  );

  constructor(
    private readonly caller: Caller,
    private readonly database: ModuleDatabase,
    private readonly shares: ShareRepository,
    private readonly liaisons: LiaisonRepository,
  ) {}

  /** The retractor of a type, or undefined. */
  of(type: string): Retractor | undefined {
    return this.byType.get(type);
  }

  /**
   * Takes a share back: first the module takes the rights away, then both sides forget it. Each step may be repeated, so what
   * was interrupted is finished by the next try, or by the consumer of the event.
   */
  async retractShare(share: ShareRow): Promise<boolean> {
    const owner = shareOwnerOf(share.module);
    if (owner)
      await this.caller.call(owner.retract, {
        principal: { kind: 'internal', service: 'admin', contextId: share.contextId },
        query: keyOf(share),
      });
    const removed = await this.database.transact(share, async (tx) => {
      const found = await this.shares.remove(tx, share.shareId);
      if (found) await tx.publish(shareEvents['share.removed'], noticeOf(share));
      return found;
    });
    await this.database.transact({ contextId: share.granteeContext }, (tx) =>
      this.liaisons.removeShare(tx, share.contextId, share.shareId),
    );
    return removed;
  }

  private async retractLiaison(liaison: LiaisonRow): Promise<boolean> {
    const share = await this.database.read({ contextId: liaison.from }, (db) =>
      this.shares.byId(db, liaison.reference),
    );
    if (share) return this.retractShare(share);
    // The owner's side is gone already: only the trace of it is left.
    await this.database.transact(liaison, (tx) => this.liaisons.remove(tx, liaison.id));
    return false;
  }
}

const keyOf = (share: ShareRow): ShareKey => ({
  owner: share.owner,
  module: share.module,
  kind: share.kind,
  ...(share.folder === null ? {} : { folder: share.folder }),
  ...(share.item === null ? {} : { item: share.item }),
  granteeContext: share.granteeContext,
  entity: share.entity,
  group: share.group,
});
