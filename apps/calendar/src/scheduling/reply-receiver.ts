import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import type { People } from '@groupware/directory';
import type { Transaction } from '@groupware/persistence';
import { AppointmentTargets, requireWritable } from '../appointments/appointment-target';
import { AppointmentWriter } from '../appointments/appointment-writer';
import { type Appointment, type Attendee, CONFIRM, isSeries, PARTICIPANT } from '../domain/appointment';
import { requiresReconfirmation } from '../domain/reschedule';
import { AttendeeCalendars } from '../participants/attendee-calendars';
import { toInstant } from '../icalendar/from-event';
import type { CalendarEvent } from '@groupware/icalendar';
import { createChangeSet } from '../domain/change-set';
import { createOccurrenceChanges, resolveTarget } from '../domain/change-target';
import { isTechnicalException } from '../events/event-answers';
import { partStatOf } from '../events/event-people';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { UidRepository } from '../persistence/uid.repository';
import {
  applyExternalReply,
  type ExternalReply,
  findReplier,
  findReply,
  findSpeaker,
  isOldReply,
} from './external-reply';
import { findPosition } from './own-appointments';
import type { SchedulingMessage, SchedulingResult } from './scheduling-message';

/** Takes answers that come by mail to appointments that the user may change (REPLY; RFC 5546, section 3.2.3). */
@Injectable()
export class ReplyReceiver {
  constructor(
    private readonly uids: UidRepository,
    private readonly appointments: AppointmentRepository,
    private readonly targets: AppointmentTargets,
    private readonly writer: AppointmentWriter,
    private readonly calendars: AttendeeCalendars,
  ) {}

  /** CAL-4031 and others when the user may not change it; QUOTA-0003 for an occurrence that has no room as an exception. */
  async receiveReply(
    tx: Transaction,
    user: UserPrincipal,
    message: SchedulingMessage,
    maxAppointments: number,
    { addsSender = false, people }: { readonly addsSender?: boolean; readonly people?: People } = {},
  ): Promise<SchedulingResult> {
    const { event } = message;
    const answer = identify(findReply(event, message.sender, message.anySender), people);
    // An attendee may have said nothing that is an answer.
    if (!answer) return findSpeaker(event, message.sender, message.anySender) ? 'refused' : 'unknownSender';
    const id = await this.uids.findId(tx, user.userId, event.uid);
    const found = id === undefined ? undefined : await this.appointments.findById(tx, id);
    if (!found) return 'unknownAppointment';
    const target = await this.targets.lockTarget(tx, user, found.id, found.folderId);
    requireWritable(target, user);
    const { appointment, exceptions } = target;
    const ofOccurrence = event.recurrenceId !== undefined && isSeries(appointment);
    const place = ofOccurrence ? findPosition(appointment, event) : undefined;
    if (ofOccurrence && !place) return 'unknownAppointment';
    if (place && appointment.exdates?.includes(place.localMs)) return 'refused';
    const subject = resolveTarget(appointment, exceptions, { position: place?.position });
    if (isOldReply(subject.before.attendees, answer) || isSuperseded(event, subject.before)) return 'stale';
    const isAdded = addsSender && !findReplier(subject.before.attendees, answer);
    const invited = isAdded ? addReplier(subject.before.attendees, answer, people) : subject.before.attendees;
    if (!findReplier(invited, answer)) return 'notInvited';
    const answered = applyExternalReply(invited, answer);
    if (!answered) return 'repeated';
    const attendees =
      isAdded && people ? await this.calendars.assignCalendars(tx, answered, target.folder, people) : answered;
    const { before } = subject;
    // An added replier changes the event as the organizer's own invitation does.
    const after = { ...before, attendees, sequence: isAdded ? before.sequence + 1 : before.sequence };
    const changes =
      isAdded && isSeries(before)
        ? createChangeSet(before, after, exceptions, undefined, { shiftMs: 0 })
        : createOccurrenceChanges(subject, after);
    const carried = !isAdded && isSeries(before) ? carryReply(before, exceptions, answer) : [];
    await this.writer.writeChanges(tx, user.userId, {
      ...changes,
      changed: [...changes.changed, ...carried],
      maxAppointments,
    });
    return 'applied';
  }
}

/** Exceptions that nothing but answers make differ follow the answer to their series, where they had the same one. */
function carryReply(
  series: Appointment,
  exceptions: readonly Appointment[],
  answer: ExternalReply,
): { before: Appointment; after: Appointment }[] {
  const replier = findReplier(series.attendees, answer);
  return exceptions.flatMap((before) => {
    const own = findReplier(before.attendees, answer);
    const follows = own && replier && partStatOf(own) === partStatOf(replier) && isTechnicalException(before, series);
    if (!follows || isOldReply(before.attendees, answer)) return [];
    const attendees = applyExternalReply(before.attendees, answer);
    return attendees ? [{ before, after: { ...before, attendees } }] : [];
  });
}

/** True for an answer to an earlier time of an appointment: people had to answer again since. */
function isSuperseded({ sequence, start, end, rrule }: CalendarEvent, current: Appointment): boolean {
  if (sequence >= current.sequence) return false;
  const [startMs, endMs] = [toInstant(start), toInstant(end)];
  const { rangeEndMs, timeZone, fullTime, rdates } = current;
  const answered = { startMs, endMs, rangeEndMs, rule: rrule ?? current.rule, timeZone, fullTime, rdates };
  return requiresReconfirmation(answered, current);
}

/** The answer with the user of ours who gives it, where it is one. */
function identify(answer: ExternalReply | undefined, people: People | undefined): ExternalReply | undefined {
  const entity = answer && people?.byAddress.get(answer.mail);
  return entity?.kind === 'user' ? { ...answer!, userId: entity.id } : answer;
}

/** The attendees and one who was not invited: a user of ours as such, back where he had taken himself out. */
function addReplier(
  attendees: readonly Attendee[],
  { mail, userId }: ExternalReply,
  people: People | undefined,
): Attendee[] {
  const others = attendees.filter(({ type, entity }) => type !== PARTICIPANT.user || entity !== userId);
  const user = people?.byAddress.get(mail);
  const replier: Attendee = {
    ...{ type: PARTICIPANT.external, entity: null, mail, displayName: null, folderId: null, direct: false },
    ...{ listed: true, hidden: false, confirm: CONFIRM.none, message: null, alarm: null, extra: null },
    ...(user?.kind === 'user' && {
      type: PARTICIPANT.user,
      entity: user.id,
      mail: user.email,
      displayName: user.displayName,
    }),
  };
  return [...others, replier];
}
