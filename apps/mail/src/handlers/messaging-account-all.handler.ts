import { messagingAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MessagingAccountBook } from '../messaging/messaging-account-book';

/** `messaging/account?action=all`: lists the accounts of the user. */
@Handles(messagingAccounts.all)
export class MessagingAccountAllHandler implements Handler<typeof messagingAccounts.all> {
  constructor(private readonly accounts: MessagingAccountBook) {}

  handle({ principal, query }: CallOf<typeof messagingAccounts.all>) {
    return this.accounts.listAccounts(principal, query.messagingService);
  }
}
