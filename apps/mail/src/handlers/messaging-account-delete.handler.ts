import { messagingAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MessagingAccountBook } from '../messaging/messaging-account-book';

/** `messaging/account?action=delete`: deletes an account. */
@Handles(messagingAccounts.delete)
export class MessagingAccountDeleteHandler implements Handler<typeof messagingAccounts.delete> {
  constructor(private readonly accounts: MessagingAccountBook) {}

  async handle({ principal, query }: CallOf<typeof messagingAccounts.delete>) {
    await this.accounts.deleteAccount(principal, query.messagingService, query.id);
    return 1;
  }
}
