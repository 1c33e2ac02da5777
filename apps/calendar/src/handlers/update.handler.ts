import {
  calendar,
  CalendarErrors,
  reply,
  type AppointmentCreation,
  type AppointmentData,
  type CallOf,
  type CatalogueError,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import type { ZoneOffsets } from '@groupware/recurrence';
import { Handles } from '@groupware/service-kit';
import { AppointmentChanger, type ChangePreparation } from '../appointments/appointment-changer';
import { leavesFolder } from '../appointments/appointment-mover';
import {
  type AppointmentTarget,
  AppointmentTargets,
  requireUnchanged,
  requireWritable,
} from '../appointments/appointment-target';
import { FileCopies, type StoredRows } from '../appointments/file-copies';
import { ConflictCheck, type KnownVisibility, toConflictData } from '../conflicts/conflict-check';
import { type Appointment, findAttendee } from '../domain/appointment';
import {
  type EditedAppointment,
  applyAttendeeEdit,
  applyOrganizerEdit,
  requireSameType,
} from '../domain/appointment-edit';
import { parseAppointmentId } from '../domain/appointment-id';
import { parseOccurrenceName } from '../domain/appointment-reference';
import { buildAttendeeList } from '../domain/attendee-list';
import { requireKnownOccurrence } from '../domain/occurrence';
import { dayOf } from '../domain/local-days';
import { resolveRequestZone } from '../domain/request-zone';
import { isUnchanged, resolveTarget } from '../domain/change-target';
import { isMereAttendee } from '../domain/organizer';
import { FeedRefusal } from '../feeds/feed-refusal';
import { parseCalendarFolderId } from '../folders/folder-access';
import { GroupWatch } from '../participants/group-watch';
import { SchedulingOutbox } from '../scheduling/outgoing/scheduling-outbox';

/** Fields of a body that may move an appointment. */
const TIMES = [
  'start_date',
  'end_date',
  'full_time',
  'timezone',
  'recurrence_type',
  'interval',
  'days',
  'day_in_month',
  'month',
  'until',
  'occurrences',
] as const satisfies readonly (keyof AppointmentData)[];

/** The id, what was stored, and what could not be kept; or conflicts. */
type UpdateOutcome = AppointmentCreation & { stored?: StoredRows; warnings?: CatalogueError[] };

/** `update`: changes an appointment, a series, or one occurrence, which becomes an exception with an id of its own. */
@Handles(calendar.update)
export class UpdateHandler implements Handler<typeof calendar.update> {
  constructor(
    private readonly targets: AppointmentTargets,
    private readonly changer: AppointmentChanger,
    private readonly groups: GroupWatch,
    private readonly conflicts: ConflictCheck,
    private readonly outbox: SchedulingOutbox,
    private readonly copies: FileCopies,
    private readonly refusal: FeedRefusal,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendar.update>) {
    await this.refusal.requireOwnCalendars(principal, query.folder, ...(body.folder_id ? [body.folder_id] : []));
    const id = parseAppointmentId(query.id, principal.contextId);
    const folderId = parseCalendarFolderId(query.folder);
    const { stored, warnings, ...result } = await this.groups.withStableGroups(
      principal,
      body.participants ?? [],
      async (groups) => {
        const prepared = {
          ...(await this.changer.prepare(principal, {
            id,
            participants: body.participants ?? [],
            // Only what has another time is booked anew.
            mayReschedule: TIMES.some((field) => body[field] !== undefined),
            folder: body.folder_id == null || body.folder_id === query.folder ? undefined : body.folder_id,
          })),
          zone: resolveRequestZone(query.timezone, principal.timeZone),
        };
        return this.conflicts.transact(principal, async (tx, visibility) => {
          await groups.lockVersions(tx);
          const target = await this.targets.lockTarget(tx, principal, id, folderId);
          return this.changeAppointment(tx, principal, target, body, query.timestamp, { ...prepared, visibility });
        });
      },
    );
    if (!stored) return reply<AppointmentCreation>(result, {});
    const { stamp: timestamp } = await this.copies.refreshCreated(principal, stored);
    return reply<AppointmentCreation>(result, { timestamp, warnings });
  }

  private async changeAppointment(
    tx: Transaction,
    user: UserPrincipal,
    target: AppointmentTarget,
    body: AppointmentData,
    timestamp: number,
    prepared: ChangePreparation & { visibility: KnownVisibility; zone: ZoneOffsets },
  ): Promise<UpdateOutcome> {
    const { appointment, exceptions } = target;
    const { before, master } = resolveTarget(
      appointment,
      exceptions,
      parseOccurrenceName(body),
      requireKnownOccurrence,
    );
    requireUnchanged(before.id === 0 ? appointment : before, timestamp, target.folder);
    requireWritable(target, user);
    if (master) requireSameType(master, body);
    const edited = this.applyEdit(user, target, before, body, prepared);
    const lost = listLostAlarms(target, edited.after, body);
    if (!leavesFolder(target, body.folder_id) && isUnchanged(before, edited.after)) {
      const { id, lastModified } = master ?? before;
      return { id: String(id), stored: { stamp: lastModified, created: [], changed: [] }, warnings: lost };
    }
    const { conflicts, written, changes } = await this.changer.storeChange(tx, user, target, {
      ...{ before, master, ...edited, ...prepared },
      folder: body.folder_id ?? undefined,
      ignoreSoft: body.ignore_conflicts ?? false,
    });
    if (!written) return { conflicts: conflicts.map((each) => toConflictData(each, user, prepared.zone)) };
    const scope = body.notification === false ? 'none' : 'all';
    await this.outbox.announce(tx, user, { ...written, removed: changes.removed }, { scope });
    const id = written.created[0]?.id ?? edited.after.id;
    return { id: String(id), stored: written, warnings: [...lost, ...(changes.removed ?? []).map(toLostWarning)] };
  }

  private applyEdit(
    user: UserPrincipal,
    target: AppointmentTarget,
    before: Appointment,
    body: AppointmentData,
    { zone, people, defaultReply, bookingReply, maxAttendees }: ChangePreparation & { zone: ZoneOffsets },
  ): EditedAppointment {
    const { calendarUser } = target.folder;
    if (isMereAttendee(before, target))
      return { after: applyAttendeeEdit(before, calendarUser, body, zone), mayConflict: false };
    const attendees = body.participants
      ? buildAttendeeList({
          participants: body.participants,
          owner: before.owner,
          isPublic: before.isPublic,
          before: before.attendees,
          people,
          user,
          defaultReply: (userId) => defaultReply(userId, before.isPublic),
          maxAttendees,
          keepsHidden: true,
        })
      : undefined;
    return applyOrganizerEdit(before, { body, zone, calendarUser, attendees, bookingReply });
  }
}

/** Tells of the alarm of a user who takes no part: alarms are kept with the attendee. */
function listLostAlarms(
  { appointment, folder }: AppointmentTarget,
  after: Appointment,
  { alarm = -1 }: AppointmentData,
): CatalogueError[] {
  const { calendarUser } = folder;
  if (alarm === null || alarm < 0 || findAttendee(after, calendarUser)) return [];
  return [CalendarErrors.valueIgnored(appointment.id, 'alarm', 'MAJOR', `user ${calendarUser} does not take part`)];
}

/** Tells of a change exception that has no place in the changed series. */
const toLostWarning = (exception: Appointment): CatalogueError =>
  CalendarErrors.valueIgnored(
    exception.id,
    'change_exceptions',
    'MAJOR',
    `the series has no occurrence on ${new Date(dayOf(exception.recurrenceLocalMs!)).toISOString().slice(0, 10)} any more`,
  );
