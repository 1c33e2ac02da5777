import type { CalendarAttendee, CalendarEvent } from '@groupware/icalendar';
import {
  type Appointment,
  type AppointmentContent,
  type Attendee,
  findAttendee,
  isException,
  CONFIRM,
  PARTICIPANT,
} from '../domain/appointment';
import { addLocalTime, withRangeEnd } from '../domain/exception';
import { createOwnerAttendee } from '../domain/owner-attendee';
import { isOrganizedHere } from '../domain/organizer';
import { isRescheduled, requiresReconfirmation } from '../domain/reschedule';
import { type ChangeSet, createChangeSet } from '../domain/change-set';
import { DEFAULT_ROLE, DELEGATED, toStoredKind } from '../events/event-people';
import { type AttendeeRest, getAttendeeRest, withAttendeeRest } from '../domain/attendee-rest';
import { toImportedContent } from '../icalendar/from-event';
import {
  getIcalendarExtra,
  ICALENDAR_EXTRA,
  type IcalendarExtra,
  type OutsideOrganizer,
  type StoredEvent,
} from '../domain/icalendar-extra';
import { toMailAddress } from './calendar-address';
import { toParticipation } from './external-reply';
import { compareRevisions, findStoredRevision, toRevision } from './scheduling-message';

/** The invited user and his initial reply. */
export interface Invitee {
  readonly userId: number;
  readonly email: string;
  readonly displayName: string;
  /** IANA name: that of floating times. */
  readonly timeZone: string;
  readonly defaultReply: number;
  /** His addresses in lower case. */
  readonly addresses: ReadonlySet<string>;
  /** True when the event names the user. */
  readonly isInvited: boolean;
  /** Most participants of an appointment; those beyond are left out. */
  readonly maxAttendees: number;
  /** Most appointments of his context, below zero without limit. */
  readonly maxAppointments: number;
}

const ADDRESS = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,255}$/;

/**
 * Content of an appointment from a message. Alarms of the organizer are nothing to the invited user (RFC 5546, section
 * 3.2.2); organizer and participants are kept where answers change them, and not as they came.
 */
export function toInvitedContent(event: StoredEvent, invitee: Invitee): AppointmentContent {
  const plain = { ...event, alarms: [], organizer: undefined, attendees: [] };
  const { content } = toImportedContent(plain, invitee.timeZone);
  const rest: IcalendarExtra = {
    ...getIcalendarExtra(content),
    sequence: event.sequence,
    outsideOrganizer: toOutsideOrganizer(event),
  };
  return { ...content, organizer: toMailAddress(event.organizer?.uri), extra: { [ICALENDAR_EXTRA]: rest } };
}

/** The organizer elsewhere, as a message names him; undefined where it says his address alone. */
function toOutsideOrganizer({ organizer }: CalendarEvent): OutsideOrganizer | undefined {
  const cn = toStorableText(organizer?.cn);
  const sentBy = toMailAddress(organizer?.sentBy);
  if (!cn && !ADDRESS.test(sentBy)) return undefined;
  return { ...(cn && { cn }), ...(ADDRESS.test(sentBy) && { sentBy: { mail: sentBy } }) };
}

/** Role of an attendee, and whether an answer is wanted, as a message has them. */
const toInvitedRest = ({ role, rsvp }: CalendarAttendee): Pick<AttendeeRest, 'role' | 'rsvp'> => ({
  role: role === DEFAULT_ROLE ? undefined : toStorableText(role),
  rsvp,
});

// Postgres takes no NUL in texts.
const toStorableText = (text: string | undefined): string | undefined => text?.replaceAll('\u0000', '') || undefined;

/**
 * Participants: the user with his earlier reply, and all others as externals, also users of the same context,
 * since each of them gets the message himself. Private appointments have no other participants here.
 * @param isMoved people have to answer again
 */
