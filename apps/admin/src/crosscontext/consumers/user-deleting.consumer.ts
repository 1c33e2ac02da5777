import { identityEvents, shareEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { LiaisonRepository } from '../persistence/liaison.repository';
import { noticeOf, ShareRepository } from '../persistence/share.repository';

const deleting = identityEvents['user.deleting'];

/** What a user that goes shared goes, too; others hear of it as of every share that is taken back. */
@Consumes(deleting)
export class SharesUserDeletingConsumer implements Consumer<typeof deleting> {
  constructor(
    private readonly shares: ShareRepository,
    private readonly liaisons: LiaisonRepository,
  ) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof deleting>>, tx: Transaction): Promise<void> {
    for (const share of await this.shares.all(tx, payload.userId)) {
      await this.shares.remove(tx, share.shareId);
      await tx.publish(shareEvents['share.removed'], noticeOf(share));
    }
    for (const liaison of await this.liaisons.all(tx, payload.userId)) await this.liaisons.remove(tx, liaison.id);
  }
}
