import { identityEvents, mailAccountEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AccountRepository } from '../persistence/account.repository';
import { CertificateRepository } from '../persistence/certificate.repository';

const deleting = identityEvents['user.deleting'];

/** Deletes the mail accounts of a removed user. */
@Consumes(deleting)
export class UserDeletingConsumer implements Consumer<typeof deleting> {
  constructor(
    private readonly repository: AccountRepository,
    private readonly certificates: CertificateRepository,
  ) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof deleting>>, tx: Transaction): Promise<void> {
    const { userId } = payload;
    await this.certificates.delete(tx, userId);
    for (const id of await this.repository.deleteByUser(tx, userId))
      await tx.publish(mailAccountEvents['account.deleted'], { userId, id });
  }
}
