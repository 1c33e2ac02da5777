import type { CalendarAttendee, CalendarEvent } from '@groupware/icalendar';
import { setParticipation } from '../domain/participation';
import { type Attendee, CONFIRM, PARTICIPANT } from '../domain/appointment';
import { toMailAddress, isSameAddress } from './calendar-address';

/** An answer of an external participant. */
export interface ExternalReply {
  /** Lower-case mail address of who answers. */
  readonly mail: string;
  readonly confirm: number;
  /** Absent: nothing was said. */
  readonly message?: string;
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
 * The answer that an event of a REPLY gives (RFC 5546, section 3.2.3). Only the attendee himself, or who says to write for
 * him, may give it, unless any sender may.
 */
export function findReply(
  event: CalendarEvent,
  sender: string | undefined,
  anySender: boolean,
): ExternalReply | undefined {
  const isSender = ({ uri, sentBy }: CalendarAttendee) => isSameAddress(uri, sender) || isSameAddress(sentBy, sender);
  const only = event.attendees.length === 1 ? event.attendees[0] : undefined;
  const attendee = event.attendees.find(isSender) ?? (anySender ? only : undefined);
  const confirm = attendee && toParticipation(attendee);
  if (!attendee || confirm === undefined) return undefined;
  const comment = attendee.comment ?? findComment(event);
  // Postgres takes no NUL in texts.
  const message = comment?.replaceAll('\u0000', '').trim().slice(0, MAX_MESSAGE);
  return { mail: toMailAddress(attendee.uri).toLowerCase(), confirm, ...(message ? { message } : {}) };
}

function findComment({ extraProperties }: CalendarEvent): string | undefined {
  const value = extraProperties.find(([name]) => name.toLowerCase() === 'comment')?.[3];
  return typeof value === 'string' ? value : undefined;
}

/** Attendees with the reply applied; undefined when nothing changes or the sender is no external attendee. */
export function applyExternalReply(attendees: readonly Attendee[], answer: ExternalReply): Attendee[] | undefined {
  const found = attendees.find(
    ({ type, mail, hidden }) => type === PARTICIPANT.external && !hidden && mail?.toLowerCase() === answer.mail,
  );
  if (!found) return undefined;
  const { confirm, message = found.message } = answer;
  if (confirm === found.confirm && message === found.message) return undefined;
  return setParticipation(attendees, found, { confirmation: confirm, confirmmessage: answer.message });
}
