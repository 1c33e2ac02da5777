import type { CalendarAddress } from '@groupware/contracts';
import type { CalendarAttendee, CalendarEvent, CalendarOrganizer, PropertyParameters } from '@groupware/icalendar';
import { type Appointment, type Attendee, PARTICIPANT } from '../../domain/appointment';
import { DEFAULT_KIND, DELEGATED, partStatOf } from '../../events/event-people';
import { isForModerators } from '../../events/event-rest';
import { getAttendeeRest } from '../../domain/attendee-rest';
import { getIcalendarExtra, isPartName } from '../../domain/icalendar-extra';
import { BUSY_PROPERTY, COLOR_PROPERTY } from '../../icalendar/from-event';
import { toCalendarEvent } from '../../icalendar/to-event';
import { findStoredRevision } from '../scheduling-message';

const CU_TYPE: Readonly<Record<number, string>> = { [PARTICIPANT.resource]: 'RESOURCE' };
/** Properties that are the own business of the calendar user. */
const OWN_PROPERTIES = new Set([COLOR_PROPERTY, BUSY_PROPERTY]);

/** External attendees by lower-case address. */
export function mapExternals({ attendees }: Pick<Appointment, 'attendees'>): Map<string, CalendarAddress> {
  const externals = new Map<string, CalendarAddress>();
  for (const { type, mail, displayName, hidden } of attendees)
    if (type === PARTICIPANT.external && mail && !hidden)
      externals.set(mail.toLowerCase(), { address: mail, ...(displayName && { name: displayName }) });
  return externals;
}

/** The organizer as messages name him. */
export function findOrganizer({ organizer, principal, attendees }: Appointment): CalendarAddress {
  const address = principal ?? organizer ?? '';
  const name = attendees.find(({ mail }) => mail?.toLowerCase() === address.toLowerCase())?.displayName;
  return { address, ...(name && { name }) };
}

function toOrganizerProperty(appointment: Appointment): CalendarOrganizer {
  const { address, name } = findOrganizer(appointment);
  const { organizer, principal } = appointment;
  const sentBy = principal !== null && organizer !== null && organizer.toLowerCase() !== principal.toLowerCase();
  return { uri: `mailto:${address}`, cn: name, sentBy: sentBy ? `mailto:${organizer}` : undefined };
}

/** Parameters that name a delegate, or whose place an attendee takes; undefined without either. */
function toDelegation(attendee: Attendee): PropertyParameters | undefined {
  const { delegatedTo, delegatedFrom } = getAttendeeRest(attendee);
  const isDelegated = delegatedTo !== undefined && partStatOf(attendee) === DELEGATED;
  if (!isDelegated && delegatedFrom === undefined) return undefined;
  return {
    ...(isDelegated && { 'delegated-to': [`mailto:${delegatedTo}`] }),
    ...(delegatedFrom !== undefined && { 'delegated-from': [`mailto:${delegatedFrom}`] }),
  };
}

function toAttendeeProperty(attendee: Attendee, organizer: string): CalendarAttendee[] {
  const { type, mail, displayName } = attendee;
  if (!mail || attendee.hidden || type === PARTICIPANT.group) return [];
  const partStat = partStatOf(attendee);
  const parameters = toDelegation(attendee);
  return [
    {
      uri: `mailto:${mail}`,
      cn: displayName ?? undefined,
      cuType: getAttendeeRest(attendee).cuType ?? CU_TYPE[type] ?? DEFAULT_KIND,
      role: mail.toLowerCase() === organizer.toLowerCase() ? 'CHAIR' : getAttendeeRest(attendee).role,
      partStat,
      rsvp: partStat === 'NEEDS-ACTION' ? true : undefined,
      ...(parameters && { parameters }),
    },
  ];
}

