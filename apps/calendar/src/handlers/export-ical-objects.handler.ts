import {
  APPOINTMENT_RIGHTS,
  AppointmentErrors,
  calendarExport,
  FOLDER_RIGHTS,
  FolderErrors,
  ImportExportErrors,
  ObjectErrors,
  waiveCheck,
  type CallOf,
  type ExportReference,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import type { CalendarEvent } from '@groupware/icalendar';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseAppointmentId } from '../domain/appointment-id';
import { isSeries } from '../domain/appointment';
import { parseExportedFolderId, FolderAccess, isSeenIn } from '../folders/folder-access';
import { CalendarExport } from '../icalendar/calendar-export';
import { AppointmentRepository } from '../persistence/appointment.repository';

const CHUNK = 500;

/** `export?action=ICAL` with a body: some appointments as a file, series with their exceptions. */
@Handles(calendarExport.ICALObjects)
export class ExportIcalObjectsHandler implements Handler<typeof calendarExport.ICALObjects> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly exporter: CalendarExport,
    private readonly appointments: AppointmentRepository,
  ) {}

  handle({ principal, body }: CallOf<typeof calendarExport.ICALObjects>) {
    if (body.length === 0)
      for (const right of [FOLDER_RIGHTS.see, APPOINTMENT_RIGHTS.read])
        waiveCheck(right, 'a file without appointments');
    return this.database.read(
      principal,
      (db) => this.exporter.writeFile(this.events(db, principal, body), 'calendar'),
      {
        snapshot: true,
      },
    );
  }

  private async *events(
    db: Reader,
    user: UserPrincipal,
    references: readonly ExportReference[],
  ): AsyncGenerator<CalendarEvent> {
    for (let start = 0; start < references.length; start += CHUNK) {
      const chunk = references.slice(start, start + CHUNK).map((reference) => ({
        id: parseAppointmentId(reference.id, user.contextId),
        folderId: parseExportedFolderId(reference.folder_id),
      }));
      const folders = await this.access.findFolders(
        db,
        user,
        chunk.map(({ folderId }) => folderId),
      );
      const found = await this.appointments.listByIds(
        db,
        chunk.map(({ id }) => id),
      );
      const exceptions = await this.appointments.listExceptionsOfMany(
        db,
        found.filter(isSeries).map(({ id }) => id),
      );
      const byId = new Map(found.map((appointment) => [appointment.id, appointment]));
      for (const { id, folderId } of chunk) {
        const folder = folders.get(folderId);
        // Only users who see the folder learn whether an id exists.
        if (!folder) throw FolderErrors.notVisible(folderId, user.userId);
        if (folder.rights.read === 0) throw ImportExportErrors.notExportable(folderId, 'ICAL');
        const appointment = byId.get(id);
        if (!appointment) throw ObjectErrors.notFound(id, user.contextId);
        if (!isSeenIn(appointment, folder)) throw AppointmentErrors.wrongFolder(id, folderId);
        const own = exceptions.filter(({ seriesId }) => seriesId === id);
        yield* this.exporter.streamEvents(db, user, folder, [appointment, ...own]);
      }
    }
  }
}
