import { domainToUnicode } from 'node:url';
import type { AttendeeData, CalendarUserData, DirectoryEntity } from '@groupware/contracts';
import type { ContactFacts } from '@groupware/directory';
import { type Appointment, type Attendee, CONFIRM, PARTICIPANT } from '../domain/appointment';
import type { SeenEvent } from '../persistence/event.repository';
import { getAttendeeRest } from '../domain/attendee-rest';
import { getIcalendarExtra } from '../domain/icalendar-extra';

/** Answers as events write them, by the number of appointments. */
export const PART_STAT = ['NEEDS-ACTION', 'ACCEPTED', 'DECLINED', 'TENTATIVE'] as const;

/** Answer of an attendee who named a delegate (RFC 5546, section 3.2.2.3): nothing is accepted yet. */
export const DELEGATED = 'DELEGATED';

/** Role of an attendee of whom nothing else is known. */
export const DEFAULT_ROLE = 'REQ-PARTICIPANT';

/** Kind of an attendee of whom nothing else is known. */
export const DEFAULT_KIND = 'INDIVIDUAL';
/** Kinds of attendees; all others count as the last one (RFC 5545, section 3.2.3). */
const KINDS = [DEFAULT_KIND, 'GROUP', 'RESOURCE', 'ROOM', 'UNKNOWN'] as const;

/** Directory entries by id. */
export type KnownPeople = ReadonlyMap<number, DirectoryEntity>;

const CU_TYPE: Readonly<Record<number, string>> = {
  [PARTICIPANT.user]: DEFAULT_KIND,
  [PARTICIPANT.group]: 'GROUP',
  [PARTICIPANT.resource]: 'RESOURCE',
  [PARTICIPANT.resourceGroup]: 'GROUP',
  [PARTICIPANT.externalGroup]: 'GROUP',
};

/** The calendar address of a mail address: what is no ASCII is percent-encoded UTF-8 (RFC 6068, section 2). */
const toUri = (mail: string): string =>
  /^[a-z][a-z0-9+.-]*:/i.test(mail)
    ? mail
    : `mailto:${mail.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[^!-$&-~]+/g, encodeURIComponent)}`;

