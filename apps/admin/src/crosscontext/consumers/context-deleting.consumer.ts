import { identityEvents, shareEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { LiaisonRepository } from '../persistence/liaison.repository';
import { toNotice, ShareRepository } from '../persistence/share.repository';

const deleting = identityEvents['context.deleting'];

/** Deletes the shares of a removed context; the other side is notified as for every revoked share. */
@Consumes(deleting)
export class SharesContextDeletingConsumer implements Consumer<typeof deleting> {
  constructor(
    private readonly shares: ShareRepository,
    private readonly liaisons: LiaisonRepository,
  ) {}

  async handle(_message: EventMessage<PayloadOf<typeof deleting>>, tx: Transaction): Promise<void> {
    for (const share of await this.shares.listAll(tx)) {
      await this.shares.delete(tx, share.shareId);
      await tx.publish(shareEvents['share.removed'], toNotice(share));
    }
    for (const liaison of await this.liaisons.listAll(tx)) await this.liaisons.delete(tx, liaison.id);
  }
}
