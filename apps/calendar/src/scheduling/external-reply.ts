import type { CalendarAttendee, CalendarEvent } from '@groupware/icalendar';
import { setParticipation } from '../domain/participation';
import { type Attendee, CONFIRM, PARTICIPANT } from '../domain/appointment';
import { DELEGATED } from '../events/event-people';
import { getAttendeeRest, withAttendeeRest } from '../domain/attendee-rest';
import { compareRevisions, type Revision, toRevision } from './scheduling-message';
import { toMailAddress, isSameAddress } from './calendar-address';

/** An answer of an external participant. */
export interface ExternalReply {
  /** Lower-case mail address of who answers. */
  readonly mail: string;
  /** The user whose address that is, where it is known to be one of ours. */
  readonly userId?: number;
  readonly confirm: number;
  /** Participation status where `confirm` has no number for it. */
  readonly partStat?: string;
  /** Mail address of who takes part in his place. */
  readonly delegatedTo?: string;
  /** Mail address of the attendee in whose place he takes part. */
  readonly delegatedFrom?: string;
  /** Absent: nothing was said. */
  readonly message?: string;
  /** Tells newer answers from older ones; absent: it counts. */
  readonly revision?: Revision;
}

const CONFIRM_OF: ReadonlyMap<string, number> = new Map([
  ['ACCEPTED', CONFIRM.accepted],
  ['DECLINED', CONFIRM.declined],
  ['TENTATIVE', CONFIRM.tentative],
]);
const MAX_MESSAGE = 3_000;

/** Participation status of an attendee; undefined without a reply. */
export const toParticipation = ({ partStat }: Pick<CalendarAttendee, 'partStat'>): number | undefined =>
  CONFIRM_OF.get(partStat?.toUpperCase() ?? '');

/**
 * The attendee who sent a message, or says to have sent it where any sender may. SENT-BY of the attendee proves
 * nothing (RFC 6047, section 3).
 */
export function findSpeaker(
  { attendees }: Pick<CalendarEvent, 'attendees'>,
  sender: string | undefined,
  anySender: boolean,
): CalendarAttendee | undefined {
  const isSender = ({ uri }: CalendarAttendee) => isSameAddress(uri, sender);
  const only = attendees.length === 1 ? attendees[0] : undefined;
  return attendees.find(isSender) ?? (anySender ? only : undefined);
}

/**
 * The answer that an event of a REPLY gives (RFC 5546, section 3.2.3). Only the attendee himself may give it, unless any
 * sender may.
 */
export function findReply(
  event: CalendarEvent,
  sender: string | undefined,
  anySender: boolean,
): ExternalReply | undefined {
  const attendee = findSpeaker(event, sender, anySender);
  const isDelegated = attendee?.partStat?.toUpperCase() === DELEGATED;
  const confirm = isDelegated ? CONFIRM.none : attendee && toParticipation(attendee);
  if (!attendee || confirm === undefined) return undefined;
  const comment = attendee.comment ?? findComment(event);
  // Postgres takes no NUL in texts.
  const message = comment?.replaceAll('\u0000', '').trim().slice(0, MAX_MESSAGE);
  return {
    mail: toMailAddress(attendee.uri).toLowerCase(),
    confirm,
    ...(isDelegated && { partStat: DELEGATED, ...present('delegatedTo', attendee.parameters?.['delegated-to']) }),
    ...present('delegatedFrom', attendee.parameters?.['delegated-from']),
    ...(message ? { message } : {}),
    ...(event.dtstampMs !== undefined && { revision: toRevision(event) }),
  };
}

/** The first calendar address of a parameter, as a mail address under a name; nothing where there is none. */
function present<Name extends string>(
  name: Name,
  value: string | readonly string[] | undefined,
): Partial<Record<Name, string>> {
  const mail = toMailAddress([value].flat()[0]);
  return mail === '' ? {} : ({ [name]: mail } as Record<Name, string>);
}

function findComment({ extraProperties }: CalendarEvent): string | undefined {
  const value = extraProperties.find(([name]) => name.toLowerCase() === 'comment')?.[3];
  return typeof value === 'string' ? value : undefined;
}

/** The attendee who answers: an external one, or the user who is known to have the address. */
export const findReplier = (attendees: readonly Attendee[], { mail, userId }: ExternalReply): Attendee | undefined =>
  attendees.find(
    ({ type, hidden, ...each }) =>
      !hidden &&
      (type === PARTICIPANT.external
        ? each.mail?.toLowerCase() === mail
        : type === PARTICIPANT.user && userId !== undefined && each.entity === userId),
  );

/** True when the attendee gave a newer answer already (RFC 5546, section 2.1.5). */
export function isOldReply(attendees: readonly Attendee[], answer: ExternalReply): boolean {
  const found = findReplier(attendees, answer);
  const { reply } = found ? getAttendeeRest(found) : {};
  return reply !== undefined && answer.revision !== undefined && compareRevisions(answer.revision, reply) < 0;
}

/** Attendees with the reply applied; undefined when nothing changes or the sender is no attendee. */
export function applyExternalReply(attendees: readonly Attendee[], answer: ExternalReply): Attendee[] | undefined {
  const found = findReplier(attendees, answer);
  if (!found) return undefined;
  const { confirm, partStat, delegatedTo, message = found.message, revision } = answer;
  const { reply, ...rest } = getAttendeeRest(found);
  // Whose place he takes is said once.
  const delegatedFrom = answer.delegatedFrom ?? rest.delegatedFrom;
  const isSame = partStat === rest.partStat && delegatedTo === rest.delegatedTo && delegatedFrom === rest.delegatedFrom;
  const isKnown = confirm === found.confirm && message === found.message && isSame;
  if (isKnown && (!revision || (reply && compareRevisions(revision, reply) === 0))) return undefined;
  const answered = setParticipation(attendees, found, { confirmation: confirm, confirmmessage: answer.message });
  if (!revision && isSame) return answered;
  const next = { ...(revision && { reply: revision }), partStat, delegatedTo, delegatedFrom };
  return answered.map((each) => (findReplier([each], answer) ? withAttendeeRest(each, next) : each));
}
