import { shareEvents, shares, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { LiaisonWriter } from '../liaison-writer';
import { toNotice, ShareRepository } from '../persistence/share.repository';

/** Notes a share on both sides. The consumer of the event repeats the other side, in case this is interrupted. */
@Handles(shares.grant)
export class GrantHandler implements Handler<typeof shares.grant> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly shares: ShareRepository,
    private readonly liaisons: LiaisonWriter,
    private readonly clock: Clock,
  ) {}

  async handle({ principal, query }: CallOf<typeof shares.grant>) {
    const shareId = await this.database.transact(principal, async (tx) => {
      const row = await this.shares.upsert(tx, query, this.clock.now());
      await tx.publish(shareEvents['share.granted'], toNotice(row));
      return row.shareId;
    });
    await this.database.transact(principal, (tx) => this.liaisons.writeLiaison(tx, shareId));
    return shareId;
  }
}
