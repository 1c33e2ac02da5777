import type { AlarmData } from '@groupware/contracts';
import type { Attendee } from './appointment';
import { EVENT_REST, omitEmpty } from './appointment-rest';

/** An alarm with what clients do not see. */
export interface StoredAlarm extends AlarmData {
  /** Times until this moment are over, ms UTC: it was acknowledged, or did not exist yet. */
  readonly doneUntil?: number;
}

/** Values of an attendee beyond the fields of appointments; in `extra` of the attendee. */
export interface AttendeeRest {
  /** Kind of an attendee elsewhere, unless it is an individual; of a resource that is a room when it is booked, for messages and files. */
  readonly cuType?: string;
  readonly role?: string;
  readonly rsvp?: boolean;
  /** Addresses of the groups that brought him in. */
  readonly member?: readonly string[];
  /** An answer that appointments do not know. */
  readonly partStat?: string;
  /** Mail address of who takes part in his place. */
  readonly delegatedTo?: string;
  /** Mail address of the attendee in whose place he takes part. */
  readonly delegatedFrom?: string;
  /** Revision of the message by which an attendee elsewhere answered. */
  readonly reply?: { readonly sequence: number; readonly dtstampMs: number };
  readonly extendedParameters?: unknown;
  /** The rest of the alarm that appointments know. */
  readonly alarm?: AlarmData;
  /** All others. */
  readonly alarms?: readonly StoredAlarm[];
}

/** See {@link AttendeeRest}. */
export const getAttendeeRest = ({ extra }: Pick<Attendee, 'extra'>): AttendeeRest => extra?.[EVENT_REST] ?? {};

/** The attendee with other values of its rest. */
export function withAttendeeRest(attendee: Attendee, changes: Partial<AttendeeRest>): Attendee {
  const rest = omitEmpty({ ...getAttendeeRest(attendee), ...changes });
  const { [EVENT_REST]: _old, ...others } = attendee.extra ?? {};
  const extra = Object.keys(rest).length > 0 ? { ...others, [EVENT_REST]: rest } : others;
  return { ...attendee, extra: Object.keys(extra).length > 0 ? extra : null };
}
