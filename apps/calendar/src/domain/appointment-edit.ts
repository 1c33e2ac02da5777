import { AppointmentErrors, CalendarErrors, type AppointmentData } from '@groupware/contracts';
import { fieldsFromRule, type ZoneOffsets } from '@groupware/recurrence';
import { type Appointment, type Attendee, CONFIRM, isException, PARTICIPANT } from './appointment';
import { applyContentChanges, applySeriesChanges } from './appointment-input';
import { parseOccurrenceName } from './appointment-reference';
import { attendeeKey, hasSameAttendees } from './attendee-list';
import { withRangeEnd } from './exception';
import { dayOf } from './local-days';
import { isInvitedCopy } from './organizer';
import { setOwnParticipation } from './own-participation';
import { hasRule, mentionsRecurrence, seriesFromFields, moveToFirstOccurrence } from './recurrence-input';
import {
  resetParticipation,
  type BookingReply,
  isRescheduled,
  raisesSequence,
  requiresReconfirmation,
} from './reschedule';
import { parseStoredRule, startLocalOf, zoneOf } from './series';

/** The outcome of an edit. */
export interface EditedAppointment {
  readonly after: Appointment;
  /** Time, participants or shown_as changed: conflicts must be looked for. */
  readonly mayConflict: boolean;
}

/** Edit by a user who may change everything. */
export interface OrganizerEdit {
  readonly body: AppointmentData;
  readonly zone: ZoneOffsets;
  /** The user whose reply and alarm the body holds. */
  readonly calendarUser: number;
  /** The new list, when the body has one. */
  readonly attendees: readonly Attendee[] | undefined;
  readonly bookingReply?: BookingReply;
}

/** Applies an edit by the organizer, a user acting for him, or a writer of a public folder. */
export function applyOrganizerEdit(before: Appointment, edit: OrganizerEdit): EditedAppointment {
  const { body, zone } = edit;
  requireNoSeriesInException(before, body);
  const content = applyContentChanges(before, body, zone);
  const series = isException(before) ? {} : { ...adjustSeries(before, content, body) };
  const becomesSeries = !isException(before) && (series.rule ?? before.rule) !== null && series.rule !== null;
  const draft = withRangeEnd({
    ...before,
    ...content,
    ...series,
    seriesId: isException(before) ? before.seriesId : becomesSeries || before.rdates?.length ? before.id : null,
    attendees: setOwnParticipation(edit.attendees ?? before.attendees, edit.calendarUser, body),
  });
  const single = draft.seriesId === null ? { rule: null, rdates: null, exdates: null, changes: null } : {};
  const rescheduled = isRescheduled(before, draft);
  const invited = !hasSameAttendees(before.attendees, draft.attendees);
  const attendees = requiresReconfirmation(before, draft)
    ? resetParticipation(draft.attendees, draft.owner, before, edit.bookingReply)
    : draft.attendees;
  return {
    after: {
      ...draft,
      ...single,
      attendees,
      sequence: raisesSequence(before, draft) ? before.sequence + 1 : before.sequence,
    },
    mayConflict: rescheduled || invited || draft.shownAs !== before.shownAs,
  };
}

/** Applies an edit by an attendee: reply, alarm or withdrawal, colour of his own copy; all else is CAL-4038. */
export function applyAttendeeEdit(
  before: Appointment,
  userId: number,
  body: AppointmentData,
  zone: ZoneOffsets,
): Appointment {
  requireNoSeriesInException(before, body);
  const content = applyContentChanges(before, body, zone);
  const isCopy = isInvitedCopy(before);
  const allowed = isCopy ? { ...before, color: content.color } : before;
  for (const field of Object.keys(content) as (keyof typeof content)[])
    if (JSON.stringify(content[field]) !== JSON.stringify(allowed[field])) throw CalendarErrors.notOrganizer();
  if (!isException(before) && changesRule(before, body, content)) throw CalendarErrors.notOrganizer();
  const attendees = setOwnParticipation(before.attendees, userId, body);
  if (!body.participants) return { ...allowed, attendees };

  const wanted = new Set(
    body.participants.map(({ type, id, mail }) => attendeeKey({ type, entity: id ?? null, mail: mail ?? null })),
  );
  const listed = before.attendees.filter(({ listed: isListed }) => isListed);
  const gone = listed.filter((attendee) => !wanted.has(attendeeKey(attendee)));
  const known = new Set(before.attendees.map(attendeeKey));
  const self = (attendee: Attendee): boolean => attendee.type === PARTICIPANT.user && attendee.entity === userId;
  if ([...wanted].some((key) => !known.has(key)) || gone.some((attendee) => !self(attendee)))
    throw CalendarErrors.notOrganizer();
  // The owner of a calendar need not be named.
  return { ...allowed, attendees: gone.length > 0 && !isCopy ? removeUser(attendees, userId) : attendees };
}

