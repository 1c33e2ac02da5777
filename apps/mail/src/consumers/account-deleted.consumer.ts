import { mailAccountEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { CollectedMailRepository } from '../collection/collected-mail.repository';

const deleted = mailAccountEvents['account.deleted'];

/** What was collected of a mail account is forgotten with it; the mails stay. */
@Consumes(deleted)
export class AccountDeletedConsumer implements Consumer<typeof deleted> {
  constructor(private readonly collected: CollectedMailRepository) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof deleted>>, tx: Transaction): Promise<void> {
    await this.collected.deleteOfAccount(tx, payload.userId, payload.id);
  }
}
