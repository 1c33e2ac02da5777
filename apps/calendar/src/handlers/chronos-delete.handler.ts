import {
  APPOINTMENT_RIGHTS,
  CalendarErrors,
  CatalogueError,
  chronosChanges,
  errorObject,
  reply,
  RequestErrors,
  toEventFolderId,
  waiveCheck,
  type CalendarItemResult,
  type CallOf,
  type EventId,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import {
  AppointmentTargets,
  requireDeletable,
  requireReadable,
  requireUnchanged,
} from '../appointments/appointment-target';
import { AppointmentWriter } from '../appointments/appointment-writer';
import { FileCopies } from '../appointments/file-copies';
import { namesOccurrence } from '../domain/appointment-reference';
import { DeletionPlan } from '../domain/deletions';
import { toEventError } from '../events/event-errors';
import { parseEventId, toOccurrenceName } from '../events/event-finder';
import { EventResults, type EventChanges, type ResultRequest } from '../events/event-results';
import { FeedRefusal } from '../feeds/feed-refusal';
import { type AccessedFolder, FolderAccess, isSeenIn, parseEventFolder } from '../folders/folder-access';
import { SchedulingOutbox, type SchedulingOptions, toSchedulingScope } from '../scheduling/outgoing/scheduling-outbox';

/** One event of a request: what became of it. */
type ItemOutcome = { readonly changes: EventChanges } | { readonly error: object };

/** Appointments that one item of a request touched. */
interface TouchedItem {
  readonly folder: AccessedFolder;
  readonly touched: readonly number[];
}

/** `chronos?action=delete`: an outcome for each event; one that is refused does not keep the others. */
@Handles(chronosChanges.delete)
export class ChronosDeleteHandler implements Handler<typeof chronosChanges.delete> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly targets: AppointmentTargets,
    private readonly access: FolderAccess,
    private readonly writer: AppointmentWriter,
    private readonly results: EventResults,
    private readonly outbox: SchedulingOutbox,
    private readonly refusal: FeedRefusal,
    private readonly copies: FileCopies,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof chronosChanges.delete>) {
    const request = await this.results.prepare(principal, query);
    const items = body.flatMap((each): EventId[] => {
      if (each.events) return each.events;
      if (!each.folder || !each.id) throw RequestErrors.badBodyData('events');
      return [
        { folder: each.folder, id: each.id, recurrenceId: each.recurrenceId, recurrenceRange: each.recurrenceRange },
      ];
    });
    const comment = body.find((each) => each.comment)?.comment ?? undefined;
    const scheduling = { scope: toSchedulingScope(query), comment };
    const refusals = await this.refusal.findRefusals(
      principal,
      items.map(({ folder }) => folder),
    );
    const outcomes =
      items.length === 0
        ? []
        : await this.database.transact(principal, (tx) => {
            this.writer.leaveOut(tx, query.pushToken);
            return this.deleteEvents(tx, principal, items, query.timestamp, request, { scheduling, refusals });
          });
    if (outcomes.length === 0) {
      waiveCheck(APPOINTMENT_RIGHTS.read, 'nothing is named');
      waiveCheck(APPOINTMENT_RIGHTS.remove, 'nothing is named');
    }
    const answers: CalendarItemResult[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      const { folder, id, recurrenceId } = items[index]!;
      const name = { folderId: nameOf(folder), id, ...(recurrenceId && { recurrenceId }) };
      if ('error' in outcome) answers.push({ ...name, error: outcome.error });
      else {
        const changes = await this.copies.refreshCreated(principal, outcome.changes);
        answers.push({ ...name, timestamp: changes.stamp, ...(await this.results.toResult(request, changes)) });
      }
    }
    const newest = Math.max(0, ...answers.map(({ timestamp = 0 }) => timestamp));
    return reply<CalendarItemResult[]>(answers, newest > 0 ? { timestamp: newest } : {});
  }

  private async deleteEvents(
    tx: Transaction,
    user: UserPrincipal,
    items: readonly EventId[],
    timestamp: number,
    request: ResultRequest,
    {
      scheduling,
      refusals,
    }: { readonly scheduling: SchedulingOptions; readonly refusals: ReadonlyMap<string, CatalogueError> },
  ): Promise<ItemOutcome[]> {
    const wanted = items.map((item) =>
      attempt(item.id, user, () => {
        const refusal = refusals.get(item.folder);
        if (refusal) throw refusal;
        return parseItem(item);
      }),
    );
    const named = wanted.flatMap((each) => ('value' in each ? [each.value] : []));
    const known = await this.access.findEach(
      tx,
      user,
      named.map(({ folderId }) => folderId),
    );
    const visible = [...known].flatMap(([folderId, folder]) => (folder instanceof CatalogueError ? [] : [folderId]));
    const { folders, appointments } = await this.targets.lockTargets(
      tx,
      user,
      named.map(({ id }) => id),
      visible,
    );
    const plan = new DeletionPlan(appointments);
    const done = wanted.map((each, index) =>
      'error' in each
        ? each
        : attempt(items[index]!.id, user, (): TouchedItem => {
            const { id, folderId, name, following } = each.value;
            const seen = known.get(folderId);
            if (seen instanceof CatalogueError) throw seen;
            const folder = folders.get(folderId)!;
            const whole = plan.findAppointment(id);
            const named = whole && !following ? plan.findNamed(whole, name) : whole;
            // An attendee of a single occurrence names it as the others do.
            const found = named && !isSeenIn(whole!, folder) && isSeenIn(named, folder) ? named : whole;
            requireReadable(found, id, folder, user);
            const appointment = named!;
            // An exception that is not seen here is no occurrence.
            if (appointment !== found && !isSeenIn(appointment, folder))
              throw CalendarErrors.occurrenceNotFound(id, items[index]!.recurrenceId);
            requireUnchanged(appointment, timestamp, folder);
            const asAttendee = appointment.folderId !== folder.id;
            requireDeletable({ folder, appointment, asAttendee }, user);
            if (namesOccurrence(name) && appointment.seriesId === null)
              throw CalendarErrors.occurrenceNotFound(id, items[index]!.recurrenceId);
            if (following && asAttendee) throw CalendarErrors.notOrganizer();
            if (following) plan.endSeries(appointment, name);
            else if (asAttendee) plan.withdrawUser(appointment, folder.calendarUser, name);
            else plan.deleteAppointment(appointment, name);
            return { folder, touched: [...plan.takeTouched()] };
          }),
    );
    if (done.every((each) => 'error' in each)) waiveCheck(APPOINTMENT_RIGHTS.read, 'nothing of it is told');
    const changes = plan.toChanges();
    const isEmpty = changes.changed.length + changes.removed.length === 0;
    if (isEmpty) waiveCheck(APPOINTMENT_RIGHTS.remove, 'everything stays');
    const written = isEmpty ? undefined : await this.writer.writeChanges(tx, user.userId, changes);
    if (written) await this.outbox.announce(tx, user, { ...written, removed: changes.removed }, scheduling);
    const made = new Map(changes.newIds.map((id, index) => [id, written!.created[index]!]));
    const outcomes = done.map((each): ItemOutcome => {
      if ('error' in each) return each;
      const { folder, touched } = each.value;
      const ids = new Set(touched);
      return {
        changes: {
          folder,
          stamp: written?.stamp ?? 0,
          created: touched.flatMap((id) => made.get(id) ?? []),
          changed: [...(written?.changed ?? []), ...(written?.touched ?? [])].filter(({ after }) => ids.has(after.id)),
          removed: changes.removed.filter(({ id }) => ids.has(id)),
        },
      };
    });
    for (const each of outcomes) if ('changes' in each) await this.results.requireAnswerable(request, each.changes);
    return outcomes;
  }
}

const nameOf = (folder: string): string => (/^\d+$/.test(folder) ? toEventFolderId(folder) : folder);

/** Parses an item of a deletion. SVL-0010 for another range than THISANDFUTURE, CAL-4063 for one without occurrence. */
function parseItem({ folder, id, recurrenceId, recurrenceRange }: EventId) {
  if (recurrenceRange && recurrenceRange !== 'THISANDFUTURE')
    throw RequestErrors.badParameter('recurrenceRange', recurrenceRange);
  if (recurrenceRange && !recurrenceId) throw CalendarErrors.badSplit(id, '');
  return {
    id: parseEventId(id),
    folderId: parseEventFolder(folder),
    name: toOccurrenceName(recurrenceId ?? undefined),
    following: Boolean(recurrenceRange),
  };
}

/** The outcome of work, or its error as clients get it. */
function attempt<T>(
  id: string,
  user: UserPrincipal,
  work: () => T,
): { readonly value: T } | { readonly error: object } {
  try {
    return { value: work() };
  } catch (error) {
    const told = toEventError(error, id);
    if (!(told instanceof CatalogueError)) throw told;
    return { error: errorObject(told, user.locale) };
  }
}
