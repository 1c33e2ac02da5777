import { shareEvents, shares, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { LiaisonRepository } from '../persistence/liaison.repository';
import { noticeOf, ShareRepository } from '../persistence/share.repository';

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
      const row = await this.shares.byKey(tx, query);
      if (!row) return undefined;
      await this.shares.remove(tx, row.shareId);
      await tx.publish(shareEvents['share.removed'], noticeOf(row));
      return row;
    });
    if (!share) return false;
    await this.database.transact({ contextId: share.granteeContext }, (tx) =>
      this.liaisons.removeShare(tx, share.contextId, share.shareId),
    );
    return true;
  }
}
