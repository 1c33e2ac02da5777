import type { CalendarAlarm, CalendarTime, CalendarTodo } from './calendar-event';

/** How the times of an object are anchored. */
export interface TimeAnchor {
  readonly fullTime: boolean | null;
  readonly floating?: boolean;
  /** `UTC` for instants. */
  readonly timeZone: string;
}

/** A wall-clock time (ms) as a value of iCalendar. */
export function toCalendarTime({ fullTime, floating = false, timeZone }: TimeAnchor, localMs: number): CalendarTime {
  if (fullTime) return { kind: 'date', localMs };
  if (floating) return { kind: 'floating', localMs };
  return timeZone === 'UTC' ? { kind: 'utc', localMs } : { kind: 'zoned', localMs, timeZone };
}

/** The names in a comma list of categories. */
export const parseCategories = (text: string | null): string[] =>
  (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** An alarm that shows a text, without its trigger. */
export const displayAlarm = (description: string): Omit<CalendarAlarm, 'trigger'> => ({
  action: 'DISPLAY',
  description,
  attendees: [],
  attachments: [],
  extraProperties: [],
});

/** A VTODO without content. */
export const EMPTY_TODO: Omit<CalendarTodo, 'uid'> = {
  sequence: 0,
  rdates: [],
  exdates: [],
  classification: 'PUBLIC',
  categories: [],
  attendees: [],
  alarms: [],
  attachments: [],
  extraProperties: [],
  extraComponents: [],
};
