import { Injectable } from '@nestjs/common';
import {
  APPOINTMENT_RIGHTS,
  type AttendeeData,
  CalendarErrors,
  type EventAnswerQuery,
  type EventData,
  findFeedFolder,
  recordCheck,
  type UserPrincipal,
} from '@groupware/contracts';
import { coversObject } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { positionOf, resolveTimeZone } from '@groupware/recurrence';
import { AppointmentChanger, type ChangePreparation } from '../appointments/appointment-changer';
import {
  type AppointmentTarget,
  AppointmentTargets,
  requireDeletable,
  requireUnchanged,
} from '../appointments/appointment-target';
import { AppointmentWriter, type WrittenAppointments } from '../appointments/appointment-writer';
import { ConflictCheck, type KnownVisibility, type SeenConflict } from '../conflicts/conflict-check';
import { type Appointment, findAttendee, isSeries } from '../domain/appointment';
import type { EditedAppointment } from '../domain/appointment-edit';
import { namesOccurrence } from '../domain/appointment-reference';
import { buildAttendeeList } from '../domain/attendee-list';
import { type ChangeTarget, isUnchanged, resolveTarget } from '../domain/change-target';
import { DeletionPlan } from '../domain/deletions';
import { listHiddenExceptions } from '../domain/exception';
import { hasOccurrences, requireKnownOccurrence } from '../domain/occurrence';
import { isMereAttendee } from '../domain/organizer';
import { localOf, type OccurrenceName, wholeSeriesOf } from '../domain/series';
import { parseEventFolder } from '../folders/folder-access';
import { FeedChanges } from '../feeds/feed-changes';
import { FeedRefusal } from '../feeds/feed-refusal';
import { GroupWatch } from '../participants/group-watch';
import { shiftOf } from './deleted-occurrences';
import { mailOf } from './event-people';
import { refineAttendees, toParticipants, withInvitedMembers } from './event-attendees';
import { applyEventAttendeeEdit, applyEventEdit } from './event-edit';
import { asEvent } from './event-errors';
import { EventFiles, hasOtherFiles, listNamedFiles, requireOwnFiles } from './event-files';
import { parseEventId, toOccurrenceName } from './event-finder';
import { parseRecurrenceId } from './event-time';
import { type ScheduledChanges, SchedulingOutbox, toSchedulingScope } from '../scheduling/outgoing/scheduling-outbox';
import { EventResults, type EventChanges, type ResultRequest, toEventChanges, toUnchanged } from './event-results';
import { EventSettings } from './event-settings';
import { type AllChanges, mergeChanges, SeriesSplitter } from './series-splitter';
import { parseUsedGroups } from './used-groups';

/** A change of one event. */
export interface EventUpdate {
  readonly query: EventAnswerQuery;
  readonly body: EventData;
  /** The occurrence and all that follow. */
  readonly thisAndFuture?: boolean;
  /** Another folder to move to. */
  readonly targetFolder?: string;
  /** Text to those who are told. */
  readonly comment?: string;
  /** Comma list of groups that the client resolved into attendees. */
  readonly usedGroups?: string;
}

/** The outcome of an update: the changes, or conflicts. */
export type EventUpdateOutcome = { readonly changes: EventChanges } | { readonly conflicts: readonly SeenConflict[] };

/** Undoes what was written already, as something stands in the way. */
class ConflictsFound extends Error {
  constructor(readonly conflicts: readonly SeenConflict[]) {
    super('conflicts');
  }
}

type Context = ChangePreparation & {
  readonly visibility: KnownVisibility;
  readonly entities: Parameters<typeof toParticipants>[1];
  readonly request: ResultRequest;
  /** Events that have the files that the body names, by the ids of these. */
  readonly fileOwners: ReadonlyMap<number, number>;
  readonly mayAnswerForOthers: boolean;
};

const NO_CHANGES = { created: [], changed: [] } as const;
/** Fields of a body that may move an event. */
const TIMES = ['startDate', 'endDate', 'rrule', 'recurrenceDates', 'deleteExceptionDates'] as const;

/** Changes events: single ones, series, occurrences, and occurrences with all that follow. */
@Injectable()
export class EventUpdater {
  constructor(
    private readonly targets: AppointmentTargets,
    private readonly changer: AppointmentChanger,
    private readonly writer: AppointmentWriter,
    private readonly splitter: SeriesSplitter,
    private readonly groups: GroupWatch,
    private readonly conflicts: ConflictCheck,
    private readonly settings: EventSettings,
    private readonly results: EventResults,
    private readonly outbox: SchedulingOutbox,
    private readonly files: EventFiles,
    private readonly feeds: FeedChanges,
    private readonly refusal: FeedRefusal,
  ) {}

