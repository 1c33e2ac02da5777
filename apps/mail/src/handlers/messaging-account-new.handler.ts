import { messagingAccounts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MessagingAccountBook } from '../messaging/messaging-account-book';

/** `messaging/account?action=new`: stores an account. */
@Handles(messagingAccounts.new)
export class MessagingAccountNewHandler implements Handler<typeof messagingAccounts.new> {
  constructor(private readonly accounts: MessagingAccountBook) {}

  handle({ principal, body }: CallOf<typeof messagingAccounts.new>) {
    return this.accounts.createAccount(principal, body);
  }
}
