import { messagingMessages, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FeedMessages, requireColumns, sortMessages, toRow } from '../messaging/feed-messages';

/** `messaging/message?action=all`: lists the messages of a folder. */
@Handles(messagingMessages.all)
export class MessagingMessageAllHandler implements Handler<typeof messagingMessages.all> {
  constructor(private readonly messages: FeedMessages) {}

  async handle({ principal, query }: CallOf<typeof messagingMessages.all>) {
    const columns = requireColumns(query.columns);
    const found = await this.messages.listMessages(principal, query.folder);
    return sortMessages(found, query.sort, query.order).map((message) => toRow(message, columns));
  }
}
