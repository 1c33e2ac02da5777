import {
  MAX_LISTED_MESSAGES,
  messagingMessages,
  RequestErrors,
  type CallOf,
  type Handler,
  type MessagingMessage,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { FeedMessages, requireColumns, toRow } from '../messaging/feed-messages';

/** Most folders that one list may name: each of them is fetched. */
const MAX_FOLDERS = 20;

/** `messaging/message?action=list`: lists messages by folder and id. */
@Handles(messagingMessages.list)
export class MessagingMessageListHandler implements Handler<typeof messagingMessages.list> {
  constructor(private readonly messages: FeedMessages) {}

  async handle({ principal, query, body }: CallOf<typeof messagingMessages.list>) {
    const columns = requireColumns(query.columns);
    const places = parsePlaces(body);
    const folders = [...new Set(places.map(([folder]) => folder))];
    if (folders.length > MAX_FOLDERS) throw RequestErrors.badBodyData(`more than ${MAX_FOLDERS} folders`);
    const known = new Map<string, MessagingMessage>();
    for (const folder of folders)
      for (const message of await this.messages.listMessages(principal, folder))
        known.set(JSON.stringify([folder, message.id]), message);
    return places.flatMap((place) => {
      const message = known.get(JSON.stringify(place));
      return message ? [toRow(message, columns)] : [];
    });
  }
}

/** @throws SVL-0031 for anything but a list of pairs of texts */
function parsePlaces(body: unknown): [folder: string, id: string][] {
  if (!Array.isArray(body) || body.length > MAX_LISTED_MESSAGES)
    throw RequestErrors.badBodyData(`no list of at most ${MAX_LISTED_MESSAGES} messages`);
  return body.map((place: unknown) => {
    const [folder, id] = Array.isArray(place) ? (place as unknown[]) : [];
    if (typeof folder !== 'string' || typeof id !== 'string') throw RequestErrors.badBodyData('[[folder, id], …]');
    return [folder.slice(0, 512), id];
  });
}
