import {
  APPOINTMENT_RIGHTS,
  CalendarErrors,
  CatalogueError,
  chronos,
  errorObject,
  jsonText,
  MAX_UPDATES,
  toEventFolderId,
  toPlainFolderId,
  type UserPrincipal,
  waiveCheck,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { EventFolders, type FolderQuestion } from '../events/event-folders';
import { parseEventOrder } from '../events/event-order';
import { parseEventRange } from '../events/event-range';
import { EventReader } from '../events/event-reader';
import { BirthdayCalendars } from '../feeds/birthday-calendars';
import { FeedRefresher } from '../feeds/feed-refresher';
import { listFeeds } from '../folders/folder-access';
import { EventRepository, type SeenEvent } from '../persistence/event.repository';

/** What a folder holds. */
interface FolderEvents {
  /** Whatever changed up to it is seen. */
  readonly stamp: number;
  readonly found: SeenEvent[];
}

/** `PUT chronos?action=all`: the events of a range in several folders, an answer or an error for each. */
@Handles(chronos.allByPut)
export class ChronosAllByPutHandler implements Handler<typeof chronos.allByPut> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly folders: EventFolders,
    private readonly events: EventRepository,
    private readonly reader: EventReader,
    private readonly properties: Properties,
    private readonly refresher: FeedRefresher,
    private readonly birthdays: BirthdayCalendars,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof chronos.allByPut>) {
    const request = await this.reader.prepare(principal, query);
    const range = parseEventRange(query, request.zone);
    const order = parseEventOrder(query);
    const most = await this.properties.get(MAX_UPDATES, { contextId: principal.contextId });
    waiveCheck(APPOINTMENT_RIGHTS.read, 'no folder may be named, and each that is has an answer of its own');
    const feeds = listFeeds(body.folders);
    await this.birthdays.refreshFolders(principal, feeds);
    if (query.updateCache) await this.refresher.refreshFolders(principal, feeds);
    const question = { range, maxRows: request.limit + 1 };
    const folders = [...new Map(body.folders.map((id) => [toPlainFolderId(id), id])).values()];
    const texts: string[] = [];
    let count = 0;
    let next = this.begin(principal, folders[0], question);
    for (const [index, folder] of folders.entries()) {
      const name = /^\d+$/.test(folder) ? toEventFolderId(folder) : folder;
      const reading = next!;
      // The database works for the next folder while this one is written.
      await reading.catch(() => undefined);
      next = this.begin(principal, folders[index + 1], question);
      try {
        const { stamp, found } = await reading;
        if (count > most) throw CalendarErrors.tooMany(most);
        const events = await this.reader.writeEvents(request, found, { range, expand: query.expand ?? false, order });
        count += events.length;
        texts.push(`{"folder":${JSON.stringify(name)},"events":[${events.join()}],"timestamp":${stamp}}`);
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        texts.push(JSON.stringify({ folder: name, error: errorObject(error, principal.locale) }));
      }
    }
    return jsonText(`[${texts.join()}]`);
  }

  /** Begins to read a folder, where there is one; its failure is that of whoever waits for it. */
  private begin(
    user: UserPrincipal,
    folder: string | undefined,
    question: FolderQuestion,
  ): Promise<FolderEvents> | undefined {
    const reading = folder === undefined ? undefined : this.readFolder(user, folder, question);
    reading?.catch(() => undefined);
    return reading;
  }

  private readFolder(user: UserPrincipal, folder: string, question: FolderQuestion): Promise<FolderEvents> {
    return this.database.read(user, async (db) => {
      const { stamp } = await this.events.getState(db, undefined);
      return { stamp, found: await this.folders.listEvents(db, user, folder, question) };
    });
  }
}
