import { shareEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { LiaisonWriter } from '../liaison-writer';

const granted = shareEvents['share.granted'];

/** Makes sure that the other side of a share knows of it, unless it is gone meanwhile. */
@Consumes(granted)
export class ShareGrantedConsumer implements Consumer<typeof granted> {
  constructor(private readonly liaisons: LiaisonWriter) {}

  handle({ payload }: EventMessage<PayloadOf<typeof granted>>, tx: Transaction): Promise<void> {
    return this.liaisons.writeLiaison(tx, payload.shareId);
  }
}
