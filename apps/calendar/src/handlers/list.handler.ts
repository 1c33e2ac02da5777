import {
  calendar,
  CatalogueError,
  findFeedFolder,
  groupBy,
  reply,
  type AppointmentReference,
  type CallOf,
  type Handler,
  type UserPrincipal,
  APPOINTMENT_RIGHTS,
  waiveCheck,
} from '@groupware/contracts';
import { type Reader, ModuleDatabase } from '@groupware/persistence';
import { Handles, isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { appointmentRow } from '../views/appointment-row';
import { type Appointment, isSeries } from '../domain/appointment';
import type { WireView } from '../domain/appointment-wire';
import { requireFolder, namesOccurrence, parseOccurrenceName } from '../domain/appointment-reference';
import { toShownSeries } from '../domain/exception';
import { FeedEventRepository } from '../feeds/feed-event.repository';
import { resolveOccurrence, type ShownAppointment } from '../domain/occurrence';
import { resolveRequestZone } from '../domain/request-zone';
import { seriesOf } from '../domain/series';
import { firstShown } from '../domain/series-rows';
import { type AccessedFolder, FolderAccess, isSeenIn, visibilityOf } from '../folders/folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';

interface Loaded {
  readonly folders: ReadonlyMap<number, AccessedFolder>;
  readonly appointments: ReadonlyMap<number, Appointment>;
  readonly exceptions: ReadonlyMap<number, readonly Appointment[]>;
  /** Those of calendars elsewhere: ids are unique in all. */
  readonly ofFeeds: ReadonlyMap<number, Appointment>;
}

/** `list`: appointments by id, in the order asked for. */
@Handles(calendar.list)
export class ListHandler implements Handler<typeof calendar.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
    private readonly access: FolderAccess,
    private readonly feeds: FeedEventRepository,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendar.list>) {
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    const row = appointmentRow(query.columns);
    const loaded = await this.database.read(principal, (db) => this.load(db, principal, body));
    const rows: unknown[][] = [];
    let newest = 0;
    for (const reference of body) {
      if (isTurnOver()) await yieldToEventLoop();
      const found = findShown(loaded, reference, principal, query.recurrence_master ?? false);
      if (!found) continue;
      const { shown, ...view } = found;
      rows.push(row(shown.appointment, { ...view, zone, occurrence: shown.occurrence }));
      newest = Math.max(newest, shown.appointment.lastModified);
    }
    if (rows.length === 0) waiveCheck(APPOINTMENT_RIGHTS.read, 'nothing is there to be read');
    return reply(rows, newest > 0 ? { timestamp: newest } : {});
  }

  private async load(db: Reader, user: UserPrincipal, body: readonly AppointmentReference[]): Promise<Loaded> {
    const ids = body.map(({ id }) => numberOf(id)).filter((id) => id !== undefined);
    const folders = body.map((reference) => folderOf(reference)).filter((id) => id !== undefined);
    const feeds = body.flatMap((reference) => findFeedFolder(requireFolder(reference)) ?? []);
    const [seen, found, elsewhere] = await Promise.all([
      this.access.listFolders(db, user, folders),
      this.appointments.listByIds(db, [...new Set(ids)]),
      feeds.length > 0 ? this.feeds.listByIds(db, [...new Set(feeds)], [...new Set(ids)]) : [],
    ]);
    const wanted = body.some((reference) => namesOccurrence(parseOccurrenceName(reference)));
    const places = new Map(found.map(({ id, folderId }) => [id, folderId]));
    const invited = new Set(
      body.flatMap((reference) => {
        const id = numberOf(reference.id);
        return id !== undefined && places.get(id) !== folderOf(reference) ? [id] : [];
      }),
    );
    const changed = found
      .filter(({ id, changes }) => changes?.length && (wanted || invited.has(id)))
      .map(({ id }) => id);
    const series = wanted ? elsewhere.filter(({ changes }) => changes?.length).map(({ id }) => id) : [];
    const exceptions = [
      ...(changed.length > 0 ? await this.appointments.listExceptionsOfMany(db, changed) : []),
      ...(series.length > 0 ? await this.feeds.listExceptions(db, [...new Set(feeds)], series) : []),
    ];
    return {
      folders: new Map(seen.map((folder) => [folder.id, folder])),
      appointments: new Map(found.map((entry) => [entry.id, entry])),
      exceptions: groupBy(exceptions, ({ seriesId }) => seriesId!),
      ofFeeds: new Map(elsewhere.map((entry) => [entry.id, entry])),
    };
  }
}

/** The appointment of a reference as the user may see it; undefined when it is missing, elsewhere or not readable. */
function findShown(
  loaded: Loaded,
  reference: AppointmentReference,
  user: UserPrincipal,
  masters: boolean,
): (Omit<WireView, 'zone' | 'occurrence'> & { shown: ShownAppointment }) | undefined {
  const isFeed = findFeedFolder(requireFolder(reference)) !== undefined;
  const appointment = (isFeed ? loaded.ofFeeds : loaded.appointments).get(numberOf(reference.id) ?? -1);
  const folder = loaded.folders.get(folderOf(reference) ?? -1);
  if (!appointment || !folder || !isSeenIn(appointment, folder)) return undefined;
  const visibility = visibilityOf(appointment, folder, user);
  if (visibility === 'none') return undefined;
  const all = loaded.exceptions.get(appointment.id) ?? [];
  // For who does not take part in an exception its occurrence is deleted.
  const exceptions = all.filter((each) => isSeenIn(each, folder) && visibilityOf(each, folder, user) !== 'none');
  const shown = findOccurrence(toShownSeries(appointment, all, folder), exceptions, reference, masters);
  if (!shown) return undefined;
  return {
    shown,
    folderId: folder.id,
    calendarUser: folder.calendarUser,
    anonymous: visibility === 'anonymous',
  };
}

function findOccurrence(
  appointment: Appointment,
  exceptions: readonly Appointment[],
  reference: AppointmentReference,
  masters: boolean,
): ShownAppointment | undefined {
  const name = parseOccurrenceName(reference);
  try {
    // Without a name a series stands for its first occurrence, unless it is asked for as a whole.
    if (!masters && isSeries(appointment) && !namesOccurrence(name))
      return { appointment, occurrence: firstShown(appointment, seriesOf(appointment)) };
    return resolveOccurrence(appointment, exceptions, name);
  } catch (error) {
    if (error instanceof CatalogueError) return undefined;
    throw error;
  }
}

/** The number of the folder of a reference. */
const folderOf = (reference: AppointmentReference): number | undefined => {
  const folder = requireFolder(reference);
  return findFeedFolder(folder) ?? numberOf(folder);
};

const numberOf = (id: string): number | undefined => (/^\d{1,9}$/.test(id) ? Number(id) : undefined);
