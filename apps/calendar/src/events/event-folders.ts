import { Injectable } from '@nestjs/common';
import {
  ALL_PUBLIC_EVENTS,
  APPOINTMENT_RIGHTS,
  CatalogueError,
  findFeedFolder,
  recordCheck,
  type UserPrincipal,
} from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import type { Range } from '../domain/range';
import { FeedEventRepository } from '../feeds/feed-event.repository';
import { type AccessedFolder, FolderAccess, parseEventFolder, requireMayRead } from '../folders/folder-access';
import { EventRepository, type EventQuestion, type SeenEvent } from '../persistence/event.repository';
import { EventFinder, toSeenEvent } from './event-finder';

/** A request for the events of a folder. */
export interface FolderQuestion {
  readonly range: Range | undefined;
  readonly maxRows: number;
  /** Only what changed after a stamp. */
  readonly since?: number;
  /** Neither descriptions nor attendees are shown. */
  readonly brief?: boolean;
}

/** Reads the events of folders, as far as the user may. */
@Injectable()
export class EventFolders {
  constructor(
    private readonly access: FolderAccess,
    private readonly events: EventRepository,
    private readonly feeds: FeedEventRepository,
    private readonly finder: EventFinder,
  ) {}

  /**
   * Events of one folder, of all public ones (`cal://0/allPublic`), or of everything the user takes part in. FLD-0008, FLD-0003,
   * CAL-4030, CAL-4044 and CAL-4060 for the folder.
   */
  async listEvents(
    db: Reader,
    user: UserPrincipal,
    folder: string | undefined,
    question: FolderQuestion,
  ): Promise<SeenEvent[]> {
    const feed = folder === undefined ? undefined : findFeedFolder(folder);
    if (feed !== undefined) return this.listFeedEvents(db, user, feed, question);
    const asked = await this.resolveQuestion(db, user, folder, question);
    if (question.range && question.range.toMs <= question.range.fromMs) return [];
    return this.events.listEvents(db, user, asked);
  }

  /** Events of several folders kept here, or why the user may not read one; with one statement for all of them. */
  async listEach(
    db: Reader,
    user: UserPrincipal,
    folders: readonly number[],
    question: FolderQuestion,
  ): Promise<ReadonlyMap<number, SeenEvent[] | CatalogueError>> {
    const { range, maxRows } = question;
    const isEmpty = range !== undefined && range.toMs <= range.fromMs;
    const shape = { ...shapeOf(question), folder: 'each' as const };
    // Of folders that the user does not read the statement finds nothing.
    const [access, found] = await Promise.all([
      this.access.findEach(db, user, folders),
      isEmpty ? [] : this.events.listEvents(db, user, { shape, folderIds: folders, range, maxRows }),
    ]);
    const answers = new Map<number, SeenEvent[] | CatalogueError>();
    for (const [id, folder] of access)
      answers.set(id, folder instanceof CatalogueError ? folder : readOrRefuse(folder));
    for (const event of found) {
      const list = answers.get(event.shownFolder);
      if (Array.isArray(list)) list.push(event);
    }
    return answers;
  }

  /** Events of a calendar of the web. CAL-4044 when the user has no such account. */
  async listFeedEvents(
    db: Reader,
    user: UserPrincipal,
    folderId: number,
    { range, maxRows, since }: FolderQuestion,
  ): Promise<SeenEvent[]> {
    const folder = await this.access.requireFeed(db, user, folderId);
    if (range && range.toMs <= range.fromMs) return [];
    const found = await this.feeds.listEvents(db, folderId, { range, maxRows, since });
    const family = await this.finder.loadFeedFamilies(db, [folderId], found);
    return found.map((each) => toSeenEvent(each, folder, false, family));
  }

  /** The question for the repository, once the user may ask it. */
  async resolveQuestion(
    db: Reader,
    user: UserPrincipal,
    folder: string | undefined,
    { range, maxRows, since, brief }: FolderQuestion,
  ): Promise<EventQuestion> {
    const shape = shapeOf({ range, since, brief });
    const asked = { range, maxRows, since };
    if (folder === undefined || folder === ALL_PUBLIC_EVENTS) {
      // The statement shows what the user takes part in, or what he may read.
      recordCheck(APPOINTMENT_RIGHTS.read);
      return { ...asked, shape: { ...shape, folder: false, allPublic: folder !== undefined } };
    }
    const folderId = parseEventFolder(folder);
    requireMayRead(await this.access.requireFolder(db, user, folderId));
    return { ...asked, shape: { ...shape, folder: true }, folderId };
  }
}

const shapeOf = ({ range, since, brief }: Pick<FolderQuestion, 'range' | 'since' | 'brief'>) => ({
  times: range ? ('overlap' as const) : ('any' as const),
  anonymous: true,
  ...(since !== undefined && { filter: 'changed' as const }),
  ...(brief && { brief }),
});

/** A place for the events of a folder, or CAL-4030. */
function readOrRefuse(folder: AccessedFolder): SeenEvent[] | CatalogueError {
  try {
    requireMayRead(folder);
    return [];
  } catch (error) {
    if (error instanceof CatalogueError) return error;
    throw error;
  }
}
