import { identityEvents, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { MailRepository } from '../persistence/mail.repository';

const deleting = identityEvents['context.deleting'];

/** Mails go with their context. */
@Consumes(deleting)
export class ContextDeletingConsumer implements Consumer<typeof deleting> {
  constructor(private readonly mails: MailRepository) {}

  async handle(_message: EventMessage, tx: Transaction): Promise<void> {
    await this.mails.removeContext(tx);
  }
}
