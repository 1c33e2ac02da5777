import {
  AppointmentErrors,
  calendar,
  ObjectErrors,
  reply,
  type AppointmentData,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { appointmentId } from '../domain/appointment-id';
import { namesOccurrence, occurrenceName } from '../domain/appointment-reference';
import { appointmentData } from '../domain/appointment-wire';
import { occurrenceOf } from '../domain/occurrence';
import { requestZone } from '../domain/request-zone';
import { calendarFolderId, FolderAccess, isIn, visibilityOf } from '../folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** `get`: one appointment, one series, or one occurrence. */
@Handles(calendar.get)
export class GetHandler implements Handler<typeof calendar.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
    private readonly access: FolderAccess,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendar.get>) {
    const zone = requestZone(query.timezone, principal.timeZone);
    const id = appointmentId(query.id, principal.contextId);
    const folderId = calendarFolderId(query.folder);
    const name = occurrenceName(query);
    const { folder, appointment, exceptions } = await this.database.read(principal, async (db) => {
      const folder = await this.access.of(db, principal, folderId);
      const appointment = await this.appointments.find(db, id);
      const exceptions =
        namesOccurrence(name) && appointment?.changes?.length ? await this.appointments.exceptions(db, id) : [];
      return { folder, appointment, exceptions };
    });
    if (!appointment) throw ObjectErrors.notFound(id, principal.contextId);
    if (!isIn(appointment, folder)) throw AppointmentErrors.wrongFolder(id, folderId);
    const visibility = visibilityOf(appointment, folder, principal);
    if (visibility === 'none') throw AppointmentErrors.notReadable(id);

    const shown = occurrenceOf(appointment, exceptions, name);
    return reply<AppointmentData>(
      appointmentData(shown.appointment, {
        folderId,
        calendarUser: folder.calendarUser,
        zone,
        occurrence: shown.occurrence,
        anonymous: visibility === 'anonymous',
      }),
      { timestamp: shown.appointment.lastModified },
    );
  }
}
