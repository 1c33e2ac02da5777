import {
  AppointmentErrors,
  CalendarErrors,
  calendarViews,
  FreeBusyErrors,
  MAX_RESULTS,
  reply,
  type AppointmentData,
  type CallOf,
  type Handler,
  type UserPrincipal,
  APPOINTMENT_RIGHTS,
  waiveCheck,
} from '@groupware/contracts';
import { FreeBusyVisibility } from '@groupware/directory';
import { ModuleDatabase } from '@groupware/persistence';
import { ExpansionBudget, RecurrenceError, type Occurrence, type ZoneOffsets } from '@groupware/recurrence';
import { Handles, isTurnOver, Logger, Properties, yieldToEventLoop } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { type Appointment, CLASSIFICATION, PARTICIPANT } from '../domain/appointment';
import { toAppointmentData } from '../domain/appointment-wire';
import { listBusyOccurrences } from '../domain/busy-occurrences';
import { toRange } from '../domain/range';
import { resolveRequestZone } from '../domain/request-zone';
import { FolderAccess, findReadableFolder, type AccessedFolder } from '../folders/folder-access';
import { listFolders } from '../persistence/appointment.repository';
import { BookingReplies } from '../participants/booking-replies';
import { FreeBusyRepository } from '../persistence/free-busy.repository';

const log = Logger.for('calendar.freebusy');
const TYPES: readonly number[] = [PARTICIPANT.user, PARTICIPANT.resource];
/** Fields of an item besides its times, as the reference lists them. */
const DETAILS = [
  'id',
  'folder_id',
  'created_by',
  'modified_by',
  'creation_date',
  'last_modified',
  'last_modified_utc',
  'categories',
  'private_flag',
  'color_label',
  'number_of_attachments',
  'lastModifiedOfNewestAttachmentUTC',
  'title',
  'location',
  'recurrence_id',
  'recurrence_type',
  'recurrence_position',
  'participants',
  'confirmations',
] as const;

interface Busy {
  readonly appointment: Appointment;
  readonly occurrence: Occurrence;
}

/** `freebusy`: when a user or a resource is busy. */
@Handles(calendarViews.freebusy)
export class FreebusyHandler implements Handler<typeof calendarViews.freebusy> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly busy: FreeBusyRepository,
    private readonly access: FolderAccess,
    private readonly properties: Properties,
    private readonly bookings: BookingReplies,
    private readonly config: CalendarConfig,
    private readonly visibility: FreeBusyVisibility,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarViews.freebusy>) {
    if (!TYPES.includes(query.type)) throw AppointmentErrors.unsupportedFreeBusyType(query.type);
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    const range = toRange(query.start, query.end, zone, 'overlap');
    const isUser = query.type === PARTICIPANT.user;
    const [maxRows, answers, hidden] = await Promise.all([
      this.properties.get(MAX_RESULTS, principal),
      // Delegates of a resource see its bookings.
      query.type === PARTICIPANT.resource && this.bookings.mayReply(principal, query.id),
      this.visibility.listHiddenUsers(principal, isUser ? [query.id] : [], principal.userId),
    ]);
    if (hidden.has(query.id)) {
      waiveCheck(APPOINTMENT_RIGHTS.read, 'nothing is shown');
      return reply<AppointmentData[]>([], { warnings: [FreeBusyErrors.attendeeHidden(query.id)] });
    }
    const { appointments, folders } = await this.database.read(principal, async (db) => {
      const appointments = await this.busy.listBusyAppointments(db, {
        type: query.type,
        entity: query.id,
        range,
        limit: maxRows + 1,
      });
      const folders = await this.access.findFolders(db, principal, appointments.flatMap(listFolders));
      return { appointments, folders };
    });
    if (appointments.length > maxRows) throw CalendarErrors.tooMany(maxRows);
    const budget = new ExpansionBudget(this.config.maxExpansionSteps);
    const found: Busy[] = [];
    for (const appointment of appointments) {
      if (isTurnOver()) await yieldToEventLoop();
      const expand = () => listBusyOccurrences(appointment, range, maxRows + 1, budget);
      for (const occurrence of occurrencesOf(appointment, expand)) found.push({ appointment, occurrence });
      if (budget.isSpent) throw CalendarErrors.tooMany(budget.maxSteps);
      if (found.length > maxRows) throw CalendarErrors.tooMany(maxRows);
    }
    if (found.length === 0) waiveCheck(APPOINTMENT_RIGHTS.read, 'nothing is shown');
    return found
      .map((busy) => toBusyItem(busy, folderOf(busy.appointment, folders, principal, answers), zone))
      .sort((left, right) => left.start_date! - right.start_date!);
  }
}

function folderOf(
  appointment: Appointment,
  folders: ReadonlyMap<number, AccessedFolder>,
  user: UserPrincipal,
  answers: boolean,
): Pick<AccessedFolder, 'id' | 'calendarUser'> | undefined {
  const readable = findReadableFolder(appointment, folders, user);
  if (readable || !answers || appointment.classification !== CLASSIFICATION.public) return readable;
  return { id: appointment.folderId, calendarUser: appointment.owner };
}

function occurrencesOf(appointment: Appointment, expand: () => readonly Occurrence[]): readonly Occurrence[] {
  try {
    return expand();
  } catch (error) {
    // One hostile rule must not hide the rest of the calendar.
    if (!(error instanceof RecurrenceError)) throw error;
    log.warn({ appointment: appointment.id, reason: error.message }, 'series left out');
    return [];
  }
}

/** The times, and what else the user may know. */
function toBusyItem(
  { appointment, occurrence }: Busy,
  folder: Pick<AccessedFolder, 'id' | 'calendarUser'> | undefined,
  zone: ZoneOffsets,
): AppointmentData {
  const view = { folderId: folder?.id ?? 0, calendarUser: folder?.calendarUser ?? 0, zone, occurrence };
  const data = toAppointmentData(appointment, view);
  const { start_date, end_date, full_time, shown_as } = data;
  const times = { start_date, end_date, full_time, shown_as };
  if (!folder) return times;
  const details = DETAILS.flatMap((name) => (data[name] === undefined ? [] : [[name, data[name]]]));
  return { ...Object.fromEntries(details), ...times } as AppointmentData;
}
