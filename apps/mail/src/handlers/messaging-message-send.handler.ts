import { messagingMessages, MessagingErrors, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseMessagingFolder } from '../domain/messaging-service';
import { MessagingAccountBook } from '../messaging/messaging-account-book';

/** `messaging/message?action=send`: sends a message. No service sends any: mails are sent by the module mail. */
@Handles(messagingMessages.send)
export class MessagingMessageSendHandler implements Handler<typeof messagingMessages.send> {
  constructor(private readonly accounts: MessagingAccountBook) {}

  async handle({ principal, body }: CallOf<typeof messagingMessages.send>): Promise<number> {
    if (!body.folder) throw MessagingErrors.missingParameter('folder');
    const { service, account } = parseMessagingFolder(body.folder);
    await this.accounts.getAccount(principal, service.id, account);
    throw MessagingErrors.notSupported(service.id);
  }
}
