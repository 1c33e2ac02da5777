import { messagingMessages, MessagingErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseMessagingFolder } from '../domain/messaging-service';
import { MessagingAccountBook } from '../messaging/messaging-account-book';

/** `messaging/message?action=perform`: performs an action of a service. No service has one. */
@Handles(messagingMessages.perform)
export class MessagingMessagePerformHandler implements Handler<typeof messagingMessages.perform> {
  constructor(private readonly accounts: MessagingAccountBook) {}

  async handle({ principal, query, body }: CallOf<typeof messagingMessages.perform>): Promise<number> {
    const folder = query.folder ?? body?.folder;
    if (folder !== undefined) {
      const { service, account } = parseMessagingFolder(folder);
      await this.accounts.getAccount(principal, service.id, account);
    }
    throw MessagingErrors.unknownAction(query.messageAction);
  }
}
