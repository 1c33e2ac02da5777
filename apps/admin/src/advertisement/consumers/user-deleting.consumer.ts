import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AdvertisementRepository } from '../persistence/advertisement.repository';

const deleting = identityEvents['user.deleting'];

/** Drops the preview of a user who goes. */
@Consumes(deleting)
export class AdvertisementUserDeletingConsumer implements Consumer<typeof deleting> {
  constructor(private readonly rows: AdvertisementRepository) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof deleting>>, tx: Transaction): Promise<void> {
    await this.rows.deletePreview(tx, payload.userId);
  }
}
