import { shareEvents, shares, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { LiaisonRepository } from '../persistence/liaison.repository';
import { toNotice, ShareRepository } from '../persistence/share.repository';

/** Forgets a share on both sides, for the module that took the rights away. */
@Handles(shares.revoke)
export class RevokeHandler implements Handler<typeof shares.revoke> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly shares: ShareRepository,
    private readonly liaisons: LiaisonRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof shares.revoke>) {
    const share = await this.database.transact(principal, async (tx) => {
      const row = await this.shares.findByKey(tx, query);
      if (!row) return undefined;
      await this.shares.delete(tx, row.shareId);
      await tx.publish(shareEvents['share.removed'], toNotice(row));
      return row;
    });
    if (!share) return false;
    await this.database.transact({ contextId: share.granteeContext }, (tx) =>
      this.liaisons.deleteShare(tx, share.contextId, share.shareId),
    );
    return true;
  }
}
