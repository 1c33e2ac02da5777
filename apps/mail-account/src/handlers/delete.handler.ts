import { mailAccount, mailAccountEvents, MailAccountErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { requireSeveralAccounts } from '../accounts/accounts';
import { isUnified, PRIMARY_ID } from '../domain/stored-account';
import { AccountRepository } from '../persistence/account.repository';

/** `delete`: removes accounts; unknown ids are skipped. Nothing is removed when one of them has to stay. */
@Handles(mailAccount.delete)
export class DeleteHandler implements Handler<typeof mailAccount.delete> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly repository: AccountRepository,
  ) {}

  async handle({ principal, body }: CallOf<typeof mailAccount.delete>) {
    const { userId, contextId } = principal;
    if (body.includes(PRIMARY_ID)) throw MailAccountErrors.primaryNotDeletable(userId, contextId);
    if (body.length > 0) requireSeveralAccounts(principal);
    return this.database.transact(principal, async (tx) => {
      const own = await this.repository.listByUser(tx, userId);
      if (own.some((account) => isUnified(account) && body.includes(account.id)))
        throw MailAccountErrors.primaryNotDeletable(userId, contextId);
      // Other values in the body are unknown ids.
      const known = own.map(({ id }) => id).filter((id) => body.includes(id));
      const removed = new Set(await this.repository.delete(tx, userId, known));
      for (const id of removed) await tx.publish(mailAccountEvents['account.deleted'], { userId, id });
      return [...new Set(body)].filter((id) => removed.has(id));
    });
  }
}
