import { AppointmentErrors, calendarViews, ObjectErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { appointmentRow } from '../views/appointment-row';
import { isSeries } from '../domain/appointment';
import { parseAppointmentId } from '../domain/appointment-id';
import { resolveRequestZone } from '../domain/request-zone';
import { parseCalendarFolderId, FolderAccess, isSeenIn, requireFolderOf, visibilityOf } from '../folders/folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** `getChangeExceptions`: the changed occurrences of a series; none for an appointment that is no series. */
@Handles(calendarViews.getChangeExceptions)
export class GetChangeExceptionsHandler implements Handler<typeof calendarViews.getChangeExceptions> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
    private readonly access: FolderAccess,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarViews.getChangeExceptions>) {
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    const row = appointmentRow(query.columns);
    const id = parseAppointmentId(query.id, principal.contextId);
    const { folder, master, exceptions } = await this.database.read(principal, async (db) => {
      const folderId = parseCalendarFolderId(query.folder);
      const found = await this.access.findFolder(db, principal, folderId);
      const master = await this.appointments.findById(db, id);
      const folder = requireFolderOf(master, found, folderId, principal);
      const changed = master !== undefined && isSeries(master) && master.changes?.length;
      return { folder, master, exceptions: changed ? await this.appointments.listExceptions(db, id) : [] };
    });
    if (!master) throw ObjectErrors.notFound(id, principal.contextId);
    if (!isSeenIn(master, folder)) throw AppointmentErrors.wrongFolder(id, folder.id);
    if (visibilityOf(master, folder, principal) === 'none') throw AppointmentErrors.notReadable(id);
    const rows = exceptions.flatMap((exception) => {
      const visibility = isSeenIn(exception, folder) ? visibilityOf(exception, folder, principal) : 'none';
      if (visibility === 'none') return [];
      const { id: folderId, calendarUser } = folder;
      return [row(exception, { folderId, calendarUser, zone, anonymous: visibility === 'anonymous' })];
    });
    return reply(rows, {
      timestamp: exceptions.reduce((newest, { lastModified }) => Math.max(newest, lastModified), master.lastModified),
    });
  }
}
