import { messagingMessages, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FeedMessages } from '../messaging/feed-messages';

/** `messaging/message?action=get`: reads a message. */
@Handles(messagingMessages.get)
export class MessagingMessageGetHandler implements Handler<typeof messagingMessages.get> {
  constructor(private readonly messages: FeedMessages) {}

  handle({ principal, query }: CallOf<typeof messagingMessages.get>) {
    return this.messages.getMessage(principal, query.folder, query.id);
  }
}
