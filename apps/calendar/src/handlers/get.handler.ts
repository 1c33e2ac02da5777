import {
  AppointmentErrors,
  calendar,
  findFeedFolder,
  ObjectErrors,
  reply,
  type AppointmentData,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import type { Appointment } from '../domain/appointment';
import { parseAppointmentId } from '../domain/appointment-id';
import { namesOccurrence, parseOccurrenceName } from '../domain/appointment-reference';
import { toAppointmentData } from '../domain/appointment-wire';
import { toShownSeries } from '../domain/exception';
import { resolveOccurrence } from '../domain/occurrence';
import { resolveRequestZone } from '../domain/request-zone';
import {
  type AccessedFolder,
  parseCalendarFolderId,
  FolderAccess,
  isSeenIn,
  requireFolderOf,
  visibilityOf,
} from '../folders/folder-access';
import { FeedView } from '../feeds/feed-view';
import { AppointmentRepository } from '../persistence/appointment.repository';

interface Found {
  readonly folder: AccessedFolder;
  readonly appointment?: Appointment;
  readonly exceptions: readonly Appointment[];
}

/** `get`: one appointment, one series, or one occurrence. */
@Handles(calendar.get)
export class GetHandler implements Handler<typeof calendar.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
    private readonly access: FolderAccess,
    private readonly feeds: FeedView,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendar.get>) {
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    const id = parseAppointmentId(query.id, principal.contextId);
    const feed = findFeedFolder(query.folder);
    const folderId = feed ?? parseCalendarFolderId(query.folder);
    const name = parseOccurrenceName(query);
    const { folder, appointment, exceptions } = await this.database.read(principal, async (db): Promise<Found> => {
      if (feed !== undefined) {
        const folder = await this.feeds.requireFolder(db, principal, feed);
        return { folder, exceptions: [], ...(await this.feeds.findEvent(db, feed, id)) };
      }
      const found = await this.access.findFolder(db, principal, folderId);
      const appointment = await this.appointments.findById(db, id);
      const folder = requireFolderOf(appointment, found, folderId, principal);
      if (!appointment?.changes?.length || (!namesOccurrence(name) && appointment.folderId === folderId))
        return { folder, appointment, exceptions: [] };
      const exceptions = await this.appointments.listExceptions(db, id);
      return {
        folder,
        appointment: toShownSeries(appointment, exceptions, folder),
        // For who does not take part in an exception its occurrence is deleted.
        exceptions: exceptions.filter(
          (each) => isSeenIn(each, folder) && visibilityOf(each, folder, principal) !== 'none',
        ),
      };
    });
    if (!appointment) throw ObjectErrors.notFound(id, principal.contextId);
    if (!isSeenIn(appointment, folder)) throw AppointmentErrors.wrongFolder(id, folderId);
    const visibility = visibilityOf(appointment, folder, principal);
    if (visibility === 'none') throw AppointmentErrors.notReadable(id);

    const shown = resolveOccurrence(appointment, exceptions, name);
    return reply<AppointmentData>(
      toAppointmentData(shown.appointment, {
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