  /** The errors of `chronos?action=update`. */
  async updateEvent(user: UserPrincipal, update: EventUpdate, request: ResultRequest): Promise<EventUpdateOutcome> {
    const { query, targetFolder } = update;
    await this.settings.requireFewAlarms(user, update.body.alarms);
    if (!update.thisAndFuture && !targetFolder && findFeedFolder(query.folder) !== undefined)
      return { changes: await this.feeds.updateEvent(user, query, update.body) };
    await this.refusal.requireOwnCalendars(user, query.folder);
    const id = parseEventId(query.id);
    const folderId = parseEventFolder(query.folder);
    const name = toOccurrenceName(query.recurrenceId);
    const usedGroups = parseUsedGroups(update.usedGroups);
    if (update.thisAndFuture && !namesOccurrence(name)) throw CalendarErrors.badSplit(id, '');
    const { attendees, entities } = await this.settings.resolveAttendees(user, update.body.attendees);
    const body = { ...update.body, ...(attendees && { attendees: [...attendees] }) };
    const mayAnswerForOthers = await this.settings.mayAnswerForOthers(user);
    // Attendees who are only in the stored list are looked up under its lock.
    const participants = toParticipants(
      // Nor is it known here who is in it already, and keeps his kind.
      (body.attendees ?? [])
        .filter(({ entity }) => !entity || entities.has(entity))
        .map(({ cuType: _kind, ...attendee }) => attendee),
      entities,
    );
    return asEvent(query.id, () =>
      this.groups.withStableGroups(user, participants, async (groups) => {
        const mayReschedule = TIMES.some((field) => body[field] !== undefined);
        const prepared = await this.changer.prepare(user, { id, participants, mayReschedule, folder: targetFolder });
        const fileOwners = await this.files.findOwners(user, id, body);
        try {
          return await this.conflicts.transact(user, async (tx, visibility) => {
            this.writer.leaveOut(tx, query.pushToken);
            await groups.lockVersions(tx);
            const target = await this.targets.lockTarget(tx, user, id, folderId, name);
            const context = { ...prepared, visibility, entities, request, fileOwners, mayAnswerForOthers };
            const outcome = await this.change(tx, user, target, name, { ...update, body }, context);
            if ('changes' in outcome) await this.writer.publishUsedGroups(tx, user.userId, usedGroups);
            return outcome;
          });
        } catch (error) {
          if (error instanceof ConflictsFound) return { conflicts: error.conflicts };
          throw error;
        }
      }),
    );
  }

  private async change(
    tx: Transaction,
    user: UserPrincipal,
    stored: AppointmentTarget,
    name: OccurrenceName,
    update: EventUpdate,
    context: Context,
  ): Promise<EventUpdateOutcome> {
    const { query, thisAndFuture, targetFolder } = update;
    if (thisAndFuture) requireUnchanged(stored.appointment, query.timestamp, stored.folder);
    const { before, master } = thisAndFuture
      ? { before: stored.appointment }
      : resolveTarget(stored.appointment, stored.exceptions, name, requireKnownOccurrence);
    requireUnchanged(before.id === 0 ? stored.appointment : before, query.timestamp, stored.folder);
    requireWritableEvent(stored, user);
    const split = thisAndFuture
      ? await this.splitter.splitStored(tx, user, stored, name, context.maxAppointments)
      : undefined;
    const current = split?.target ?? stored;
    const subject: ChangeTarget = split ? { before: split.target.appointment } : { before, master };
    const isAttendee = isMereAttendee(subject.before, current);
    const foreign = [...listHiddenLocals(stored), ...(split?.created[0]?.exdates ?? [])];
    const body = isAttendee
      ? withoutTransparency(update.body)
      : withoutDeleted(update.body, stored.appointment, foreign);
    const changesFiles = hasOtherFiles(body, subject.before.attachments);
    if (changesFiles && isAttendee) throw CalendarErrors.notOrganizer();
    if (isAttendee && current.asAttendee && body.deleteExceptionDates && isSeries(subject.before))
      return { changes: await this.declineOccurrences(tx, user, current, { ...update, body }) };
    const { after, mayConflict } = this.applyEdit(user, current, subject.before, body, context);
    requireOwnFiles(body, subject.master?.id ?? subject.before.id, context.fileOwners);
    // The later part of a split series begins later, whatever else changes.
    const sequence = split ? Math.max(after.sequence, stored.appointment.sequence + 1) : after.sequence;
    const edited = { after: { ...after, sequence }, mayConflict };
    const isNewException = subject.master !== undefined && changesFiles;
    if (!split && !targetFolder && !isNewException && isUnchanged(subject.before, edited.after))
      return { changes: { ...toUnchanged(current.folder, subject), awaitsFiles: changesFiles } };
    const { exceptions, removed } = takeDeleted(subject.before, edited.after, current.exceptions);
    if (exceptions.length === 0 && losesLastOccurrence(subject.before, edited.after)) {
      requireDeletable(current, user);
      const gone = { ...NO_CHANGES, ...split, removed: [...removed, subject.before] };
      const written = await this.writer.writeChanges(tx, user.userId, { removed: gone.removed });
      return { changes: await this.finish(tx, user, current, update, context, written, gone) };
    }
    const result = await this.changer.storeChange(
      tx,
      user,
      { ...current, exceptions },
      {
        ...context,
        ...subject,
        ...edited,
        removed,
        folder: targetFolder,
        files: subject.master && listNamedFiles(body),
        ignoreSoft: !query.checkConflicts,
        event: { shiftMs: shiftOf(subject.before, edited.after), asksHidden: true },
      },
    );
    const { written, changes } = result;
    if (!written) {
      if (split) throw new ConflictsFound(result.conflicts);
      return { conflicts: result.conflicts };
    }
    const all = {
      created: [...(split?.created ?? []), ...written.created],
      changed: [...(split?.changed ?? []), ...written.changed],
      removed: changes.removed ?? [],
    };
    const filesOf = new Map(split?.created.map(({ id }) => [id, stored.appointment.id]));
    const told = { ...all, filesOf };
    return { changes: await this.finish(tx, user, current, update, context, written, told, changesFiles) };
  }

