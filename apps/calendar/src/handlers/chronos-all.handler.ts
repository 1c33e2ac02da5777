import { chronos, jsonText, reply, type CallOf, type EventData, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { EventFolders } from '../events/event-folders';
import { parseEventOrder } from '../events/event-order';
import { parseEventRange } from '../events/event-range';
import { EventReader, isBrief } from '../events/event-reader';
import { BirthdayCalendars } from '../feeds/birthday-calendars';
import { FeedRefresher } from '../feeds/feed-refresher';
import { listFeeds } from '../folders/folder-access';
import { EventRepository } from '../persistence/event.repository';

/** `chronos?action=all`: the events of a range in one folder, or everywhere. */
@Handles(chronos.all)
export class ChronosAllHandler implements Handler<typeof chronos.all> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: EventFolders,
    private readonly events: EventRepository,
    private readonly reader: EventReader,
    private readonly refresher: FeedRefresher,
    private readonly birthdays: BirthdayCalendars,
  ) {}

  async handle({ principal, query }: CallOf<typeof chronos.all>) {
    const request = await this.reader.prepare(principal, query);
    const range = parseEventRange(query, request.zone);
    const order = parseEventOrder(query);
    const feeds = listFeeds([query.folder]);
    await this.birthdays.refreshFolders(principal, feeds);
    if (query.updateCache) await this.refresher.refreshFolders(principal, feeds);
    const { state, found } = await this.database.read(principal, async (db) => {
      const state = await this.events.getState(db, undefined);
      const question = { range, maxRows: request.limit + 1, brief: isBrief([...request.fields, order.field]) };
      return { state, found: await this.folders.listEvents(db, principal, query.folder, question) };
    });
    const texts = await this.reader.writeEvents(request, found, { range, expand: query.expand ?? false, order });
    return reply<EventData[]>(jsonText(`[${texts.join()}]`), { timestamp: state.stamp });
  }
}
