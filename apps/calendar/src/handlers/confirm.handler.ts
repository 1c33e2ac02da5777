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
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { covers } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { type AppointmentTarget, AppointmentTargets, requireUnchanged, requireWritable } from '../appointment-target';
import { AppointmentQuota } from '../appointment-quota';
import { AppointmentWriter } from '../appointment-writer';
import { ConflictCheck } from '../conflict-check';
import { answered, answeredAlong, takingPartAgain } from '../domain/answer';
import { type Appointment, type Attendee, isSeries, PARTICIPANT } from '../domain/appointment';
import { appointmentId } from '../domain/appointment-id';
import { requestZone } from '../domain/request-zone';
import { changesOf, subjectOf } from '../domain/subject';
import { calendarFolderId } from '../folder-access';
import { BookingAnswers } from '../participants/booking-answers';

/** Who answers: a user, an external participant by his address, or a resource by whoever manages it. */
type Answering = { readonly userId: number } | { readonly mail: string } | { readonly resourceId: number };

/** `confirm`: answers an invitation; the answer to one occurrence of a series makes an exception of it. */
@Handles(calendarAnswers.confirm)
export class ConfirmHandler implements Handler<typeof calendarAnswers.confirm> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly targets: AppointmentTargets,
    private readonly writer: AppointmentWriter,
    private readonly conflicts: ConflictCheck,
    private readonly directory: Directory,
    private readonly bookings: BookingAnswers,
    private readonly quota: AppointmentQuota,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendarAnswers.confirm>) {
    const id = appointmentId(query.id, principal.contextId);
    const folderId = calendarFolderId(query.folder);
    const zone = requestZone(query.timezone, principal.timeZone);
    requireValidAnswer(body);
    const answering = await this.answering(principal, query.id, body);
    const [limits, maxAppointments] = await Promise.all([
      this.conflicts.limits(principal),
      this.quota.limit(principal),
    ]);
    const { stamp, ...outcome } = await this.database.transact(
      principal,
      async (tx): Promise<AppointmentAnswerOutcome & { stamp?: number }> => {
        const target =
          'resourceId' in answering
            ? await this.targets.findBooking(tx, principal, id, folderId, answering.resourceId)
            : await this.targets.find(tx, principal, id, folderId);
        const { appointment, exceptions } = target;
        const name = { position: query.occurrence || undefined };
        const subject = subjectOf(appointment, exceptions, name);
        const { before } = subject;
        requireUnchanged(before.id === 0 ? appointment : before, query.timestamp);
        const attendee = attendeeFor(before, answering);
        if (!('resourceId' in answering)) requireMayAnswer(target, principal, attendee);
        const changed = [
          answered(before, attendee, body),
          // Whoever manages a resource answers for all occurrences that wait, changed ones as well.
          ...('resourceId' in answering && isSeries(before) ? answeredAlong(exceptions, attendee, body) : []),
        ];
        // Somebody else may have booked what was declined.
        const mayConflict = query.ignore_conflicts === false || attendee.type === PARTICIPANT.resource;
        const again = mayConflict ? changed.flatMap(takingPartAgain) : [];
        if (again.length > 0) {
          const conflicts = await this.conflicts.find(tx, principal, {
            appointments: again,
            ignoreSoft: false,
            zone,
            limits,
          });
          if (conflicts.length > 0) return { conflicts };
        }
        const changes = changesOf(subject, changed[0]!.after);
        const written = { ...changes, changed: [...changes.changed, ...changed.slice(1)], maxAppointments };
        return { stamp: (await this.writer.write(tx, principal.userId, written)).stamp };
      },
    );
    return reply<AppointmentAnswerOutcome>(outcome, stamp === undefined ? {} : { timestamp: stamp });
  }

  private async answering(
    user: UserPrincipal,
    appointment: string,
    { id, type, mail }: AppointmentAnswer,
  ): Promise<Answering> {
    if (type === PARTICIPANT.resource) {
      const resourceId = id ?? 0;
      if (!(await this.bookings.mayAnswer(user, resourceId)))
        throw CalendarErrors.attendeeChange(appointment, resourceId, 'confirm');
      return { resourceId };
    }
    const address = mail?.trim().toLowerCase();
    if (!address) {
      if (type === PARTICIPANT.external) throw AppointmentErrors.externalWithoutAddress();
      return { userId: id ?? user.userId };
    }
    const found = (await this.directory.byAddress(user, [address])).get(address);
    return found?.kind === 'user' ? { userId: found.id } : { mail: address };
  }
}

function requireValidAnswer({ confirmmessage, mail }: AppointmentAnswer): void {
  // Postgres takes no NUL in texts.
  if (confirmmessage?.includes('\u0000')) throw AppointmentErrors.badCharacter('U+0000', 'confirmmessage');
  if (mail?.includes('\u0000')) throw AppointmentErrors.badCharacter('U+0000', 'mail');
}

/** The row of whoever answers; CAL-4043 when he takes no part. */
function attendeeFor(appointment: Appointment, answering: Answering): Attendee {
  const found = appointment.attendees.find(({ type, entity, mail }) => {
    if ('userId' in answering) return type === PARTICIPANT.user && entity === answering.userId;
    if ('resourceId' in answering) return type === PARTICIPANT.resource && entity === answering.resourceId;
    return type === PARTICIPANT.external && mail?.toLowerCase() === answering.mail;
  });
  if (!found || found.hidden)
    throw CalendarErrors.attendeeNotFound(Object.values(answering)[0] as string | number, appointment.id);
  return found;
}

/** Everybody answers for himself; for the owner of a shared calendar, and for externals, only who may write there. */
function requireMayAnswer(target: AppointmentTarget, user: UserPrincipal, attendee: Attendee): void {
  const { folder, appointment, asAttendee } = target;
  if (attendee.entity === user.userId) return;
  const field = attendee.mail ?? attendee.entity;
  if (attendee.type === PARTICIPANT.external) {
    if (asAttendee) throw CalendarErrors.attendeeChange(appointment.id, field, 'confirm');
    return requireWritable(target, user);
  }
  const ownCalendar = folder.type === 1 && folder.createdBy === attendee.entity;
  if (!ownCalendar || !covers(folder.rights.write, appointment.createdBy === user.userId))
    throw CalendarErrors.attendeeChange(appointment.id, field, 'confirm');
}
