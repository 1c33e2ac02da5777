import { shareEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { LiaisonRepository } from '../persistence/liaison.repository';

const removed = shareEvents['share.removed'];

/** Makes sure that the other side of a share forgets it. */
@Consumes(removed)
export class ShareRemovedConsumer implements Consumer<typeof removed> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly liaisons: LiaisonRepository,
  ) {}

  async handle({ contextId, payload }: EventMessage<PayloadOf<typeof removed>>): Promise<void> {
    await this.database.transact({ contextId: payload.granteeContext }, (tx) =>
      this.liaisons.deleteShare(tx, contextId, payload.shareId),
    );
  }
}
