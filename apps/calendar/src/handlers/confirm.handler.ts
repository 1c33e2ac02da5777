import {
  AppointmentErrors,
  calendarAnswers,
  CalendarErrors,
  reply,
  type AppointmentAnswer,
  type AppointmentAnswerOutcome,
  type CallOf,
  type Handler,
  type UserPrincipal,
  APPOINTMENT_RIGHTS,
  recordCheck,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { coversObject } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import {
  type AppointmentTarget,
  AppointmentTargets,
  requireUnchanged,
  requireWritable,
} from '../appointments/appointment-target';
import { AppointmentQuota } from '../appointments/appointment-quota';
import { AppointmentWriter } from '../appointments/appointment-writer';
import { FileCopies, type StoredRows } from '../appointments/file-copies';
import { ConflictCheck } from '../conflicts/conflict-check';
import { applyReply, applyReplyToExceptions, listRebookings } from '../domain/participation';
import { type Appointment, type Attendee, isSeries, PARTICIPANT } from '../domain/appointment';
import { parseAppointmentId } from '../domain/appointment-id';
import { resolveRequestZone } from '../domain/request-zone';
import { createOccurrenceChanges, isUnchanged, resolveTarget } from '../domain/change-target';
import { FeedRefusal } from '../feeds/feed-refusal';
import { parseCalendarFolderId } from '../folders/folder-access';
import { BookingReplies } from '../participants/booking-replies';
import { SchedulingOutbox } from '../scheduling/outgoing/scheduling-outbox';

/** The replying attendee: a user, an external participant by address, or a resource by its delegate. */
type Replier = { readonly userId: number } | { readonly mail: string } | { readonly resourceId: number };

/** `confirm`: answers an invitation; the answer to one occurrence of a series makes an exception of it. */
@Handles(calendarAnswers.confirm)
export class ConfirmHandler implements Handler<typeof calendarAnswers.confirm> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly targets: AppointmentTargets,
    private readonly writer: AppointmentWriter,
    private readonly conflicts: ConflictCheck,
    private readonly directory: Directory,
    private readonly bookings: BookingReplies,
    private readonly quota: AppointmentQuota,
    private readonly outbox: SchedulingOutbox,
    private readonly copies: FileCopies,
    private readonly refusal: FeedRefusal,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendarAnswers.confirm>) {
    await this.refusal.requireOwnCalendars(principal, query.folder);
    const id = parseAppointmentId(query.id, principal.contextId);
    const folderId = parseCalendarFolderId(query.folder);
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    requireValidAnswer(body);
    const answering = await this.resolveReplier(principal, query.id, body);
    const [limits, maxAppointments] = await Promise.all([
      this.conflicts.getLimits(principal),
      this.quota.getLimit(principal),
    ]);
    const { stored, ...outcome } = await this.conflicts.transact(
      principal,
      async (tx, visibility): Promise<AppointmentAnswerOutcome & { stored?: StoredRows }> => {
        const target =
          'resourceId' in answering
            ? await this.targets.lockBooking(tx, principal, id, folderId, answering.resourceId)
            : await this.targets.lockTarget(tx, principal, id, folderId);
        const { appointment, exceptions } = target;
        const name = { position: query.occurrence || undefined };
        const subject = resolveTarget(appointment, exceptions, name);
        const { before, master = before } = subject;
        requireUnchanged(before.id === 0 ? appointment : before, query.timestamp, target.folder);
        const attendee = requireAttendee(before, answering);
        if (!('resourceId' in answering)) requireMayReply(target, principal, attendee);
        const changed = [
          applyReply(before, attendee, body),
          // A delegate replies for all pending occurrences of a resource, changed ones included.
          ...('resourceId' in answering && isSeries(before) ? applyReplyToExceptions(exceptions, attendee, body) : []),
        ];
        if (changed.every((each) => isUnchanged(each.before, each.after)))
          return { stored: { stamp: master.lastModified, created: [], changed: [] } };
        // A declined resource may have been booked by others meanwhile.
        const mayConflict = query.ignore_conflicts === false || attendee.type === PARTICIPANT.resource;
        const again = mayConflict ? changed.flatMap(listRebookings) : [];
        if (again.length > 0) {
          const conflicts = await this.conflicts.listConflicts(tx, principal, {
            appointments: again,
            ignoreSoft: false,
            zone,
            limits,
            visibility,
          });
          if (conflicts.length > 0) return { conflicts };
        }
        const changes = createOccurrenceChanges(subject, changed[0]!.after);
        const written = { ...changes, changed: [...changes.changed, ...changed.slice(1)], maxAppointments };
        const stored = await this.writer.writeChanges(tx, principal.userId, written);
        await this.outbox.announce(tx, principal, stored, { scope: 'all' });
        return { stored };
      },
    );
    if (!stored) return reply<AppointmentAnswerOutcome>(outcome, {});
    const { stamp: timestamp } = await this.copies.refreshCreated(principal, stored);
    return reply<AppointmentAnswerOutcome>(outcome, { timestamp });
  }

  private async resolveReplier(
    user: UserPrincipal,
    appointment: string,
    { id, type, mail }: AppointmentAnswer,
  ): Promise<Replier> {
    if (type === PARTICIPANT.resource) {
      const resourceId = id ?? 0;
      if (!(await this.bookings.mayReply(user, resourceId)))
        throw CalendarErrors.attendeeChange(appointment, resourceId, 'confirm');
      return { resourceId };
    }
    const address = mail?.trim().toLowerCase();
    if (!address) {
      if (type === PARTICIPANT.external) throw AppointmentErrors.externalWithoutAddress();
      return { userId: id ?? user.userId };
    }
    const found = (await this.directory.findByAddresses(user, [address])).get(address);
    return found?.kind === 'user' ? { userId: found.id } : { mail: address };
  }
}