  /** Tells attendees of everything that a change wrote, and answers it. */
  private async finish(
    tx: Transaction,
    user: UserPrincipal,
    { folder }: AppointmentTarget,
    { query, comment }: EventUpdate,
    { request }: Context,
    written: WrittenAppointments,
    changes: AllChanges & Pick<ScheduledChanges, 'filesOf'>,
    awaitsFiles = false,
  ): Promise<EventChanges> {
    const { filesOf } = changes;
    const merged = mergeChanges(changes);
    const outcome = { ...toEventChanges(folder, { ...written, ...merged }, merged.removed), awaitsFiles };
    await this.results.requireAnswerable(request, outcome);
    const scope = toSchedulingScope(query);
    await this.outbox.announce(tx, user, { ...merged, filesOf }, { scope, comment, awaitsFiles });
    return outcome;
  }

  /** Takes occurrences off the calendar of a mere attendee, as he would delete them; whatever else he may change changes, too. */
  private async declineOccurrences(
    tx: Transaction,
    user: UserPrincipal,
    { folder, appointment, exceptions }: AppointmentTarget,
    { query, body: { deleteExceptionDates, ...body }, comment }: EventUpdate,
  ): Promise<EventChanges> {
    const { calendarUser } = folder;
    const userZone = resolveTimeZone(user.timeZone) ?? 'UTC';
    const { attendees } = applyEventAttendeeEdit(appointment, { body, userZone, calendarUser, attendees: undefined });
    const plan = new DeletionPlan([appointment, ...exceptions]);
    const series = wholeSeriesOf(appointment);
    const known = new Set(appointment.exdates);
    for (const text of deleteExceptionDates ?? []) {
      const original = parseRecurrenceId(text, 'deleteExceptionDates');
      const local = localOf(series, original);
      if (local === undefined || known.has(local)) continue;
      if (positionOf(series, local) === undefined) throw CalendarErrors.occurrenceNotInSeries(appointment.uid, text);
      known.add(local);
      const exception = exceptions.find(({ recurrenceLocalMs }) => recurrenceLocalMs === local);
      if (!exception) plan.withdrawUser(plan.findAppointment(appointment.id)!, calendarUser, { original });
      else if (findAttendee(exception, calendarUser)?.hidden === false) plan.withdrawUser(exception, calendarUser, {});
    }
    const { created, changed } = plan.toChanges();
    const isSameSeries = JSON.stringify(attendees) === JSON.stringify(appointment.attendees);
    const after = { ...(plan.findAppointment(appointment.id) ?? appointment), attendees };
    const others = changed.filter((each) => each.before !== appointment);
    const isChanged = !isSameSeries || others.length < changed.length;
    if (created.length + others.length === 0 && !isChanged) return toUnchanged(folder, { before: appointment });
    const written = await this.writer.writeChanges(tx, user.userId, {
      created,
      changed: [...(isChanged ? [{ before: appointment, after }] : []), ...others],
    });
    await this.outbox.announce(tx, user, { ...written, removed: [] }, { scope: toSchedulingScope(query), comment });
    return toEventChanges(folder, written);
  }

