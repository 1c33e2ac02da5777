import {
  APPOINTMENT_RIGHTS,
  CalendarErrors,
  chronos,
  jsonText,
  recordCheck,
  reply,
  type CallOf,
  type EventData,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { listUnanswered } from '../events/event-answers';
import { parseEventOrder } from '../events/event-order';
import { parseEventRange } from '../events/event-range';
import { EventReader } from '../events/event-reader';
import { FolderAccess, parseEventFolder, requireMayRead, visibilityOf } from '../folders/folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { EventRepository } from '../persistence/event.repository';

/** `chronos?action=needsAction`: events that the user, or the owner of a folder, has not answered. */
@Handles(chronos.needsAction)
export class ChronosNeedsActionHandler implements Handler<typeof chronos.needsAction> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly events: EventRepository,
    private readonly appointments: AppointmentRepository,
    private readonly reader: EventReader,
    private readonly access: FolderAccess,
  ) {}

  async handle({ principal, query }: CallOf<typeof chronos.needsAction>) {
    const request = await this.reader.prepare(principal, query);
    const range = parseEventRange(query, request.zone)!;
    const order = parseEventOrder(query);
    const folderId = query.folder === undefined ? undefined : parseEventFolder(query.folder);
    const { found, masters, calendarUser } = await this.database.read(principal, async (db) => {
      const folder = folderId === undefined ? undefined : await this.access.requireFolder(db, principal, folderId);
      if (folder) requireMayRead(folder);
      // Without a folder only invitations of the user himself are looked at.
      else recordCheck(APPOINTMENT_RIGHTS.read);
      const { calendarUser } = folder ?? { calendarUser: principal.userId };
      const found = await this.events.listUnanswered(db, calendarUser, folderId, range, request.limit + 1);
      if (found.length > request.limit) throw CalendarErrors.tooMany(request.limit);
      const seen = folder ? found.filter((event) => visibilityOf(event, folder, principal) === 'full') : found;
      const series = seen.flatMap(({ id, seriesId }) => (seriesId !== null && seriesId !== id ? [seriesId] : []));
      return { found: seen, masters: await this.appointments.listByIds(db, [...new Set(series)]), calendarUser };
    });
    const waiting = listUnanswered(found, masters, calendarUser);
    const texts = await this.reader.writeEvents(request, waiting, { range, expand: false, order });
    return reply<EventData[]>(jsonText(`[${texts.join()}]`), {});
  }
}
