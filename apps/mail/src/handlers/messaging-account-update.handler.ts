import { messagingAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MessagingAccountBook } from '../messaging/messaging-account-book';

/** `messaging/account?action=update`: changes an account. */
@Handles(messagingAccounts.update)
export class MessagingAccountUpdateHandler implements Handler<typeof messagingAccounts.update> {
  constructor(private readonly accounts: MessagingAccountBook) {}

  async handle({ principal, body }: CallOf<typeof messagingAccounts.update>) {
    await this.accounts.updateAccount(principal, body);
    return 1;
  }
}