  private applyEdit(
    user: UserPrincipal,
    target: AppointmentTarget,
    before: Appointment,
    body: EventData,
    { people, defaultReply, bookingReply, maxAttendees, entities, mayAnswerForOthers }: Context,
  ): EditedAppointment {
    const { calendarUser } = target.folder;
    const userZone = resolveTimeZone(user.timeZone) ?? 'UTC';
    if (isMereAttendee(before, target)) {
      const after = applyEventAttendeeEdit(before, { body, userZone, calendarUser, attendees: undefined });
      return { after, mayConflict: false };
    }
    const wire = withCalendarUser(body.attendees ?? [], before, target);
    const attendees =
      body.attendees === undefined
        ? undefined
        : refineAttendees(
            buildAttendeeList({
              participants: toParticipants(wire, entities, before.attendees),
              owner: before.owner,
              isPublic: before.isPublic,
              before: before.attendees,
              people: withInvitedMembers(people, before.attendees, wire),
              user,
              defaultReply: (userId) => defaultReply(userId, before.isPublic),
              maxAttendees,
            }),
            { wire, calendarUser, people, before: before.attendees, eventId: before.id, mayAnswerForOthers },
          );
    return applyEventEdit(before, { body, userZone, calendarUser, attendees, bookingReply });
  }
}

/** A list of attendees with the calendar user: an attendee acting for the organizer stays in it. */
function withCalendarUser(
  wire: readonly AttendeeData[],
  before: Appointment,
  { asAttendee, folder: { calendarUser } }: AppointmentTarget,
): readonly AttendeeData[] {
  const own = asAttendee ? findAttendee(before, calendarUser) : undefined;
  if (!own?.listed || own.hidden) return wire;
  const mail = own.mail?.toLowerCase();
  const isNamed = wire.some(({ entity, uri, email }) =>
    entity ? entity === calendarUser : (mailOf(uri ?? '') ?? email)?.toLowerCase() === mail,
  );
  return isNamed ? wire : [...wire, { entity: calendarUser }];
}

/** Refuses a change for which the folder gives no right (CAL-4031). */
function requireWritableEvent({ folder, appointment }: AppointmentTarget, user: UserPrincipal): void {
  recordCheck(APPOINTMENT_RIGHTS.write);
  if (!coversObject(folder.rights.write, appointment.createdBy === user.userId))
    throw CalendarErrors.noWritePermission(folder.id);
}

/** A body without what is the organizer's to say and ignored of an attendee: whether the event blocks time. */
function withoutTransparency({ transp: _transp, ...body }: EventData): EventData {
  return body;
}

/** Original starts of exceptions that an attendee does not see: they are deleted in his view alone. */
const listHiddenLocals = ({ folder, exceptions, asAttendee }: AppointmentTarget): (number | null)[] =>
  asAttendee
    ? listHiddenExceptions(exceptions, folder.calendarUser).map(({ recurrenceLocalMs }) => recurrenceLocalMs)
    : [];

/** A body whose list of deleted occurrences says nothing of these: what it changes has none of them. */
function withoutDeleted(body: EventData, appointment: Appointment, locals: readonly (number | null)[]): EventData {
  if (!body.deleteExceptionDates || locals.length === 0) return body;
  const series = wholeSeriesOf(appointment);
  const foreign = new Set(locals);
  const isForeign = (text: string): boolean =>
    foreign.has(localOf(series, parseRecurrenceId(text, 'deleteExceptionDates')) ?? null);
  return { ...body, deleteExceptionDates: body.deleteExceptionDates.filter((text) => !isForeign(text)) };
}

/** True for a change of a series that deletes occurrences and leaves none. */
function losesLastOccurrence(before: Appointment, after: Appointment): boolean {
  const known = new Set(before.exdates);
  const deletesMore = after.exdates?.some((local) => !known.has(local)) ?? false;
  return deletesMore && isSeries(before) && isSeries(after) && !hasOccurrences(after);
}

/** Exceptions of occurrences that a change of the series deletes go with them. */
function takeDeleted(
  before: Appointment,
  after: Appointment,
  exceptions: readonly Appointment[],
): { exceptions: readonly Appointment[]; removed: readonly Appointment[] } {
  const known = new Set(before.exdates);
  const added = new Set((after.exdates ?? []).filter((local) => !known.has(local)));
  const removed = exceptions.filter(({ recurrenceLocalMs }) => added.has(recurrenceLocalMs!));
  return { exceptions: exceptions.filter((each) => !removed.includes(each)), removed };
}
