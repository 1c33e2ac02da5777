import {
  APPOINTMENT_RIGHTS,
  CalendarErrors,
  CatalogueError,
  chronos,
  errorObject,
  findFeedFolder,
  jsonText,
  MAX_UPDATES,
  toEventFolderId,
  toPlainFolderId,
  type UserPrincipal,
  waiveCheck,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { EventFolders, type FolderQuestion } from '../events/event-folders';
import { parseEventOrder } from '../events/event-order';
import { parseEventRange } from '../events/event-range';
import { EventReader, isBrief } from '../events/event-reader';
import { BirthdayCalendars } from '../feeds/birthday-calendars';
import { FeedRefresher } from '../feeds/feed-refresher';
import { findEventFolder, listFeeds } from '../folders/folder-access';
import { EventRepository, type SeenEvent } from '../persistence/event.repository';

/** Events of some of the folders, each or the error for it. */
interface PartOfFolders {
  /** Whatever changed up to it is seen. */
  readonly stamp: number;
  readonly answers: ReadonlyMap<string, SeenEvent[] | CatalogueError>;
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
    const question = { range, maxRows: request.limit + 1, brief: isBrief([...request.fields, order.field]) };
    const folders = [...new Map(body.folders.map((id) => [toPlainFolderId(id), id])).values()];
    const parts = toParts(folders);
    const texts: string[] = [];
    let count = 0;
    let next = this.begin(principal, parts[0], question);
    for (const [index, part] of parts.entries()) {
      const reading = next!;
      // The database works for the next folders while these are written.
      await reading.catch(() => undefined);
      next = this.begin(principal, parts[index + 1], question);
      const { stamp, answers } = await reading;
      for (const folder of part) {
        const name = /^\d+$/.test(folder) ? toEventFolderId(folder) : folder;
        try {
          const found = answers.get(folder)!;
          if (found instanceof CatalogueError) throw found;
          if (count > most) throw CalendarErrors.tooMany(most);
          const events = await this.reader.writeEvents(request, found, { range, expand: query.expand ?? false, order });
          count += events.length;
          texts.push(`{"folder":${JSON.stringify(name)},"events":[${events.join()}],"timestamp":${stamp}}`);
        } catch (error) {
          if (!(error instanceof CatalogueError)) throw error;
          texts.push(JSON.stringify({ folder: name, error: errorObject(error, principal.locale) }));
        }
      }
    }
    return jsonText(`[${texts.join()}]`);
  }

  /** Begins to read folders, where there are some; its failure comes to light where it is awaited. */
  private begin(
    user: UserPrincipal,
    part: readonly string[] | undefined,
    question: FolderQuestion,
  ): Promise<PartOfFolders> | undefined {
    const reading = part === undefined ? undefined : this.readPart(user, part, question);
    reading?.catch(() => undefined);
    return reading;
  }

  private readPart(user: UserPrincipal, part: readonly string[], question: FolderQuestion): Promise<PartOfFolders> {
    return this.database.read(user, async (db) => {
      const { stamp } = await this.events.getState(db, undefined);
      const ids = new Map(
        part.flatMap((folder) => {
          const id = findKeptFolder(folder);
          return id === undefined ? [] : [[folder, id] as const];
        }),
      );
      const answers = new Map<string, SeenEvent[] | CatalogueError>();
      if (ids.size > 0) {
        const found = await this.folders.listEach(db, user, [...ids.values()], question);
        for (const [folder, id] of ids) answers.set(folder, found.get(id)!);
      }
      for (const folder of part)
        if (!ids.has(folder)) answers.set(folder, await this.readOther(db, user, folder, question));
      return { stamp, answers };
    });
  }

  /** A folder of another kind: a calendar of the web, all public ones, or what is no folder. */
  private async readOther(
    db: Reader,
    user: UserPrincipal,
    folder: string,
    question: FolderQuestion,
  ): Promise<SeenEvent[] | CatalogueError> {
    try {
      return await this.folders.listEvents(db, user, folder, question);
    } catch (error) {
      if (error instanceof CatalogueError) return error;
      throw error;
    }
  }
}

const findKeptFolder = (folder: string): number | undefined =>
  findFeedFolder(folder) === undefined ? findEventFolder(folder) : undefined;

/** So many folders are read at once: what they hold is in memory together. */
const PART = 10;

/** Folders that are read at once; those of other kinds each for itself. */
function toParts(folders: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (const folder of folders) {
    const last = parts.at(-1);
    const isKept = findKeptFolder(folder) !== undefined;
    if (isKept && last && last.length < PART && findKeptFolder(last[0]!) !== undefined) last.push(folder);
    else parts.push([folder]);
  }
  return parts;
}