/** An appointment as messages of its organizer tell it, without stamps. */
export function toOrganizerEvent(appointment: Appointment, master: Appointment | undefined): CalendarEvent {
  const event = toCalendarEvent(appointment, appointment.owner, master);
  const organizer = toOrganizerProperty(appointment);
  const address = findOrganizer(appointment).address;
  return {
    ...event,
    // A later message about the series makes an occurrence no older than it.
    sequence: Math.max(appointment.sequence, master?.sequence ?? 0),
    organizer,
    attendees: appointment.attendees.flatMap((attendee) => toAttendeeProperty(attendee, address)),
    alarms: [],
    // Parts of the mail that an event came with are none of this one.
    attachments: event.attachments.filter(({ uri }) => uri === undefined || !isPartName(uri)),
    color: undefined,
    extraProperties: event.extraProperties.filter(
      (property) => !OWN_PROPERTIES.has(property[0]) && !isForModerators(property),
    ),
    createdMs: undefined,
    lastModifiedMs: undefined,
    dtstampMs: undefined,
  };
}

/** An event of an organizer elsewhere as messages of an attendee tell it, without stamps and attendees. */
function toInvitedEvent(appointment: Appointment, master: Appointment | undefined): CalendarEvent {
  const event = toCalendarEvent(appointment, appointment.owner, master);
  return {
    ...event,
    sequence: findStoredRevision(appointment).sequence,
    organizer: { uri: `mailto:${appointment.organizer}`, cn: getIcalendarExtra(appointment).outsideOrganizer?.cn },
    alarms: [],
    categories: [],
    attachments: [],
    color: undefined,
    extraProperties: event.extraProperties.filter(([name]) => !OWN_PROPERTIES.has(name)),
    createdMs: undefined,
    lastModifiedMs: undefined,
    dtstampMs: undefined,
  };
}

/** The event as an attendee proposes it to the organizer, without stamps (COUNTER; RFC 5546, section 3.2.7). */
export const toProposalEvent = (
  appointment: Appointment,
  master: Appointment | undefined,
  attendee: Attendee,
): CalendarEvent => ({
  ...toInvitedEvent(appointment, master),
  attendees: toAttendeeProperty(attendee, appointment.organizer!),
});

/** The invitation of an attendee to who takes part in his place, without stamps (RFC 5546, section 3.2.2.3). */
export const toDelegationEvent = (
  appointment: Appointment,
  master: Appointment | undefined,
  attendee: Attendee,
  { address, name }: CalendarAddress,
): CalendarEvent => ({
  ...toInvitedEvent(appointment, master),
  attendees: [
    ...appointment.attendees
      .filter(({ mail }) => mail?.toLowerCase() !== address.toLowerCase())
      .flatMap((each) => toAttendeeProperty(each, appointment.organizer!)),
    {
      uri: `mailto:${address}`,
      cn: name,
      partStat: 'NEEDS-ACTION',
      rsvp: true,
      parameters: { 'delegated-from': [`mailto:${attendee.mail}`] },
    },
  ],
});

/** The answer of an attendee as messages tell it to an organizer elsewhere, without stamps. */
export function toReplyEvent(
  appointment: Appointment,
  master: Appointment | undefined,
  attendee: Attendee,
  answer: { readonly partStat: string; readonly sentBy?: string; readonly comment?: string },
): CalendarEvent {
  const { partStat, sentBy, comment } = answer;
  const parameters = partStat === DELEGATED ? toDelegation(attendee) : undefined;
  return {
    ...toInvitedEvent(appointment, master),
    description: undefined,
    attendees: [
      {
        uri: `mailto:${attendee.mail}`,
        cn: attendee.displayName ?? undefined,
        partStat,
        sentBy: sentBy === undefined ? undefined : `mailto:${sentBy}`,
        ...(parameters && { parameters }),
      },
    ],
    extraProperties: comment ? [['comment', {}, 'text', comment]] : [],
    extraComponents: [],
    propertyParameters: undefined,
  };
}

/** Content of an appointment that attendees elsewhere are told, as text to compare; without deleted occurrences, and answers unless wanted. */
export function toComparable(appointment: Appointment, withAnswers = false): string {
  const {
    exdates: _dates,
    attendees,
    sequence: _sequence,
    recurrenceId: _id,
    uid: _uid,
    ...content
  } = toOrganizerEvent(appointment, undefined);
  const answerOf = ({ partStat, parameters }: CalendarAttendee): string =>
    withAnswers ? ` ${partStat} ${JSON.stringify(parameters ?? {})}` : '';
  const people = attendees.map((each) => `${each.uri.toLowerCase()} ${each.role ?? ''}${answerOf(each)}`).sort();
  return JSON.stringify([{ ...content, categories: [] }, people]);
}
