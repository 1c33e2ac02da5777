import { calendarExport, ImportExportErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseCalendarFolderId, FolderAccess } from '../folders/folder-access';
import { CalendarExport } from '../icalendar/calendar-export';

/** `export?action=ICAL`: a whole calendar as a file. */
@Handles(calendarExport.ICAL)
export class ExportIcalHandler implements Handler<typeof calendarExport.ICAL> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly exporter: CalendarExport,
  ) {}

  handle({ principal, query }: CallOf<typeof calendarExport.ICAL>) {
    const folderId = parseCalendarFolderId(query.folder);
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
