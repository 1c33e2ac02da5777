import {
  AppointmentErrors,
  calendarAttachments,
  ObjectErrors,
  RequestErrors,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { coversObject } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { actsAsOrganizer } from '../domain/organizer';
import { parseCalendarFolderId, FolderAccess, isSeenIn, requireFolderOf, visibilityOf } from '../folders/folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** `access`: rights on the files of an appointment follow those on the appointment. */
@Handles(calendarAttachments.access)
export class AttachmentAccessHandler implements Handler<typeof calendarAttachments.access> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly appointments: AppointmentRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarAttachments.access>): Promise<boolean> {
    const { user } = principal;
    if (!user) throw RequestErrors.badRequest('a question about attachments needs a user');
    if (!user.capabilities.includes('calendar')) throw RequestErrors.noModulePermission('calendar');
    const folderId = parseCalendarFolderId(String(query.folder));
    return this.database.read(user, async (db) => {
      const found = await this.access.findFolder(db, user, folderId);
      const appointment = await this.appointments.findById(db, query.object);
      const folder = requireFolderOf(appointment, found, folderId, user);
      if (!appointment) throw ObjectErrors.notFound(query.object, user.contextId);
      if (!isSeenIn(appointment, folder)) throw AppointmentErrors.wrongFolder(query.object, folderId);
      if (visibilityOf(appointment, folder, user) !== 'full') throw AppointmentErrors.notReadable(query.object);
      // Files belong to the appointment, not to its copy in the calendar of an invited user.
      const mayChange = appointment.folderId === folder.id || actsAsOrganizer(appointment, folder.calendarUser);
      const own = appointment.createdBy === user.userId;
      if (query.write && !(mayChange && coversObject(folder.rights.write, own)))
        throw AppointmentErrors.notAttachable(folderId);
      return true;
    });
  }
}
