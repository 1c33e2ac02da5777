import {
  AppointmentErrors,
  calendarAttachments,
  ObjectErrors,
  RequestErrors,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { covers } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { calendarFolderId, FolderAccess, isIn, visibilityOf } from '../folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** `access`: whoever may read an appointment may read its files, whoever may change it may change them. */
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
    const folderId = calendarFolderId(String(query.folder));
    return this.database.read(user, async (db) => {
      const folder = await this.access.of(db, user, folderId);
      const appointment = await this.appointments.find(db, query.object);
      if (!appointment) throw ObjectErrors.notFound(query.object, user.contextId);
      if (!isIn(appointment, folder)) throw AppointmentErrors.wrongFolder(query.object, folderId);
      if (visibilityOf(appointment, folder, user) !== 'full') throw AppointmentErrors.notReadable(query.object);
      // Files belong to the appointment, not to the copy in the calendar of somebody who was invited.
      const own = appointment.createdBy === user.userId;
      const writes = appointment.folderId === folder.id && covers(folder.rights.write, own);
      if (query.write && !writes) throw AppointmentErrors.notAttachable(folderId);
      return true;
    });
  }
}
