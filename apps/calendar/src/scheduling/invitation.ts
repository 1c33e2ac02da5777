import type { CalendarEvent } from '@groupware/icalendar';
import {
  type Appointment,
  type AppointmentContent,
  type Attendee,
  attendeeOf,
  CONFIRM,
  PARTICIPANT,
} from '../domain/appointment';
import { withLocal, withRangeEnd } from '../domain/exception';
import { ownerAttendee } from '../domain/owner-attendee';
import { isRescheduled, needsNewAnswers } from '../domain/reschedule';
import { type WholeChange, wholeChange } from '../domain/whole-change';
import { contentOf } from '../icalendar/from-event';
import { type IcalendarRest, REST, type StoredEvent } from '../icalendar/icalendar-rest';
import { addressOf } from './calendar-address';
import { confirmOf } from './external-answer';

/** Who is invited, and how he answers at first. */
export interface Invitee {
  readonly userId: number;
  readonly email: string;
  readonly displayName: string;
  /** IANA name: that of floating times. */
  readonly timeZone: string;
  readonly firstAnswer: number;
  /** His addresses in lower case. */
  readonly addresses: ReadonlySet<string>;
  /** The event names him; false when it names nobody. */
  readonly isInvited: boolean;
  /** Most participants of an appointment; those beyond are left out. */
  readonly maxAttendees: number;
  /** Most appointments of his context, below zero without limit. */
  readonly maxAppointments: number;
}

const ADDRESS = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,255}$/;

/**
 * What a message says about an appointment. Alarms of the organizer are nothing to the invited user (RFC 5546, section
 * 3.2.2); organizer and participants are kept where answers change them, and not as they came.
 */
export function invitedContent(event: StoredEvent, invitee: Invitee): AppointmentContent {
  const plain = { ...event, alarms: [], organizer: undefined, attendees: [] };
  const { content } = contentOf(plain, invitee.timeZone);
  const rest: IcalendarRest = { ...(content.extra![REST] as IcalendarRest), sequence: event.sequence };
  return { ...content, organizer: addressOf(event.organizer?.uri), extra: { [REST]: rest } };
}

/**
 * Who takes part: the user with the answer he gave before, and all others as externals, also users of the same context,
 * since each of them gets the message himself. Private appointments have no other participants here.
 * @param isMoved people have to answer again
 */
export function invitedAttendees(
  event: CalendarEvent,
  invitee: Invitee,
  before?: Pick<Appointment, 'attendees'>,
  isMoved = false,
): Attendee[] {
  const known = before && attendeeOf(before, invitee.userId);
  const own = event.attendees.find(({ uri }) => invitee.addresses.has(addressOf(uri).toLowerCase()));
  const told = own && confirmOf(own);
  const user = ownerAttendee(invitee.userId, {
    mail: invitee.email,
    displayName: invitee.displayName,
    alarm: known?.alarm ?? null,
    message: known?.message ?? null,
    confirm: isMoved
      ? (told ?? CONFIRM.none)
      : known && known.confirm !== CONFIRM.none
        ? known.confirm
        : (told ?? known?.confirm ?? invitee.firstAnswer),
  });
  if (event.classification !== 'PUBLIC') return [user];
  // Whoever was added here stays.
  const here = (before?.attendees ?? []).filter(
    ({ type, entity }) => type !== PARTICIPANT.external && !(type === PARTICIPANT.user && entity === invitee.userId),
  );
  return [user, ...here, ...externals(event, invitee)].slice(0, invitee.maxAttendees);
}

function externals(event: CalendarEvent, { addresses }: Invitee): Attendee[] {
  const others = new Map<string, Attendee>();
  for (const attendee of event.attendees) {
    const mail = addressOf(attendee.uri);
    const key = mail.toLowerCase();
    if (!ADDRESS.test(mail) || addresses.has(key) || others.has(key)) continue;
    others.set(key, {
      type: PARTICIPANT.external,
      entity: null,
      mail,
      displayName: attendee.cn ?? null,
      folderId: null,
      direct: false,
      listed: true,
      hidden: false,
      confirm: confirmOf(attendee) ?? CONFIRM.none,
      message: attendee.comment ?? null,
      alarm: null,
      extra: null,
    });
  }
  return [...others.values()];
}

/** An appointment as a newer message has it: colour, alarm and answer of the user stay his own. */
export function updatedAppointment(
  before: Appointment,
  content: AppointmentContent,
  attendees: readonly Attendee[],
): Appointment {
  return {
    ...before,
    ...content,
    color: before.color,
    categories: content.categories ?? before.categories,
    extra: { ...before.extra, ...content.extra },
    attendees,
  };
}

/** An appointment or a whole series as a newer message has it; what the user deleted of a series that stays as it is stays deleted. */
export function wholeUpdate(
  before: Appointment,
  occurrences: readonly Appointment[],
  event: StoredEvent,
  invitee: Invitee,
): WholeChange {
  const content = invitedContent(event, invitee);
  const isRecurring = content.rule !== null || content.rdates !== null;
  const next = { ...updatedAppointment(before, content, []), seriesId: isRecurring ? before.id : null };
  const kept = isRescheduled(before, next) ? [] : (before.exdates ?? []);
  const exdates = [...(content.exdates ?? []), ...kept].reduce<number[] | null>(withLocal, null);
  const after = withRangeEnd({ ...next, exdates, changes: isRecurring ? before.changes : null });
  const attendees = invitedAttendees(event, invitee, before, needsNewAnswers(before, after));
  return wholeChange(before, { ...after, attendees }, occurrences);
}