/** The mail address of a calendar address, percent encoding decoded; undefined for other kinds of address. */
export function mailOf(uri: string): string | undefined {
  const [, address] = /^(?:mailto:)?([^:?]*)/i.exec(uri.trim()) ?? [];
  if (!address || (/^[a-z][a-z0-9+.-]*:/i.test(uri) && !/^mailto:/i.test(uri.trim()))) return undefined;
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** A mail address as people read it: domains of other scripts are not shown in ASCII. */
function toShownMail(mail: string): string {
  const at = mail.lastIndexOf('@');
  const domain = /(?:^|\.)xn--/i.test(mail.slice(at + 1)) ? domainToUnicode(mail.slice(at + 1)) : '';
  return domain === '' ? mail : `${mail.slice(0, at)}@${domain}`;
}

/** A user of the context. */
export function toCalendarUser(id: number, people: KnownPeople): CalendarUserData {
  const entity = people.get(id);
  if (entity?.kind !== 'user') return { entity: id };
  return { entity: id, cn: entity.displayName, email: entity.email, uri: toUri(entity.email) };
}

/** True when an attendee besides the owner is invited, or the organizer is elsewhere. */
export const isScheduled = (appointment: InvitedTo): boolean =>
  (appointment.organizerId === null && appointment.organizer !== null) || hasOthers(appointment) === true;

/** Whether an event has attendees besides its owner; null without any attendee. */
export function hasOthers({ attendees, owner, hasOthers: known }: InvitedTo): boolean | null {
  if (known !== undefined) return known;
  if (attendees.length === 0) return null;
  return attendees.some(({ type, entity }) => type !== PARTICIPANT.user || entity !== owner);
}

type InvitedTo = Appointment & Pick<Partial<SeenEvent>, 'hasOthers'>;

/** The kind of an attendee. */
export function kindOf(attendee: Attendee, entity: DirectoryEntity | undefined): string {
  if (attendee.type === PARTICIPANT.external) return getAttendeeRest(attendee).cuType ?? DEFAULT_KIND;
  return entity?.kind === 'resource' && entity.room ? 'ROOM' : (CU_TYPE[attendee.type] ?? 'UNKNOWN');
}

/** The kind of an attendee elsewhere as it is stored. */
export function toStoredKind(cuType: string | null | undefined): string | undefined {
  const name = (cuType || DEFAULT_KIND).toUpperCase();
  return name === DEFAULT_KIND ? undefined : (KINDS.find((kind) => kind === name) ?? 'UNKNOWN');
}

const toOutsideUser = (mail: string, cn: string | undefined): CalendarUserData => ({
  ...(cn && { cn }),
  uri: toUri(mail),
  email: toShownMail(mailOf(mail) ?? mail),
});

/** The organizer, with who acts for him. */
export function toOrganizer(appointment: Appointment, people: KnownPeople): CalendarUserData | undefined {
  const { organizer, organizerId, principal, principalId } = appointment;
  if (organizer && organizerId === null && principal === null) {
    const { cn, sentBy } = getIcalendarExtra(appointment).outsideOrganizer ?? {};
    return { ...toOutsideUser(organizer, cn), ...(sentBy && { sentBy: toOutsideUser(sentBy.mail, sentBy.cn) }) };
  }
  const user = (id: number | null, mail: string | null): CalendarUserData | undefined =>
    id !== null ? toCalendarUser(id, people) : mail ? toOutsideUser(mail, undefined) : undefined;
  if (principal === null) return user(organizerId, organizer);
  const sentBy = user(organizerId, organizer);
  return { ...user(principalId, principal), ...(sentBy && { sentBy }) };
}

/** One attendee; `folder` where it is that of the calendar user. */
export function toAttendee(
  attendee: Attendee,
  people: KnownPeople,
  options: { readonly folder?: string; readonly contacts?: ReadonlyMap<number, ContactFacts> } = {},
): AttendeeData {
  const { type, entity: id, mail, displayName, message } = attendee;
  const rest = getAttendeeRest(attendee);
  const entity = id === null ? undefined : people.get(id);
  const email =
    (entity?.kind === 'user' || entity?.kind === 'resource' ? entity.email : undefined) ?? mail ?? undefined;
  const cn = entity?.displayName ?? displayName ?? undefined;
  return {
    cuType: kindOf(attendee, entity),
    ...(id !== null && { entity: id }),
    ...(cn && { cn }),
    ...(email && { email: toShownMail(mailOf(email) ?? email), uri: toUri(email) }),
    partStat: partStatOf(attendee),
    ...(type !== PARTICIPANT.group && { role: rest.role ?? DEFAULT_ROLE }),
    ...(message && { comment: message }),
    ...(rest.rsvp !== undefined && { rsvp: rest.rsvp }),
    ...(rest.member && { member: [...rest.member] }),
    ...(options.folder !== undefined && { folder: options.folder }),
    ...(rest.extendedParameters !== undefined && { extendedParameters: rest.extendedParameters }),
    ...(options.contacts && entity && toDetails(entity, options.contacts)),
  };
}

/** The answer of an attendee. Groups have none of their own; they count as having accepted. */
export function partStatOf(attendee: Attendee): string {
  if (attendee.type === PARTICIPANT.group) return 'ACCEPTED';
  const { partStat } = getAttendeeRest(attendee);
  return partStat !== undefined && attendee.confirm === CONFIRM.none ? partStat : PART_STAT[attendee.confirm]!;
}

/** The contact, resource or group behind an internal attendee. */
function toDetails(
  entity: DirectoryEntity,
  contacts: ReadonlyMap<number, ContactFacts>,
): Pick<AttendeeData, 'contact' | 'resource' | 'group'> {
  const { id, displayName } = entity;
  if (entity.kind === 'group') return { group: { id, display_name: displayName, members: entity.members } };
  if (entity.kind === 'resource') {
    const { email, available = true } = entity;
    return { resource: { id, display_name: displayName, mailaddress: email, availability: available } };
  }
  const { email1: _address, ...facts } = contacts.get(id) ?? {};
  return { contact: { ...facts, display_name: displayName } };
}