function requireValidAnswer({ confirmmessage, mail }: AppointmentAnswer): void {
  // Postgres takes no NUL in texts.
  if (confirmmessage?.includes('\u0000')) throw AppointmentErrors.badCharacter('U+0000', 'confirmmessage');
  if (mail?.includes('\u0000')) throw AppointmentErrors.badCharacter('U+0000', 'mail');
}

/** The row of the replying attendee; CAL-4043 when there is none. */
function requireAttendee(appointment: Appointment, answering: Replier): Attendee {
  const found = appointment.attendees.find(({ type, entity, mail }) => {
    if ('userId' in answering) return type === PARTICIPANT.user && entity === answering.userId;
    if ('resourceId' in answering) return type === PARTICIPANT.resource && entity === answering.resourceId;
    return type === PARTICIPANT.external && mail?.toLowerCase() === answering.mail;
  });
  if (!found || found.hidden)
    throw CalendarErrors.attendeeNotFound(Object.values(answering)[0] as string | number, appointment.id);
  return found;
}

/** Users reply for themselves; replies for the owner of a shared calendar, and for externals, need write rights. */
function requireMayReply(target: AppointmentTarget, user: UserPrincipal, attendee: Attendee): void {
  recordCheck(APPOINTMENT_RIGHTS.reply);
  const { folder, appointment, asAttendee } = target;
  if (attendee.entity === user.userId) return;
  const field = attendee.mail ?? attendee.entity;
  if (attendee.type === PARTICIPANT.external) {
    if (asAttendee) throw CalendarErrors.attendeeChange(appointment.id, field, 'confirm');
    return requireWritable(target, user);
  }
  const ownCalendar = folder.type === 1 && folder.createdBy === attendee.entity;
  if (!ownCalendar || !coversObject(folder.rights.write, appointment.createdBy === user.userId))
    throw CalendarErrors.attendeeChange(appointment.id, field, 'confirm');
}
