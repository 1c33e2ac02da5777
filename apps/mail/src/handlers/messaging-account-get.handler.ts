import { messagingAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MessagingAccountBook } from '../messaging/messaging-account-book';

/** `messaging/account?action=get`: reads an account. */
@Handles(messagingAccounts.get)
export class MessagingAccountGetHandler implements Handler<typeof messagingAccounts.get> {
  constructor(private readonly accounts: MessagingAccountBook) {}

  handle({ principal, query }: CallOf<typeof messagingAccounts.get>) {
    return this.accounts.getAccount(principal, query.messagingService, query.id);
  }
}
