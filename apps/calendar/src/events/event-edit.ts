import { CalendarErrors, type EventData } from '@groupware/contracts';
import { type Appointment, type Attendee, CONFIRM, isException, isSeries, PARTICIPANT } from '../domain/appointment';
import type { EditedAppointment } from '../domain/appointment-edit';
import { attendeeKey, hasSameAttendees } from '../domain/attendee-list';
import { withRangeEnd } from '../domain/exception';
import { type BookingReply, hasOtherOccurrences, isRescheduled, raisesSequence } from '../domain/reschedule';
import { requireSameAttendee, setAlarms, setAnswer } from './event-attendees';
import { applyEventContent } from './event-input';
import { getIcalendarExtra } from '../domain/icalendar-extra';
import { isInvitedCopy, isModeratorSide, organizerIdOf } from '../domain/organizer';
import { toConferences } from './event-rest';
import { mailOf } from './event-people';
import { withAttendeeRest } from '../domain/attendee-rest';

/** A change of an event by a body. */
export interface EventEdit {
  readonly body: EventData;
  readonly userZone: string;
  /** The user whose answer and alarms the body holds. */
  readonly calendarUser: number;
  /** The new list, when the body has one. */
  readonly attendees: readonly Attendee[] | undefined;
  readonly bookingReply: BookingReply;
}

/** Applies a change by the organizer or a user who acts for him. */
export function applyEventEdit(before: Appointment, edit: EventEdit): EditedAppointment {
  const { calendarUser } = edit;
  const body = withUnseenConferences(before, edit.body, calendarUser);
  requireUnchangedIdentity(before, body);
  const content = applyEventContent(
    before,
    isException(before) ? withoutRecurrence(before, body) : body,
    edit.userZone,
  );
  const repeats = content.rule !== null || Boolean(content.rdates?.length);
  const draft = withRangeEnd({
    ...before,
    ...content,
    seriesId: isException(before) ? before.seriesId : repeats ? before.id : null,
    ...(!isException(before) && !repeats && { rule: null, rdates: null, exdates: null, changes: null }),
    attendees: setAlarms(edit.attendees ?? before.attendees, calendarUser, body.alarms, before.id),
  });
  const invited = !hasSameAttendees(before.attendees, draft.attendees);
  const moved = isRescheduled(before, draft) || !sameList(before.exdates, draft.exdates);
  const attendees = needsNewAnswers(before, draft) ? askAgain(draft, before, edit.bookingReply) : draft.attendees;
  const sequence = raisesSequence(before, draft) ? Math.max(before.sequence + 1, draft.sequence) : draft.sequence;
  return {
    after: { ...draft, attendees, sequence },
    mayConflict: moved || invited || before.shownAs !== draft.shownAs,
  };
}

/**
 * Applies a change by a mere attendee: his answer and his alarms, and of a copy of his own also the colour and the
 * occurrences that he does not attend; all else is CAL-4038.
 */
export function applyEventAttendeeEdit(before: Appointment, edit: Omit<EventEdit, 'bookingReply'>): Appointment {
  const { calendarUser, userZone } = edit;
  requireUnchangedIdentity(before, edit.body);
  const isCopy = isInvitedCopy(before);
  const body = isException(before) ? withoutRecurrence(before, edit.body) : edit.body;
  const content = applyEventContent(before, body, userZone);
  // Both in the form that a change gives them: what a file left empty is no difference.
  const allowed = applyEventContent(before, isCopy ? pickOwnFields(before, content, body) : {}, userZone);
  for (const field of Object.keys(content) as (keyof typeof content)[])
    if (field !== 'sequence' && JSON.stringify(content[field]) !== JSON.stringify(allowed[field]))
      throw CalendarErrors.notOrganizer();
  const own = body.attendees?.find((each) => each.entity === calendarUser);
  if (body.attendees) {
    const named = new Set(
      body.attendees.map(({ entity, uri, email }) => String(entity || (mailOf(uri ?? '') ?? email)?.toLowerCase())),
    );
    // The owner of a calendar need not be named.
    if (isCopy) named.add(String(calendarUser));
    const known = new Set(before.attendees.map(({ entity, mail }) => String(entity ?? mail?.toLowerCase())));
    if (!named.has(String(calendarUser)) || named.size !== known.size || [...named].some((each) => !known.has(each)))
      throw CalendarErrors.notOrganizer();
  }
  const answered = before.attendees.map((attendee) => {
    if (!own || attendee.type !== PARTICIPANT.user || attendee.entity !== calendarUser) return attendee;
    requireSameAttendee(attendee, own, { eventId: before.id });
    return setAnswer(attendee, own);
  });
  return {
    ...before,
    ...(isCopy && body.color !== undefined && { color: allowed.color, extra: allowed.extra }),
    ...(isCopy && { exdates: allowed.exdates }),
    attendees: setAlarms(answered, calendarUser, body.alarms, before.id),
  };
}

