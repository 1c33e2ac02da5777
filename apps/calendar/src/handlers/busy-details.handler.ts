import {
  APPOINTMENT_RIGHTS,
  waiveCheck,
  calendarBusy,
  RequestErrors,
  type BusyDetails,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FolderAccess, findReadableFolder } from '../folders/folder-access';
import { AppointmentRepository, listFolders } from '../persistence/appointment.repository';

/** Answers the details of appointments behind busy times that a user may know. */
@Handles(calendarBusy.details)
export class BusyDetailsHandler implements Handler<typeof calendarBusy.details> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly appointments: AppointmentRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarBusy.details>): Promise<BusyDetails[]> {
    const { user } = principal;
    if (!user) throw RequestErrors.badRequest('a question about details needs a user');
    return this.database.read(user, async (db) => {
      const appointments = await this.appointments.listByIds(db, query.ids);
      if (appointments.length === 0) waiveCheck(APPOINTMENT_RIGHTS.read, 'they are gone');
      const folders = await this.access.findFolders(db, user, appointments.flatMap(listFolders));
      return appointments.flatMap((appointment) => {
        const folder = findReadableFolder(appointment, folders, user);
        if (!folder) return [];
        const { id, title, location, fullTime } = appointment;
        return {
          id: String(id),
          folder_id: String(folder.id),
          ...(title !== null && { title }),
          ...(location !== null && { location }),
          full_time: fullTime,
        };
      });
    });
  }
}
