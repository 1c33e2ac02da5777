import type {
  CalendarAlarm,
  CalendarAttachment,
  CalendarAttendee,
  CalendarEvent,
  CalendarTime,
  CalendarTodo,
  PropertyParameters,
  RawComponent,
  RawProperty,
} from './calendar-event';
import { formatCommonName, formatContentLine } from './content-line';
import { DAY_MS, formatDate, formatDateTime, formatDuration, formatFloat, parseDuration } from './values';

/** Times in one RDATE or EXDATE: readers with short lines cope, and a series of thousands stays compact. */
const TIMES_PER_LINE = 100;
/** Deeper components are left out. */
const MAX_DEPTH = 16;

/** Properties that VEVENT and VTODO have in common. */
type CommonItem = Omit<CalendarTodo, 'start' | 'due' | 'status'>;

/** The zones whose VTIMEZONE some times need. */
const listZones = (times: readonly (CalendarTime | undefined)[]): string[] => {
  const zones = times.map((time) => (time?.kind === 'zoned' && time.timeZone !== 'UTC' ? time.timeZone : undefined));
  return [...new Set(zones.filter((zone) => zone !== undefined))];
};

/** The zones whose VTIMEZONE an event needs. */
export const zonesUsedBy = (event: CalendarEvent): string[] => listZones([event.start, event.end, event.recurrenceId]);

/** The zones whose VTIMEZONE a task needs. */
export const zonesUsedByTodo = (todo: CalendarTodo): string[] => listZones([todo.start, todo.due, todo.recurrenceId]);

/** Writes a VEVENT. `nowMs` becomes its DTSTAMP when it has none (RFC 5545 demands one). */
export function formatEvent(event: CalendarEvent, nowMs: number): string {
  const lines = new Lines();
  lines.addHead(event, nowMs);
  lines.addTime('dtstart', event.start, event.propertyParameters?.dtstart);
  // An end at the start cannot be written; its absence says the same (RFC 5545 §3.6.1).
  if (!sameTime(event.start, event.end)) lines.addTime('dtend', event.end, event.propertyParameters?.dtend);
  if (event.rrule !== undefined) lines.add('rrule', 'recur', event.rrule);
  const periods = new Set(event.rdatePeriods.map(({ localMs }) => localMs));
  lines.addTimes(
    'rdate',
    event.start,
    event.rdates.filter((localMs) => !periods.has(localMs)),
  );
  for (const { localMs, durationMs } of event.rdatePeriods) lines.addPeriod(event.start, localMs, durationMs);
  lines.addTimes('exdate', event.start, event.exdates);
  lines.addTexts(event);
  if (event.transparency === 'TRANSPARENT') lines.add('transp', 'text', 'TRANSPARENT');
  lines.addText('status', event.status);
  return component('VEVENT', lines.formatRest(event));
}

/** Writes a VTODO. `nowMs` becomes its DTSTAMP when it has none. */
export function formatTodo(todo: CalendarTodo, nowMs: number): string {
  const { start, due, rrule, propertyParameters: parameters } = todo;
  const lines = new Lines();
  lines.addHead(todo, nowMs);
  if (start) lines.addTime('dtstart', start, parameters?.dtstart);
  if (start && todo.duration && parseDuration(todo.duration)) lines.add('duration', 'duration', todo.duration);
  else if (due) lines.addTime('due', due, parameters?.due);
  if (rrule !== undefined) lines.add('rrule', 'recur', rrule);
  const from = start ?? due;
  if (from) {
    lines.addTimes('rdate', from, todo.rdates);
    lines.addTimes('exdate', from, todo.exdates);
  }
  lines.addTexts(todo);
  lines.addText('status', todo.status, parameters?.status);
  if (todo.percentComplete !== undefined) lines.add('percent-complete', 'integer', String(todo.percentComplete));
  lines.addInstant('completed', todo.completedMs);
  return component('VTODO', lines.formatRest(todo));
}

function formatAlarm(alarm: CalendarAlarm): string {
  const lines = new Lines();
  lines.addText('uid', alarm.uid);
  lines.add('action', 'text', alarm.action);
  const { trigger } = alarm;
  if (trigger.kind === 'absolute') lines.add('trigger', 'date-time', formatDateTime(trigger.atMs, true));
  else {
    const duration = formatDuration(trigger.offsetMs, true);
    lines.add('trigger', 'duration', duration, trigger.relatedTo === 'END' ? { related: 'END' } : {});
  }
  lines.addText('description', alarm.description);
  lines.addText('summary', alarm.summary);
  if (alarm.repeat) {
    lines.add('duration', 'duration', formatDuration(alarm.repeat.everyMs, true));
    lines.add('repeat', 'integer', String(alarm.repeat.count));
  }
  lines.addInstant('acknowledged', alarm.acknowledgedMs);
  for (const attendee of alarm.attendees) lines.addAttendee(attendee);
  for (const attachment of alarm.attachments) lines.addAttachment(attachment);
  for (const property of alarm.extraProperties) lines.addRaw(property);
  return component('VALARM', lines.format());
}

function formatComponent({ name, properties, components }: RawComponent, depth: number): string {
  if (depth > MAX_DEPTH || !/^[A-Za-z0-9-]+$/.test(name)) return '';
  const inner = components.map((each) => formatComponent(each, depth + 1));
  return component(name.toUpperCase(), properties.map(formatContentLine).join('') + inner.join(''));
}

function component(name: string, content: string): string {
  return `BEGIN:${name}\r\n${content}END:${name}\r\n`;
}

class Lines {
  private text = '';