export function buildInvitedAttendees(
  event: CalendarEvent,
  invitee: Invitee,
  before?: Pick<Appointment, 'attendees'>,
  isMoved = false,
): Attendee[] {
  const known = before && findAttendee(before, invitee.userId);
  const own = event.attendees.find(({ uri }) => invitee.addresses.has(toMailAddress(uri).toLowerCase()));
  const told = own && toParticipation(own);
  const isDelegated = !isMoved && known !== undefined && getAttendeeRest(known).partStat === DELEGATED;
  const confirm = isMoved
    ? (told ?? CONFIRM.none)
    : known && (known.confirm !== CONFIRM.none || isDelegated)
      ? known.confirm
      : (told ?? known?.confirm ?? invitee.defaultReply);
  const owner = createOwnerAttendee(invitee.userId, {
    mail: invitee.email,
    displayName: invitee.displayName,
    alarm: known?.alarm ?? null,
    message: known?.message ?? null,
    confirm,
    extra: known?.extra ?? null,
  });
  // Alarms of his own stay, and his delegation until he is asked again.
  const user = withAttendeeRest(owner, {
    ...(!isDelegated && { partStat: undefined, delegatedTo: undefined }),
    ...(own && toInvitedRest(own)),
  });
  if (event.classification !== 'PUBLIC') return [user];
  // Participants added locally stay.
  const here = (before?.attendees ?? []).filter(
    ({ type, entity }) => type !== PARTICIPANT.external && !(type === PARTICIPANT.user && entity === invitee.userId),
  );
  return [user, ...here, ...listExternals(event, invitee)].slice(0, invitee.maxAttendees);
}

function listExternals(event: CalendarEvent, { addresses }: Invitee): Attendee[] {
  const others = new Map<string, Attendee>();
  for (const attendee of event.attendees) {
    const mail = toMailAddress(attendee.uri);
    const key = mail.toLowerCase();
    if (!ADDRESS.test(mail) || addresses.has(key) || others.has(key)) continue;
    const external: Attendee = {
      type: PARTICIPANT.external,
      entity: null,
      mail,
      displayName: attendee.cn ?? null,
      folderId: null,
      direct: false,
      listed: true,
      hidden: false,
      confirm: toParticipation(attendee) ?? CONFIRM.none,
      message: attendee.comment ?? null,
      alarm: null,
      extra: null,
    };
    const cuType = toStoredKind(attendee.cuType);
    others.set(key, withAttendeeRest(external, { cuType, ...toInvitedRest(attendee) }));
  }
  return [...others.values()];
}

/** An appointment as a newer message has it: colour, alarm and answer of the user stay his own. */
export function applyUpdate(
  before: Appointment,
  content: AppointmentContent,
  attendees: readonly Attendee[],
): Appointment {
  return {
    ...before,
    ...content,
    color: before.color,
    extra: { ...before.extra, ...content.extra },
    attendees,
  };
}

/**
 * An appointment or a whole series as a newer message has it; what the user deleted of a series that stays as it is stays
 * deleted. Exceptions go that are older and whose occurrence it calls off.
 */
export function applySeriesUpdate(
  before: Appointment,
  occurrences: readonly Appointment[],
  event: StoredEvent,
  invitee: Invitee,
): ChangeSet {
  const content = toInvitedContent(event, invitee);
  const isRecurring = content.rule !== null || content.rdates !== null;
  const next = { ...applyUpdate(before, content, []), seriesId: isRecurring ? before.id : null };
  const kept = isRescheduled(before, next) ? [] : (before.exdates ?? []);
  const exdates = [...(content.exdates ?? []), ...kept].reduce<number[] | null>(addLocalTime, null);
  const after = withRangeEnd({ ...next, exdates, changes: isRecurring ? before.changes : null });
  const attendees = buildInvitedAttendees(event, invitee, before, requiresReconfirmation(before, after));
  const calledOff = new Set(content.exdates);
  const isCalledOff = (exception: Appointment, localMs: number): boolean =>
    calledOff.has(localMs) && compareRevisions(toRevision(event), findStoredRevision(exception)) > 0;
  const changes = createChangeSet(before, { ...after, attendees }, occurrences, undefined, { isCalledOff });
  return isOrganizedHere(before) ? handOver(changes, after, occurrences) : changes;
}

/** Hands an imported event over to its organizer, also where an occurrence was changed. */
function handOver(
  { changed, removed = [] }: ChangeSet,
  { organizer, organizerId, principal, principalId }: Appointment,
  occurrences: readonly Appointment[],
): ChangeSet {
  const known = new Set([...changed.map(({ before }) => before), ...removed]);
  const others = occurrences.filter((each) => !known.has(each)).map((each) => ({ before: each, after: each }));
  const taken = { organizer, organizerId, principal, principalId };
  return {
    changed: [...changed, ...others].map(({ before, after }) => {
      // The message numbers the revisions of exceptions, too: what they inherit here is none.
      const { sequence } = isException(before) ? before : after;
      return { before, after: { ...after, ...taken, sequence } };
    }),
    removed,
  };
}
