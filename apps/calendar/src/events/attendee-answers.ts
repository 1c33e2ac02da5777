import {
  APPOINTMENT_RIGHTS,
  CalendarErrors,
  findFeedFolder,
  recordCheck,
  type AttendeeAndAlarmsBody,
  type AttendeeData,
  type EventWriteQuery,
  type UserPrincipal,
} from '@groupware/contracts';
import { coversObject } from '@groupware/folders';
import { resolveTimeZone } from '@groupware/recurrence';
import { Injectable } from '@nestjs/common';
import { FeedChanges } from '../feeds/feed-changes';
import { FeedRefusal } from '../feeds/feed-refusal';
import { AppointmentQuota } from '../appointments/appointment-quota';
import { type AppointmentTarget, AppointmentTargets, requireUnchanged } from '../appointments/appointment-target';
import { AppointmentWriter } from '../appointments/appointment-writer';
import { ConflictCheck, type SeenConflict } from '../conflicts/conflict-check';
import { type Appointment, type Attendee, isSeries, PARTICIPANT } from '../domain/appointment';
import { attendeeKey } from '../domain/attendee-list';
import { createOccurrenceChanges, isUnchanged, resolveTarget } from '../domain/change-target';
import { requireKnownOccurrence } from '../domain/occurrence';
import { listAnswered } from '../domain/participation';
import { listEventAlarms } from './event-alarms';
import { isTechnicalException } from './event-answers';
import { requireSameAttendee, setAlarms, setAnswer } from './event-attendees';
import { asEvent } from './event-errors';
import { parseEventId, toOccurrenceName } from './event-finder';
import { mailOf, partStatOf } from './event-people';
import { SchedulingOutbox, toSchedulingScope } from '../scheduling/outgoing/scheduling-outbox';
import { EventResults, type EventChanges, type ResultRequest, toEventChanges, toUnchanged } from './event-results';
import { EventSettings } from './event-settings';
import { parseEventFolder } from '../folders/folder-access';

/** The event of an answer. Without a timestamp the event may have changed meanwhile. */
type AnswerQuery = EventWriteQuery & {
  readonly id: string;
  readonly recurrenceId?: string;
  readonly timestamp?: number;
  readonly checkConflicts?: boolean;
};

/** The stored answer, or the conflicts that stand against it. */
export type AnswerOutcome = { readonly changes: EventChanges } | { readonly conflicts: readonly SeenConflict[] };

/** Stores answers and alarms of the calendar user; those of one occurrence make an event of it. */
@Injectable()
export class AttendeeAnswers {
  constructor(
    private readonly targets: AppointmentTargets,
    private readonly writer: AppointmentWriter,
    private readonly conflicts: ConflictCheck,
    private readonly quota: AppointmentQuota,
    private readonly results: EventResults,
    private readonly outbox: SchedulingOutbox,
    private readonly feeds: FeedChanges,
    private readonly refusal: FeedRefusal,
    private readonly settings: EventSettings,
  ) {}

  /** Stores an answer, alarms, or both. @throws the errors of `chronos?action=updateAttendee` */
  async storeAnswer(
    user: UserPrincipal,
    query: AnswerQuery,
    body: AttendeeAndAlarmsBody,
    request: ResultRequest,
  ): Promise<AnswerOutcome> {
    await this.settings.requireFewAlarms(user, body.alarms);
    if (findFeedFolder(query.folder) !== undefined && !body.attendee && body.alarms !== undefined)
      return { changes: await this.feeds.updateAlarms(user, query, body.alarms ?? []) };
    await this.refusal.requireOwnCalendars(user, query.folder);
    return asEvent(query.id, () => this.answer(user, query, body, request));
  }