/** The attendees after a user took himself out: he has declined and no longer sees the appointment. */
export const removeUser = (attendees: readonly Attendee[], userId: number): Attendee[] =>
  attendees.map((attendee) =>
    attendee.type === PARTICIPANT.user && attendee.entity === userId
      ? { ...attendee, hidden: true, listed: false, confirm: CONFIRM.declined, folderId: null }
      : attendee,
  );

/** True when a body says that something repeats otherwise than it does. */
function changesRule(
  before: Appointment,
  body: AppointmentData,
  content: ReturnType<typeof applyContentChanges>,
): boolean {
  if (!mentionsRecurrence(body)) return false;
  const type = recurrenceFieldsOf(before)?.recurrence_type ?? 0;
  const { rule = before.rule } = applySeriesChanges({ ...before, type }, body, content);
  return JSON.stringify(recurrenceFieldsOf(before)) !== JSON.stringify(recurrenceFieldsOf({ ...before, rule }));
}

/** An occurrence is of the type of its series (APP-0082). */
export function requireSameType(master: Appointment, { recurrence_type }: AppointmentData): void {
  if (recurrence_type && recurrence_type !== recurrenceFieldsOf(master)?.recurrence_type)
    throw AppointmentErrors.exceptionTypeChanges();
}

/** An exception has no rule (APP-0099) and keeps its place (APP-0083). */
function requireNoSeriesInException(before: Appointment, body: AppointmentData): void {
  if (!isException(before)) return;
  if (hasRule(body)) throw AppointmentErrors.exceptionBecomesSeries();
  const { position, day } = parseOccurrenceName(body);
  if (
    (position !== undefined && position !== before.position) ||
    (day !== undefined && dayOf(day) !== dayOf(before.recurrenceLocalMs!))
  )
    throw AppointmentErrors.exceptionPositionChanges();
}

/** The rule and the start of a series after an edit; nothing for what is and stays a single appointment. */
function adjustSeries(
  before: Appointment,
  content: ReturnType<typeof applyContentChanges>,
  body: AppointmentData,
): Partial<Appointment> {
  const fieldsBefore = recurrenceFieldsOf(before);
  // Numbers cannot say what the rule means, so a part of them cannot say how it changes.
  if (before.rule !== null && !fieldsBefore && mentionsRecurrence(body) && body.recurrence_type == null)
    throw CalendarErrors.unsupportedRule(before.rule);
  const type = fieldsBefore?.recurrence_type ?? 0;
  const changed = applySeriesChanges({ ...before, type }, body, content);
  if (Object.keys(changed).length > 0 || before.rule === null) return changed;
  if (!isRescheduled(before, { ...before, ...content })) return {};
  // The days of the rule and the day of `until` belong to the zone and kind of the series, which may have changed.
  const fields =
    before.timeZone !== content.timeZone || before.fullTime !== content.fullTime ? fieldsBefore : undefined;
  if (fields && !before.rdates?.length) return seriesFromFields(fields, content);
  return moveToFirstOccurrence(parseStoredRule(before.rule), content);
}

const recurrenceFieldsOf = (series: Appointment) =>
  series.rule === null
    ? undefined
    : fieldsFromRule(parseStoredRule(series.rule), {
        fullTime: series.fullTime,
        timeZone: zoneOf(series),
        startLocalMs: startLocalOf(series),
      });
