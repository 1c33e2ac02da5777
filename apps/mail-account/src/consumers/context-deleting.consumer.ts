import { identityEvents, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AccountRepository } from '../persistence/account.repository';
import { CertificateRepository } from '../persistence/certificate.repository';

const deleting = identityEvents['context.deleting'];

/** Removes the mail accounts of a context that goes. */
@Consumes(deleting)
export class ContextDeletingConsumer implements Consumer<typeof deleting> {
  constructor(
    private readonly repository: AccountRepository,
    private readonly certificates: CertificateRepository,
  ) {}

  async handle(_message: EventMessage, tx: Transaction): Promise<void> {
    await this.repository.removeContext(tx);
    await this.certificates.removeContext(tx);
  }
}
