import { localText, type ContactBirthday } from '@groupware/contracts';
import type { CalendarEvent, CalendarTime } from '@groupware/icalendar';

const DAY_MS = 86_400_000;
/** Clients write birthdays whose year is not known with the year 1; no calendar is older than this one. */
const FIRST_YEAR = 1583;
/** A leap year in place of one that is not known, so that it has every day. */
const UNKNOWN_YEAR = 1972;

/** Converts birthdays to yearly events of whole days, which take no busy time. */
export const toBirthdayEvents = (birthdays: readonly ContactBirthday[], locale: string): CalendarEvent[] =>
  birthdays.map(({ id, name, birthday }) => toBirthdayEvent(id, name, new Date(birthday), locale));

function toBirthdayEvent(id: number, name: string, born: Date, locale: string): CalendarEvent {
  const [year, month, day] = [born.getUTCFullYear(), born.getUTCMonth(), born.getUTCDate()];
  const localMs = Date.UTC(year < FIRST_YEAR ? UNKNOWN_YEAR : year, month, day);
  const isLeapDay = month === 1 && day === 29;
  return {
    uid: `birthday-${id}`,
    sequence: 0,
    summary: localText('birthday.summary', locale).replace('%1', () => name),
    start: toDay(localMs),
    end: toDay(localMs + DAY_MS),
    // The 60th day is 29 February, or 1 March in a year without it; a plain yearly rule leaves out such years.
    rrule: isLeapDay ? 'FREQ=YEARLY;BYYEARDAY=60' : 'FREQ=YEARLY',
    rdates: [],
    rdatePeriods: [],
    exdates: [],
    transparency: 'TRANSPARENT',
    classification: 'PUBLIC',
    categories: [],
    attendees: [],
    alarms: [],
    attachments: [],
    extraProperties: [],
    extraComponents: [],
  };
}

const toDay = (localMs: number): CalendarTime => ({ kind: 'date', localMs });
