import {
  calendar,
  CatalogueError,
  reply,
  type AppointmentReference,
  type CallOf,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { type Reader, ModuleDatabase } from '@groupware/persistence';
import { Handles, isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { appointmentRow } from '../appointment-row';
import { type Appointment, isSeries } from '../domain/appointment';
import type { WireView } from '../domain/appointment-wire';
import { folderOf, namesOccurrence, occurrenceName } from '../domain/appointment-reference';
import { occurrenceOf, type ShownAppointment } from '../domain/occurrence';
import { requestZone } from '../domain/request-zone';
import { seriesOf } from '../domain/series';
import { firstShown } from '../domain/series-rows';
import { type AccessedFolder, FolderAccess, isIn, visibilityOf } from '../folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';

interface Loaded {
  readonly folders: ReadonlyMap<number, AccessedFolder>;
  readonly appointments: ReadonlyMap<number, Appointment>;
  readonly exceptions: ReadonlyMap<number, readonly Appointment[]>;
}

/** `list`: appointments by id, in the order asked for. */
@Handles(calendar.list)
export class ListHandler implements Handler<typeof calendar.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
    private readonly access: FolderAccess,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendar.list>) {
    const zone = requestZone(query.timezone, principal.timeZone);
    const row = appointmentRow(query.columns);
    const loaded = await this.database.read(principal, (db) => this.load(db, principal, body));
    const rows: unknown[][] = [];
    let newest = 0;
    for (const reference of body) {
      if (isTurnOver()) await yieldToEventLoop();
      const found = find(loaded, reference, principal, query.recurrence_master ?? false);
      if (!found) continue;
      const { shown, ...view } = found;
      rows.push(row(shown.appointment, { ...view, zone, occurrence: shown.occurrence }));
      newest = Math.max(newest, shown.appointment.lastModified);
    }
    return reply(rows, newest > 0 ? { timestamp: newest } : {});
  }

  private async load(db: Reader, user: UserPrincipal, body: readonly AppointmentReference[]): Promise<Loaded> {
    const ids = body.map(({ id }) => numberOf(id)).filter((id) => id !== undefined);
    const folders = body.map((reference) => numberOf(folderOf(reference))).filter((id) => id !== undefined);
    const [seen, found] = await Promise.all([
      this.access.ofMany(db, user, folders),
      this.appointments.load(db, [...new Set(ids)]),
    ]);
    const wanted = body.some((reference) => namesOccurrence(occurrenceName(reference)));
    const changed = wanted ? found.filter(({ changes }) => changes?.length).map(({ id }) => id) : [];
    const exceptions = new Map<number, Appointment[]>();
    if (changed.length > 0)
      for (const exception of await this.appointments.exceptionsOf(db, changed))
        exceptions.set(exception.seriesId!, [...(exceptions.get(exception.seriesId!) ?? []), exception]);
    return { folders: seen, appointments: new Map(found.map((entry) => [entry.id, entry])), exceptions };
  }
}

/** The appointment of a reference as the user may see it; undefined when it is missing, elsewhere or not readable. */
function find(
  loaded: Loaded,
  reference: AppointmentReference,
  user: UserPrincipal,
  masters: boolean,
): (Omit<WireView, 'zone' | 'occurrence'> & { shown: ShownAppointment }) | undefined {
  const appointment = loaded.appointments.get(numberOf(reference.id) ?? -1);
  const folder = loaded.folders.get(numberOf(folderOf(reference)) ?? -1);
  if (!appointment || !folder || !isIn(appointment, folder)) return undefined;
  const visibility = visibilityOf(appointment, folder, user);
  if (visibility === 'none') return undefined;
  const shown = occurrence(appointment, loaded.exceptions.get(appointment.id) ?? [], reference, masters);
  if (!shown) return undefined;
  return {
    shown,
    folderId: folder.id,
    calendarUser: folder.calendarUser,
    anonymous: visibility === 'anonymous',
  };
}

function occurrence(
  appointment: Appointment,
  exceptions: readonly Appointment[],
  reference: AppointmentReference,
  masters: boolean,
): ShownAppointment | undefined {
  const name = occurrenceName(reference);
  try {
    // Without a name a series stands for its first occurrence, unless it is asked for as a whole.
    if (!masters && isSeries(appointment) && !namesOccurrence(name))
      return { appointment, occurrence: firstShown(appointment, seriesOf(appointment)) };
    return occurrenceOf(appointment, exceptions, name);
  } catch (error) {
    if (error instanceof CatalogueError) return undefined;
    throw error;
  }
}

const numberOf = (id: string): number | undefined => (/^\d{1,9}$/.test(id) ? Number(id) : undefined);
