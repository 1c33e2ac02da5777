import ICAL from 'ical.js';

const instantOf = (time: ICAL.Time): number => {
  if (!time.isDate && time.zone !== ICAL.Timezone.localTimezone) return time.toUnixTime() * 1000;
  return Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
};

/** Starts and titles that ical.js, an independent client, finds in a file within a range; UTC to the minute, sorted. */
export function independentStarts(text: string, range: { readonly start: number; readonly end: number }): string[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  for (const zone of calendar.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone);
  const events = calendar
    .getAllSubcomponents('vevent')
    .map((component) => new ICAL.Event(component, { strictExceptions: false, exceptions: [] }));
  const series = new Map(events.filter((event) => !event.isRecurrenceException()).map((event) => [event.uid, event]));
  const found: [ICAL.Time, string][] = [];
  for (const event of events)
    if (!event.isRecurrenceException()) continue;
    else if (series.has(event.uid)) series.get(event.uid)!.relateException(event);
    else found.push([event.startDate, event.summary]);
  for (const event of series.values())
    if (!event.isRecurring()) found.push([event.startDate, event.summary]);
    else found.push(...occurrences(event, range.end));
  return found
    .map(([start, title]): [number, string] => [instantOf(start), title])
    .filter(([start]) => start >= range.start && start < range.end)
    .map(([start, title]) => `${new Date(start).toISOString().slice(0, 16)} ${title}`)
    .sort();
}

/** Walks from the first occurrence: ical.js knows no other way. */
function* occurrences(event: ICAL.Event, end: number): Generator<[ICAL.Time, string]> {
  // Of a rule that never hits, ical.js would look for the first hit forever.
  if (instantOf(event.startDate) >= end) return;
  const iterator = event.iterator();
  for (let next = iterator.next(); next; next = iterator.next()) {
    // Of a period ical.js gives the whole.
    const start = (next as unknown as { start?: ICAL.Time }).start ?? next;
    if (instantOf(start) >= end) return;
    const { startDate, item } = event.getOccurrenceDetails(start);
    yield [startDate, item.summary];
  }
}
