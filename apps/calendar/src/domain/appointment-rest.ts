import type { AlarmChanges } from './alarm-change';
import type { Appointment } from './appointment';
import { getIcalendarExtra, type IcalendarExtra, ICALENDAR_EXTRA } from './icalendar-extra';

/** Values of an event that neither appointments nor files of iCalendar know; in `extra` of the appointment. */
export interface EventRest {
  readonly filename?: string;
  readonly attendeePrivileges?: string;
  readonly alarmChanges?: AlarmChanges;
  /** Names, sizes and contents of the files that came with the newest message of an organizer elsewhere. */
  readonly invitedFiles?: readonly string[];
}

/** Key of what only events know within `extra`, of appointments and of attendees. */
export const EVENT_REST = 'event';

/** See {@link EventRest}. */
export const getEventRest = ({ extra }: Pick<Appointment, 'extra'>): EventRest => extra?.[EVENT_REST] ?? {};

/** `extra` of an appointment with other values of what only events and files know. */
export function withRest(
  { extra }: Pick<Appointment, 'extra'>,
  changes: { readonly event?: Partial<EventRest>; readonly file?: Partial<IcalendarExtra> },
): Appointment['extra'] {
  const event = omitEmpty({ ...getEventRest({ extra }), ...changes.event });
  const file = omitEmpty({ ...getIcalendarExtra({ extra }), ...changes.file });
  const { [EVENT_REST]: _event, [ICALENDAR_EXTRA]: _file, ...others } = extra ?? {};
  const next = {
    ...others,
    ...(Object.keys(event).length > 0 && { [EVENT_REST]: event }),
    ...(Object.keys(file).length > 0 && { [ICALENDAR_EXTRA]: file }),
  };
  return Object.keys(next).length > 0 ? next : null;
}

/** A value without its fields that say nothing. */
export const omitEmpty = <T extends object>(value: T): T =>
  Object.fromEntries(
    Object.entries(value).filter(([, each]) => each !== undefined && !(Array.isArray(each) && each.length === 0)),
  ) as T;
