import type { CalendarAttendee, CalendarEvent } from '@groupware/icalendar';
import { attendeesAfter } from '../domain/answer';
import { type Attendee, CONFIRM, PARTICIPANT } from '../domain/appointment';
import { addressOf, sameAddress } from './calendar-address';

/** An answer of an external participant. */
export interface SchedulingAnswer {
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

/** What an attendee of an event has answered; undefined when he has not. */
export const confirmOf = ({ partStat }: Pick<CalendarAttendee, 'partStat'>): number | undefined =>
  CONFIRM_OF.get(partStat?.toUpperCase() ?? '');

/**
 * The answer that an event of a REPLY gives (RFC 5546, section 3.2.3). Only the attendee himself, or who says to write for
 * him, may give it, unless any sender may.
 */
export function answerOf(
  event: CalendarEvent,
  sender: string | undefined,
  anySender: boolean,
): SchedulingAnswer | undefined {
  const isSender = ({ uri, sentBy }: CalendarAttendee) => sameAddress(uri, sender) || sameAddress(sentBy, sender);
  const only = event.attendees.length === 1 ? event.attendees[0] : undefined;
  const attendee = event.attendees.find(isSender) ?? (anySender ? only : undefined);
  const confirm = attendee && confirmOf(attendee);
  if (!attendee || confirm === undefined) return undefined;
  const comment = attendee.comment ?? commentOf(event);
  // Postgres takes no NUL in texts.
  const message = comment?.replaceAll('\u0000', '').trim().slice(0, MAX_MESSAGE);
  return { mail: addressOf(attendee.uri).toLowerCase(), confirm, ...(message ? { message } : {}) };
}

function commentOf({ extraProperties }: CalendarEvent): string | undefined {
  const value = extraProperties.find(([name]) => name.toLowerCase() === 'comment')?.[3];
  return typeof value === 'string' ? value : undefined;
}

/** The attendees with the answer; undefined when it changes nothing or comes from nobody who was invited from outside. */
export function withAnswer(attendees: readonly Attendee[], answer: SchedulingAnswer): Attendee[] | undefined {
  const found = attendees.find(
    ({ type, mail, hidden }) => type === PARTICIPANT.external && !hidden && mail?.toLowerCase() === answer.mail,
  );
  if (!found) return undefined;
  const { confirm, message = found.message } = answer;
  if (confirm === found.confirm && message === found.message) return undefined;
  return attendeesAfter(attendees, found, { confirmation: confirm, confirmmessage: answer.message });
}
