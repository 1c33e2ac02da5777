import type { CalendarAttendee, CalendarEvent, CalendarOrganizer, CalendarTime } from '@groupware/icalendar';

/** An event as the calendar tells one that is stored (`chronos`), without what only stored ones have. */
export function toEventObject(event: CalendarEvent): Record<string, unknown> {
  const clock = { ...event.start, kind: event.start.kind };
  return withoutAbsent({
    uid: event.uid,
    sequence: event.sequence,
    recurrenceId: event.recurrenceId && toDateTime(event.recurrenceId).value,
    summary: event.summary,
    location: event.location,
    description: event.description,
    startDate: toDateTime(event.start),
    endDate: toDateTime(event.end),
    rrule: event.rrule,
    recurrenceDates: toTimes(clock, event.rdates),
    deleteExceptionDates: toTimes(clock, event.exdates),
    transp: event.transparency,
    status: event.status,
    class: event.classification,
    categories: event.categories.length > 0 ? event.categories : undefined,
    color: event.color,
    url: event.url,
    organizer: event.organizer && toOrganizer(event.organizer),
    attendees: event.attendees.length > 0 ? event.attendees.map(toAttendee) : undefined,
  });
}

const toOrganizer = ({ uri, cn, sentBy }: CalendarOrganizer): Record<string, unknown> =>
  withoutAbsent({ uri, cn, email: toEmail(uri), sentBy: sentBy === undefined ? undefined : { uri: sentBy } });

const toAttendee = ({ uri, cn, cuType, role, partStat, comment, rsvp }: CalendarAttendee): Record<string, unknown> =>
  withoutAbsent({ uri, cn, email: toEmail(uri), cuType, role, partStat, comment, rsvp });

const toEmail = (uri: string): string | undefined => /^(?:mailto:)?([^\s:@]+@[^\s:]+)$/i.exec(uri)?.[1]?.toLowerCase();

/** `20260131T090000`, with `Z` in UTC, the day alone for whole days. */
function toDateTime({ kind, localMs, timeZone }: CalendarTime): { readonly value: string; readonly tzid?: string } {
  const text = new Date(localMs).toISOString().replace(/[-:]/g, '').slice(0, 15);
  if (kind === 'date') return { value: text.slice(0, 8) };
  if (kind === 'utc') return { value: `${text}Z` };
  return { value: text, ...(timeZone === undefined ? {} : { tzid: timeZone }) };
}

const toTimes = (clock: CalendarTime, times: readonly number[]): readonly string[] | undefined =>
  times.length > 0 ? times.map((localMs) => toDateTime({ ...clock, localMs }).value) : undefined;

const withoutAbsent = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined));
