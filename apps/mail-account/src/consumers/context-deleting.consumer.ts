import { identityEvents, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AccountRepository } from '../persistence/account.repository';
import { CertificateRepository } from '../persistence/certificate.repository';

const deleting = identityEvents['context.deleting'];

/** Deletes the mail accounts of a removed context. */
@Consumes(deleting)
export class ContextDeletingConsumer implements Consumer<typeof deleting> {
  constructor(
    private readonly repository: AccountRepository,
    private readonly certificates: CertificateRepository,
  ) {}

  async handle(_message: EventMessage, tx: Transaction): Promise<void> {
    await this.repository.deleteByContext(tx);
    await this.certificates.deleteByContext(tx);
  }
}
