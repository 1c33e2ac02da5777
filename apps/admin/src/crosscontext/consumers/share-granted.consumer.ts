import { shareEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { LiaisonRepository } from '../persistence/liaison.repository';
import { ShareRepository } from '../persistence/share.repository';

const granted = shareEvents['share.granted'];

/** Makes sure that the other side of a share knows of it, unless it is gone meanwhile. */
@Consumes(granted)
export class ShareGrantedConsumer implements Consumer<typeof granted> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly shares: ShareRepository,
    private readonly liaisons: LiaisonRepository,
  ) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof granted>>, tx: Transaction): Promise<void> {
    const share = await this.shares.findById(tx, payload.shareId);
    if (!share) return;
    await this.database.transact({ contextId: share.granteeContext }, (other) =>
      this.liaisons.upsertShare(other, share),
    );
  }
}