/** A body whose list of conferences leaves those in place that the calendar user does not see. */
function withUnseenConferences(before: Appointment, body: EventData, calendarUser: number): EventData {
  if (body.conferences === undefined || isModeratorSide(before, calendarUser)) return body;
  const rest = getIcalendarExtra(before);
  const seen = new Set(toConferences(rest, false)?.map(({ id }) => id));
  const unseen = (toConferences(rest) ?? []).filter(({ id }) => !seen.has(id));
  return unseen.length === 0 ? body : { ...body, conferences: [...(body.conferences ?? []), ...unseen] };
}

/** The fields of a body that are a user's own in his copy: the colour, and occurrences that go, if none comes back. */
function pickOwnFields(
  before: Appointment,
  { exdates }: Pick<Appointment, 'exdates'>,
  { color, deleteExceptionDates }: EventData,
): EventData {
  const deleted = new Set(exdates);
  const keepsDeleted = (before.exdates ?? []).every((local) => deleted.has(local));
  return { color, ...(keepsDeleted && { deleteExceptionDates }) };
}

/** Requires that owner, unique id and organizer do not change by an update (CAL-4035); equal values are ignored. */
function requireUnchangedIdentity(before: Appointment, { uid, organizer, calendarUser }: EventData): void {
  if (uid && uid !== before.uid) throw CalendarErrors.changeForbidden(before.id, 'uid');
  if (calendarUser?.entity && calendarUser.entity !== before.owner && !before.isPublic)
    throw CalendarErrors.changeForbidden(before.id, 'calendarUser');
  if (!organizer) return;
  const id = organizerIdOf(before);
  const mail = (mailOf(organizer.uri ?? '') ?? organizer.email)?.toLowerCase();
  const stored = (before.principal ?? before.organizer ?? '').toLowerCase();
  const same = organizer.entity ? organizer.entity === id : !mail || mail === (mailOf(stored) ?? stored);
  if (!same) throw CalendarErrors.changeForbidden(before.id, 'organizer');
}

/** An exception has no recurrence of its own (CAL-4035). */
function withoutRecurrence(before: Appointment, body: EventData): EventData {
  if (body.rrule) throw CalendarErrors.changeForbidden(before.id, 'rrule');
  const { rrule: _rrule, recurrenceDates: _dates, deleteExceptionDates: _deleted, ...rest } = body;
  return rest;
}

const sameList = (left: readonly number[] | null, right: readonly number[] | null): boolean =>
  String(left ?? '') === String(right ?? '');

/**
 * True when people have to answer again: it begins earlier, ends later, or there are occurrences that were not there. Shortening
 * needs no new answer, nor does another zone with the same instants.
 */
function needsNewAnswers(before: Appointment, after: Appointment): boolean {
  if (after.startMs < before.startMs || after.endMs > before.endMs) return true;
  const gone = new Set(after.exdates);
  const earlier = new Set(before.rdates);
  if (isSeries(before) && isSeries(after) && before.exdates?.some((local) => !gone.has(local))) return true;
  if (after.rdates?.some((local) => !earlier.has(local))) return true;
  if (hasOtherOccurrences(before.rule, after.rule)) return true;
  return before.rule !== after.rule && after.rule !== null && after.rangeEndMs > before.rangeEndMs;
}

/** Asks all attendees but the owner again; those who had taken themselves out are back. */
function askAgain(after: Appointment, before: Appointment, bookingReply: BookingReply): Attendee[] {
  const known = new Set(before.attendees.map(attendeeKey));
  return after.attendees.map((attendee) => {
    if (!known.has(attendeeKey(attendee)) || attendee.type === PARTICIPANT.group) return attendee;
    if (attendee.type === PARTICIPANT.resource)
      return { ...attendee, confirm: bookingReply(attendee.entity!) ?? attendee.confirm };
    if (attendee.type === PARTICIPANT.user && attendee.entity === after.owner) return attendee;
    const asked = { ...attendee, confirm: CONFIRM.none, hidden: false, listed: attendee.listed || attendee.hidden };
    return withAttendeeRest(asked, { partStat: undefined });
  });
}
