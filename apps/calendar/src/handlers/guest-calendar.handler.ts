import { guestCalendars, type CallOf, type CalendarFile, type Handler } from '@groupware/contracts';
import { createGuestUser } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FolderAccess } from '../folders/folder-access';
import { CalendarExport } from '../icalendar/calendar-export';

/** `writeCalendar`: a calendar as a guest may read it, within a time; what is private is left out. */
@Handles(guestCalendars.writeCalendar)
export class GuestCalendarHandler implements Handler<typeof guestCalendars.writeCalendar> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly exporter: CalendarExport,
  ) {}

  async handle({ principal, query }: CallOf<typeof guestCalendars.writeCalendar>): Promise<CalendarFile | null> {
    const guest = createGuestUser(principal, query.guest);
    return this.database.read(
      principal,
      async (db) => {
        const folder = (await this.access.findFolders(db, guest, [query.folder])).get(query.folder);
        if (!folder || folder.rights.read === 0) return null;
        const events = this.exporter.streamFolder(db, guest, folder, query);
        return (await this.exporter.writeFile(events, folder.title)).file;
      },
      { snapshot: true },
    );
  }
}