  private async answer(
    user: UserPrincipal,
    query: AnswerQuery,
    body: AttendeeAndAlarmsBody,
    request: ResultRequest,
  ): Promise<AnswerOutcome> {
    const [id, folderId] = [parseEventId(query.id), parseEventFolder(query.folder)];
    const name = toOccurrenceName(query.recurrenceId);
    const [limits, maxAppointments] = await Promise.all([this.conflicts.getLimits(user), this.quota.getLimit(user)]);
    return this.conflicts.transact(user, async (tx, visibility): Promise<AnswerOutcome> => {
      this.writer.leaveOut(tx, query.pushToken);
      const target = await this.targets.lockTarget(tx, user, id, folderId, name);
      const subject = resolveTarget(target.appointment, target.exceptions, name, requireKnownOccurrence);
      const { before } = subject;
      const stored = before.id === 0 ? target.appointment : before;
      if (query.timestamp !== undefined) requireUnchanged(stored, query.timestamp, target.folder);
      const attendee = requireAnswerable(target, before, user, body.attendee);
      const after = applyAnswer(before, attendee, target.folder.calendarUser, body);
      if (isUnchanged(before, after)) return { changes: toUnchanged(target.folder, subject) };
      const carried = isSeries(before) ? carryAnswer(before, attendee, target, body) : [];
      const again = query.checkConflicts ? listAnswered({ before, after, attendee }) : [];
      if (again.length > 0) {
        const floatingZone = resolveTimeZone(user.timeZone);
        const question = { appointments: again, ignoreSoft: false, limits, visibility, floatingZone };
        const conflicts = await this.conflicts.findConflicts(tx, user, question);
        if (conflicts.length > 0) return { conflicts };
      }
      const planned = createOccurrenceChanges(subject, after);
      const changes = { ...planned, changed: [...planned.changed, ...carried], maxAppointments };
      const written = await this.writer.writeChanges(tx, user.userId, changes);
      const outcome = toEventChanges(target.folder, written);
      await this.results.requireAnswerable(request, outcome);
      await this.outbox.announce(tx, user, written, { scope: toSchedulingScope(query) });
      return { changes: outcome };
    });
  }
}

/** The attendee who answers: the calendar user unless another attendee is named, which is CAL-4033. CAL-4043 when there is none. */
function requireAnswerable(
  { folder, appointment }: AppointmentTarget,
  event: Appointment,
  user: UserPrincipal,
  wire: AttendeeData | null | undefined,
): Attendee {
  recordCheck(APPOINTMENT_RIGHTS.reply);
  const { calendarUser } = folder;
  const mail = (mailOf(wire?.uri ?? '') ?? wire?.email)?.toLowerCase();
  const attendee = event.attendees.find(({ type, entity, mail: known }) =>
    wire?.entity || !mail
      ? type === PARTICIPANT.user && entity === (wire?.entity || calendarUser)
      : known?.toLowerCase() === mail,
  );
  if (!attendee || attendee.hidden)
    throw CalendarErrors.attendeeNotFound(wire?.entity ?? mail ?? calendarUser, event.id);
  const mayAnswer =
    attendee.entity === calendarUser &&
    (calendarUser === user.userId || coversObject(folder.rights.write, appointment.createdBy === user.userId));
  if (!mayAnswer || attendee.type !== PARTICIPANT.user)
    throw CalendarErrors.attendeeChange(event.id, attendee.mail ?? attendee.entity, 'partStat');
  if (wire) requireSameAttendee(attendee, wire, { eventId: event.id });
  return attendee;
}

function applyAnswer(
  event: Appointment,
  attendee: Attendee,
  calendarUser: number,
  { attendee: wire, alarms }: AttendeeAndAlarmsBody,
): Appointment {
  const answered = event.attendees.map((each) => (each === attendee && wire ? setAnswer(each, wire) : each));
  return { ...event, attendees: [...setAlarms(answered, calendarUser, alarms, event.id)] };
}

/** Exceptions that nothing but answers make differ follow the answer and the alarms of their series, where they had the same. */
function carryAnswer(
  series: Appointment,
  attendee: Attendee,
  { exceptions, folder }: AppointmentTarget,
  { attendee: wire, alarms }: AttendeeAndAlarmsBody,
): { before: Appointment; after: Appointment }[] {
  return exceptions.flatMap((before) => {
    const own = before.attendees.find((each) => attendeeKey(each) === attendeeKey(attendee));
    if (!own || own.hidden || !isTechnicalException(before, series)) return [];
    const answer = partStatOf(own) === partStatOf(attendee) ? wire : undefined;
    const followed = hasSameAlarms(own, attendee) ? alarms : undefined;
    const after = applyAnswer(before, own, folder.calendarUser, { attendee: answer, alarms: followed });
    return isUnchanged(before, after) ? [] : [{ before, after }];
  });
}

/** True when the alarms of two attendees go off alike. */
function hasSameAlarms(left: Attendee, right: Attendee): boolean {
  const toText = (each: Attendee): string =>
    JSON.stringify(
      listEventAlarms({ id: 0, attendees: [each] }, each).map(({ action, trigger }) => ({ action, trigger })),
    );
  return toText(left) === toText(right);
}
