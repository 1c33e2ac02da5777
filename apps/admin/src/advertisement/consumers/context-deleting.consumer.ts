import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AdvertisementRepository } from '../persistence/advertisement.repository';

const deleting = identityEvents['context.deleting'];

/** Drops the previews of a context that goes. */
@Consumes(deleting)
export class AdvertisementContextDeletingConsumer implements Consumer<typeof deleting> {
  constructor(private readonly rows: AdvertisementRepository) {}

  async handle(_message: EventMessage<PayloadOf<typeof deleting>>, tx: Transaction): Promise<void> {
    await this.rows.deletePreviews(tx);
  }
}