  /** Identity and stamps. */
  addHead(item: CommonItem, nowMs: number): void {
    this.add('uid', 'text', item.uid);
    this.add('dtstamp', 'date-time', formatDateTime(item.dtstampMs ?? nowMs, true));
    this.add('sequence', 'integer', String(item.sequence));
    this.addInstant('created', item.createdMs);
    this.addInstant('last-modified', item.lastModifiedMs);
    if (item.recurrenceId)
      this.addTime('recurrence-id', item.recurrenceId, item.recurrenceRange && { range: item.recurrenceRange });
  }

  /** Summary, location, description. */
  addTexts({ summary, location, description, propertyParameters: parameters }: CommonItem): void {
    this.addText('summary', summary, parameters?.summary);
    this.addText('location', location, parameters?.location);
    this.addText('description', description, parameters?.description);
  }

  /** All lines, those added so far and those of the other fields, alarms and further components. */
  formatRest(item: CommonItem): string {
    const parameters = (name: string) => item.propertyParameters?.[name];
    if (item.classification !== 'PUBLIC') this.add('class', 'text', item.classification);
    const categories = item.categories.filter((category) => category !== '');
    if (categories.length > 0) this.addRaw(['categories', {}, 'text', ...categories]);
    if (item.priority !== undefined) this.add('priority', 'integer', String(item.priority));
    this.addText('color', item.color, parameters('color'));
    if (item.url) this.add('url', 'uri', item.url, parameters('url'));
    if (item.geo) this.add('geo', 'float', `${formatFloat(item.geo.latitude)};${formatFloat(item.geo.longitude)}`);
    if (item.organizer) {
      const { uri, cn, sentBy, parameters: others } = item.organizer;
      this.add('organizer', 'cal-address', uri, {
        ...others,
        ...present({ cn: cn && formatCommonName(cn), 'sent-by': sentBy }),
      });
    }
    for (const attendee of item.attendees) this.addAttendee(attendee);
    for (const attachment of item.attachments) this.addAttachment(attachment);
    for (const property of item.extraProperties) this.addRaw(property);
    const alarms = item.alarms.map(formatAlarm);
    const components = item.extraComponents.map((inner) => formatComponent(inner, 1));
    return this.text + alarms.join('') + components.join('');
  }

  /** The lines added so far. */
  format(): string {
    return this.text;
  }

  addRaw(property: RawProperty): void {
    this.text += formatContentLine(property);
  }

  add(name: string, type: string, value: string, parameters: PropertyParameters = {}): void {
    this.addRaw([name, parameters, type, value]);
  }

  addText(name: string, value: string | undefined, parameters?: PropertyParameters): void {
    if (value) this.add(name, 'text', value, parameters);
  }

  addInstant(name: string, ms: number | undefined): void {
    if (ms !== undefined) this.add(name, 'date-time', formatDateTime(ms, true));
  }

  addTime(name: string, time: CalendarTime, parameters: PropertyParameters = {}): void {
    const { type, format } = notation(time);
    this.add(name, type, format(time.localMs), { ...zoneParameter(time), ...parameters });
  }

  addTimes(name: string, start: CalendarTime, times: readonly number[]): void {
    const { type, format } = notation(start);
    for (let from = 0; from < times.length; from += TIMES_PER_LINE) {
      this.addRaw([name, zoneParameter(start), type, ...times.slice(from, from + TIMES_PER_LINE).map(format)]);
    }
  }

  addPeriod(start: CalendarTime, localMs: number, durationMs: number): void {
    const from = formatDateTime(localMs, start.kind === 'utc');
    // Hours are exact where days would follow the clock.
    const length = formatDuration(durationMs, start.kind === 'date');
    this.addRaw(['rdate', zoneParameter(start), 'period', `${from}/${length}`]);
  }

  addAttendee({ uri, cn, cuType, role, partStat, rsvp, sentBy, comment, parameters }: CalendarAttendee): void {
    this.add('attendee', 'cal-address', uri, {
      ...parameters,
      ...present({
        cn: cn && formatCommonName(cn),
        cutype: cuType,
        role,
        partstat: partStat,
        rsvp: rsvp === undefined ? undefined : String(rsvp).toUpperCase(),
        'sent-by': sentBy,
        'x-response-comment': comment,
      }),
    });
  }

  addAttachment(attachment: CalendarAttachment): void {
    this.text += formatAttachment(attachment);
  }
}

/** Writes an ATTACH; nothing for one without address and content. */
export function formatAttachment(attachment: CalendarAttachment): string {
  const { uri, data, formatType, fileName, size, managedId, parameters } = attachment;
  const known = present({
    fmttype: formatType,
    filename: fileName,
    size: size === undefined ? undefined : String(size),
    'managed-id': managedId,
  });
  if (uri) return formatContentLine(['attach', { ...parameters, ...known }, 'uri', uri]);
  if (!data) return '';
  return formatContentLine(['attach', { ...parameters, ...known, encoding: 'BASE64' }, 'binary', data]);
}

/** How the times of a property or series are written. */
function notation({ kind }: CalendarTime): { readonly type: string; readonly format: (localMs: number) => string } {
  if (kind === 'date') return { type: 'date', format: (ms) => formatDate(Math.floor(ms / DAY_MS) * DAY_MS) };
  return { type: 'date-time', format: (ms) => formatDateTime(ms, kind === 'utc') };
}

function zoneParameter({ kind, timeZone }: CalendarTime): PropertyParameters {
  return kind === 'zoned' && timeZone !== undefined ? { tzid: timeZone } : {};
}

function sameTime(a: CalendarTime, b: CalendarTime): boolean {
  return a.kind === b.kind && a.localMs === b.localMs && a.timeZone === b.timeZone;
}

function present(parameters: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1])));
}
