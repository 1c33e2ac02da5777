import {
  CalendarErrors,
  chronos,
  MAX_UPDATES,
  reply,
  findFeedFolder,
  toEventFolderId,
  toFeedFolderId,
  type CallOf,
  type EventUpdates,
  type Handler,
  type JsonText,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, pauseAfterTurn, Properties, TextPieces } from '@groupware/service-kit';
import { EventFolders } from '../events/event-folders';
import { parseEventOrder } from '../events/event-order';
import { parseEventRange } from '../events/event-range';
import { EventReader } from '../events/event-reader';
import { BirthdayCalendars } from '../feeds/birthday-calendars';
import { parseEventFolder } from '../folders/folder-access';
import { EventRepository, type GoneEvent } from '../persistence/event.repository';

/** `chronos?action=updates`: what changed since a timestamp, in a folder or in everything the user takes part in. */
@Handles(chronos.updates)
export class ChronosUpdatesHandler implements Handler<typeof chronos.updates> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: EventFolders,
    private readonly events: EventRepository,
    private readonly reader: EventReader,
    private readonly properties: Properties,
    private readonly birthdays: BirthdayCalendars,
  ) {}

  async handle({ principal, query }: CallOf<typeof chronos.updates>) {
    const limit = await this.properties.get(MAX_UPDATES, { contextId: principal.contextId });
    const request = { ...(await this.reader.prepare(principal, query)), limit };
    const range = parseEventRange(query, request.zone);
    const order = parseEventOrder(query);
    const since = Math.min(Math.max(query.timestamp, 0), Number.MAX_SAFE_INTEGER);
    const feed = query.folder === undefined ? undefined : findFeedFolder(query.folder);
    const folderId = query.folder === undefined ? undefined : (feed ?? parseEventFolder(query.folder));
    if (feed !== undefined) await this.birthdays.refreshFolders(principal, [feed]);
    const { state, found, gone } = await this.database.read(principal, async (db) => {
      // First: what has a higher stamp than this may be told twice, but never not at all.
      const state = await this.events.getState(db, folderId);
      const asked = { range, maxRows: limit + 1, since };
      if (feed !== undefined) {
        const found = await this.folders.listFeedEvents(db, principal, feed, asked);
        return { state, found, gone: await this.events.listGoneFromFeed(db, feed, asked) };
      }
      const question = await this.folders.resolveQuestion(db, principal, query.folder, asked);
      const found = await this.events.listEvents(db, principal, question);
      const deletions = { ...question, shape: { ...question.shape, times: 'any' as const } };
      return { state, found, gone: await this.events.listGone(db, principal, deletions) };
    });
    if (gone.length > limit) throw CalendarErrors.tooMany(limit);
    if (since > 0 && since < state.forgotten) throw CalendarErrors.resyncNeeded(folderId, since, state.forgotten);
    const texts = await this.reader.writeEvents(request, found, { range, expand: query.expand ?? false, order });
    const deleted = gone.map((each) => JSON.stringify(toGoneEvent(each, folderId, feed !== undefined)));
    return reply<EventUpdates>(await joinLists({ newAndModified: texts, deleted }), {
      timestamp: Math.max(since, state.stamp),
    });
  }
}

/** An object of lists of JSON texts, which others need not wait for: it is joined in turns. */
async function joinLists(lists: Readonly<Record<string, readonly string[]>>): Promise<JsonText> {
  const joined = new TextPieces();
  let opening = '{';
  for (const [name, texts] of Object.entries(lists)) {
    joined.add(`${opening}${JSON.stringify(name)}:[`);
    for (const [index, text] of texts.entries()) {
      joined.add(index === 0 ? text : `,${text}`);
      const turn = pauseAfterTurn();
      if (turn) await turn;
    }
    joined.add(']');
    opening = ',';
  }
  joined.add('}');
  return joined.toJson();
}

const toGoneEvent = (
  [id, seriesId, , , timestamp, ownFolder]: GoneEvent,
  folderId: number | undefined,
  isFeed: boolean,
) => ({
  id: String(id),
  folder: isFeed ? toFeedFolderId(folderId!) : toEventFolderId(folderId ?? ownFolder!),
  ...(seriesId !== null && { seriesId: String(seriesId) }),
  timestamp,
});
