import {
  calendarExport,
  findFeedFolder,
  ImportExportErrors,
  type CallOf,
  type FileReply,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseExportedFolderId, FolderAccess } from '../folders/folder-access';
import { BirthdayCalendars } from '../feeds/birthday-calendars';
import { FeedView } from '../feeds/feed-view';
import { CalendarExport } from '../icalendar/calendar-export';

/** `export?action=ICAL`: a whole calendar as a file. */
@Handles(calendarExport.ICAL)
export class ExportIcalHandler implements Handler<typeof calendarExport.ICAL> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly exporter: CalendarExport,
    private readonly feeds: FeedView,
    private readonly birthdays: BirthdayCalendars,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarExport.ICAL>): Promise<FileReply> {
    const feed = findFeedFolder(query.folder);
    if (feed !== undefined) {
      await this.birthdays.refreshFolders(principal, [feed]);
      return this.database.read(
        principal,
        async (db) => {
          const folder = await this.feeds.requireFolder(db, principal, feed);
          return this.exporter.writeFile(this.feeds.streamFolder(db, folder), folder.title);
        },
        { snapshot: true },
      );
    }
    const folderId = parseExportedFolderId(query.folder);
    // One moment for the whole file, however long it takes.
    return this.database.read(
      principal,
      async (db) => {
        const folder = await this.access.requireFolder(db, principal, folderId);
        if (folder.rights.read === 0) throw ImportExportErrors.notExportable(folderId, 'ICAL');
        return this.exporter.writeFile(this.exporter.streamFolder(db, principal, folder), folder.title);
      },
      { snapshot: true },
    );
  }
}
