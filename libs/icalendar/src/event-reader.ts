import { createHash } from 'node:crypto';
import { parseRule, RecurrenceError, ZoneOffsets } from '@groupware/recurrence';
import type {
  AlarmTrigger,
  CalendarAlarm,
  CalendarAttachment,
  CalendarAttendee,
  CalendarEvent,
  CalendarOrganizer,
  CalendarTime,
  PropertyParameters,
  RawComponent,
  RawProperty,
  RecurrencePeriod,
} from './calendar-event';
import type { CalendarZones } from './calendar-zones';
import type { ReadComponent, ReadProperty } from './component';
import { otherParameters, parameterText, readCommonName } from './content-line';
import type { ItemErrorReason, ItemWarning, ItemWarningCode } from './imported-item';
import { DAY_MS, FIRST_MS, LAST_MS, parseDuration, parseFloatValue, parseInteger, parseTime } from './values';

/** Thrown inside the reader only: why a component gives no event. */
export class ItemFailure extends Error {
  constructor(
    readonly reason: ItemErrorReason,
    message: string,
    readonly line?: number,
  ) {
    super(message);
    this.name = 'ItemFailure';
  }
}

/** What reading an event depends on. */
export interface EventContext {
  readonly zones: CalendarZones;
  /** Zone of floating times where an instant is needed. */
  readonly floatingTimeZone: string;
  readonly warn: (warning: ItemWarning) => void;
}

/** Properties that may stand once; the first counts. */
const SINGLE: ReadonlySet<string> = new Set([
  'uid',
  'sequence',
  'recurrence-id',
  'summary',
  'location',
  'description',
  'dtstart',
  'dtend',
  'duration',
  'rrule',
  'transp',
  'status',
  'class',
  'priority',
  'color',
  'url',
  'geo',
  'organizer',
  'created',
  'last-modified',
  'dtstamp',
]);

/** Properties whose parameters are kept although their values have fields. */
const WITH_PARAMETERS = ['summary', 'location', 'description', 'url', 'color', 'dtstart', 'dtend'];
const STATUSES: readonly string[] = ['TENTATIVE', 'CONFIRMED', 'CANCELLED'];
const FILE_NAME_PARAMETERS = ['filename', 'x-filename', 'x-apple-filename', 'x-oracle-filename'];

/** The TZIDs that the times of an event use. */
export function timeZonesOf(component: ReadComponent): string[] {
  const tzids = new Set<string>();
  for (const { raw } of component.properties) {
    const tzid = parameterText(raw[1], 'tzid');
    if (tzid !== undefined) tzids.add(tzid);
  }
  for (const inner of component.components) for (const tzid of timeZonesOf(inner)) tzids.add(tzid);
  return [...tzids];
}

/** Builds the event of a VEVENT. Throws {@link ItemFailure}. */
export function readEvent(component: ReadComponent, context: EventContext): CalendarEvent {
  return new EventReader(component, context).read();
}

class EventReader {
  private readonly single = new Map<string, ReadProperty>();
  private readonly rdateProperties: ReadProperty[] = [];
  private readonly exdateProperties: ReadProperty[] = [];
  private readonly attendees: CalendarAttendee[] = [];
  private readonly attachments: CalendarAttachment[] = [];
  private readonly categories: string[] = [];
  private readonly extraProperties: RawProperty[] = [];
  private readonly warned = new Set<string>();

  constructor(
    private readonly component: ReadComponent,
    private readonly context: EventContext,
  ) {}

  read(): CalendarEvent {
    for (const property of this.component.properties) this.sort(property);
    const start = this.readStart();
    const end = this.readEnd(start);
    const rrule = this.readRule();
    const { rdates, rdatePeriods } = this.readRdates(start, end, rrule !== undefined);
    const recurrenceId = this.readRecurrenceId();
    const range = recurrenceId && this.parameter('recurrence-id', 'range')?.toUpperCase();
    const event: CalendarEvent = {
      uid: this.text('uid') ?? this.contentId(),
      sequence: this.integer('sequence', 0, 2_147_483_647) ?? 0,
      recurrenceId,
      recurrenceRange: range === 'THISANDFUTURE' ? range : undefined,
      summary: this.text('summary'),
      location: this.text('location'),
      description: this.text('description'),
      start,
      end,
      rrule,
      rdates,
      rdatePeriods,
      exdates: this.readExdates(start),
      transparency: this.text('transp')?.toUpperCase() === 'TRANSPARENT' ? 'TRANSPARENT' : 'OPAQUE',
      status: this.readStatus(),
      classification: this.readClassification(),
      categories: this.categories,
      priority: this.integer('priority', 0, 9),
      color: this.text('color'),
      url: this.text('url'),
      geo: this.readGeo(),
      organizer: this.readOrganizer(),
      attendees: this.attendees,
      alarms: this.readAlarms(),
      attachments: this.attachments,
      createdMs: this.instant('created'),
      lastModifiedMs: this.instant('last-modified'),
      dtstampMs: this.instant('dtstamp'),
      propertyParameters: this.readParameters(),
      extraProperties: this.extraProperties,
      extraComponents: this.component.components.filter(({ name }) => name !== 'VALARM').map(rawComponent),
    };
    return event;
  }

  private sort(property: ReadProperty): void {
    const { name, raw, value } = property;
    if (SINGLE.has(name)) {
      if (value.trim() === '') return;
      if (this.single.has(name)) this.warn('duplicate-property', `${name} is given twice, the first counts`, property);
      else this.single.set(name, property);
    } else if (name === 'rdate') this.rdateProperties.push(property);
    else if (name === 'exdate') this.exdateProperties.push(property);
    else if (name === 'categories') this.categories.push(...(raw.slice(3) as string[]).filter((text) => text !== ''));
    else if (name === 'attendee') {
      const attendee = readAttendee(property);
      if (attendee) this.attendees.push(attendee);
      else this.warn('invalid-value', 'an attendee without address', property);
    } else if (name === 'attach') {
      const attachment = readAttachment(property);
      if (attachment) this.attachments.push(attachment);
    } else this.extraProperties.push(raw);
  }

  // --- times -----------------------------------------------------------------------------------------------------

  private readStart(): CalendarTime {
    const property = this.single.get('dtstart');
    if (!property) throw new ItemFailure('missing-start', 'DTSTART is missing');
    const start = this.time(property, property.value);
    if (!start) throw new ItemFailure('invalid-start', 'DTSTART is not a time', property.line);
    return start;
  }

  private readEnd(start: CalendarTime): CalendarTime {
    const property = this.single.get('dtend');
    const duration = this.single.get('duration');
    if (!property) return duration ? this.endAfter(start, duration) : this.defaultEnd(start);
    if (duration) this.warn('duplicate-property', 'DTEND and DURATION exclude each other, DTEND counts', duration);
    let end = this.time(property, property.value);
    if (!end) throw new ItemFailure('invalid-end', 'DTEND is not a time', property.line);
    if ((start.kind === 'date') !== (end.kind === 'date')) {
      throw new ItemFailure('end-kind-differs', 'DTSTART and DTEND are not both days or both times', property.line);
    }
    if (end.kind === 'floating' && start.kind !== 'floating') {
      this.warn('invalid-value', 'DTEND has no zone, that of DTSTART is used', property);
      end = { ...start, localMs: end.localMs };
    }
    const sameClock = start.kind === end.kind && start.timeZone === end.timeZone;
    const length = sameClock ? end.localMs - start.localMs : this.toInstant(end) - this.toInstant(start);
    if (length < 0) throw new ItemFailure('end-before-start', 'DTEND is before DTSTART', property.line);
    if (length === 0 && start.kind === 'date') {
      this.warn('date-repaired', 'a whole day ends when it begins, read as one day', property);
      return this.defaultEnd(start);
    }
    return end;
  }

  private endAfter(start: CalendarTime, property: ReadProperty): CalendarTime {
    const duration = parseDuration(property.value);
    if (!duration) throw new ItemFailure('invalid-duration', 'DURATION is not a length of time', property.line);
    const { days, ms } = duration;
    if (days < 0 || ms < 0) throw new ItemFailure('end-before-start', 'DURATION is negative', property.line);
    let localMs = start.localMs + days * DAY_MS;
    if (start.kind === 'date') {
      localMs += Math.ceil(ms / DAY_MS) * DAY_MS;
      if (localMs === start.localMs) return this.defaultEnd(start);
    } else if (start.kind === 'zoned' && start.timeZone !== undefined && ms !== 0) {
      const offsets = ZoneOffsets.of(start.timeZone);
      localMs = offsets.instantToLocal(offsets.localToInstant(localMs) + ms);
    } else {
      localMs += ms;
    }
    if (localMs > LAST_MS) throw new ItemFailure('invalid-duration', 'DURATION reaches too far', property.line);
    return { ...start, localMs };
  }

  private defaultEnd(start: CalendarTime): CalendarTime {
    return start.kind === 'date' ? { kind: 'date', localMs: start.localMs + DAY_MS } : start;
  }

  private readRecurrenceId(): CalendarTime | undefined {
    const property = this.single.get('recurrence-id');
    if (!property) return undefined;
    const time = this.time(property, property.value);
    if (!time) throw new ItemFailure('invalid-recurrence-id', 'RECURRENCE-ID is not a time', property.line);
    return time;
  }

  /** A value of a property that may be DATE or DATE-TIME. */
  private time(property: ReadProperty, text: string): CalendarTime | undefined {
    const written = parseTime(text);
    if (!written) return undefined;
    const type = property.raw[2];
    const { localMs } = written;
    if (written.kind === 'date') {
      if (type !== 'date') this.warn('date-repaired', 'a day without VALUE=DATE', property);
      return { kind: 'date', localMs };
    }
    if (type === 'date') {
      this.warn('date-repaired', 'a time with VALUE=DATE', property);
      if (localMs % DAY_MS === 0) return { kind: 'date', localMs };
    }
    const tzid = property.raw[1].tzid;
    if (written.kind === 'utc') return { kind: 'utc', localMs };
    if (typeof tzid !== 'string') return { kind: 'floating', localMs };
    const zone = this.context.zones.resolve(tzid, localMs);
    if (!zone) return { kind: 'floating', localMs };
    if (zone.warning) {
      const what =
        zone.warning === 'unknown-time-zone'
          ? 'nothing is known about it'
          : 'its rules suit no zone, an offset is used';
      this.warn(zone.warning, `time zone ${tzid.slice(0, 100)}: ${what}, ${zone.timeZone}`, property, tzid);
    }
    const originalTzid = tzid === zone.timeZone ? undefined : tzid;
    return zone.timeZone === 'UTC'
      ? { kind: 'utc', localMs, originalTzid }
      : { kind: 'zoned', localMs, timeZone: zone.timeZone, originalTzid };
  }

  private toInstant(time: CalendarTime): number {
    return ZoneOffsets.of(this.zoneOf(time)).localToInstant(time.localMs);
  }

  private zoneOf(time: CalendarTime): string {
    if (time.kind === 'utc') return 'UTC';
    return time.timeZone ?? this.context.floatingTimeZone;
  }

  // --- recurrence ------------------------------------------------------------------------------------------------

  private readRule(): string | undefined {
    const property = this.single.get('rrule');
    if (!property) return undefined;
    try {
      parseRule(property.value);
      return property.value.toUpperCase().replace(/\s+|^\s*RRULE:|;\s*$/g, '');
    } catch (error) {
      if (!(error instanceof RecurrenceError)) throw error;
      throw new ItemFailure('invalid-rrule', error.message.slice(0, 300), property.line);
    }
  }

  private readRdates(
    start: CalendarTime,
    end: CalendarTime,
    ruled: boolean,
  ): Pick<CalendarEvent, 'rdates' | 'rdatePeriods'> {
    const rdates = new Set<number>();
    const periods = new Map<number, RecurrencePeriod>();
    const ownLength = start.kind === 'date' ? end.localMs - start.localMs : this.toInstant(end) - this.toInstant(start);
    for (const property of this.rdateProperties) {
      if (property.raw[2] === 'time') {
        this.warn('invalid-rdate', 'RDATE with VALUE=TIME does not exist', property);
        continue;
      }
      for (const text of property.raw.slice(3) as string[]) {
        if (text.trim() === '') continue;
        const [from, to] = text.split('/');
        // A period is always written with times, so its type says nothing about the start.
        const first = this.time(to === undefined ? property : withType(property, 'date-time'), from);
        const durationMs = first && to !== undefined ? this.periodLength(property, first, to) : undefined;
        if (!first || (to !== undefined && durationMs === undefined)) {
          this.warn('invalid-rdate', `not a time: ${text.slice(0, 60)}`, property);
          continue;
        }
        const localMs = this.inSeriesClock(first, start, property);
        if (localMs < FIRST_MS || localMs > LAST_MS) continue;
        // The start itself only adds something when the rule might leave it out.
        if (localMs === start.localMs && !ruled && (durationMs === undefined || durationMs === ownLength)) continue;
        rdates.add(localMs);
        if (durationMs !== undefined && durationMs !== ownLength) {
          this.warn('period-length-differs', 'an RDATE period has another length than the event', property, '');
          periods.set(localMs, { localMs, durationMs });
        }
      }
    }
    return {
      rdates: [...rdates].sort(ascending),
      rdatePeriods: [...periods.values()].sort((a, b) => a.localMs - b.localMs),
    };
  }

  private periodLength(property: ReadProperty, first: CalendarTime, to: string): number | undefined {
    const duration = parseDuration(to);
    const end = duration ? undefined : this.time(withType(property, 'date-time'), to);
    const length = duration
      ? duration.days * DAY_MS + duration.ms
      : end && (end.kind === 'date') === (first.kind === 'date')
        ? this.toInstant(end) - this.toInstant(first)
        : -1;
    return length > 0 ? length : undefined;
  }

  private readExdates(start: CalendarTime): readonly number[] {
    const exdates = new Set<number>();
    for (const property of this.exdateProperties) {
      for (const text of property.raw.slice(3) as string[]) {
        if (text.trim() === '') continue;
        const time = this.time(property, text);
        if (!time) {
          this.warn('invalid-exdate', `not a time: ${text.slice(0, 60)}`, property);
          continue;
        }
        const localMs = this.inSeriesClock(time, start, property);
        if (localMs >= FIRST_MS && localMs <= LAST_MS) exdates.add(localMs);
      }
    }
    return [...exdates].sort(ascending);
  }

  /** A time as the clock of the series shows it. */
  private inSeriesClock(time: CalendarTime, start: CalendarTime, property: ReadProperty): number {
    const dayOf = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;
    if ((time.kind === 'date') !== (start.kind === 'date')) {
      this.warn('date-repaired', 'one of DTSTART and this property is a day, the other a time', property);
      return dayOf(time.localMs) + (start.kind === 'date' ? 0 : start.localMs - dayOf(start.localMs));
    }
    if (time.kind === 'floating' || time.kind === 'date') return time.localMs;
    const zone = this.zoneOf(start);
    return this.zoneOf(time) === zone ? time.localMs : ZoneOffsets.of(zone).instantToLocal(this.toInstant(time));
  }

  // --- other fields ----------------------------------------------------------------------------------------------

  private readStatus(): CalendarEvent['status'] {
    const property = this.single.get('status');
    const status = property?.value.trim().toUpperCase();
    if (!property || status === undefined) return undefined;
    if (STATUSES.includes(status)) return status as CalendarEvent['status'];
    this.warn('unknown-value', `unknown STATUS ${status.slice(0, 60)}`, property);
    return undefined;
  }

  private readClassification(): CalendarEvent['classification'] {
    const property = this.single.get('class');
    const name = property?.value.trim().toUpperCase();
    if (!property || name === undefined || name === 'PUBLIC') return 'PUBLIC';
    if (name === 'PRIVATE' || name === 'CONFIDENTIAL') return name;
    this.warn('unknown-value', `unknown CLASS ${name.slice(0, 60)}, read as PRIVATE`, property);
    return 'PRIVATE';
  }

  private readGeo(): CalendarEvent['geo'] {
    const property = this.single.get('geo');
    if (!property) return undefined;
    const [first, second, more] = property.value.split(/\\?;/);
    const latitude = parseFloatValue(first, -90, 90);
    const longitude = parseFloatValue(second ?? '', -180, 180);
    if (latitude !== undefined && longitude !== undefined && more === undefined) return { latitude, longitude };
    this.warn('invalid-value', 'GEO is not a position', property);
    return undefined;
  }

  private readOrganizer(): CalendarOrganizer | undefined {
    const property = this.single.get('organizer');
    if (!property) return undefined;
    const parameters = property.raw[1];
    const cn = parameterText(parameters, 'cn');
    return {
      uri: property.value.trim(),
      cn: cn === undefined ? undefined : readCommonName(cn),
      sentBy: parameterText(parameters, 'sent-by'),
      parameters: otherParameters(parameters, ['cn', 'sent-by']),
    };
  }

  private readAlarms(): CalendarAlarm[] {
    const alarms: CalendarAlarm[] = [];
    for (const component of this.component.components) {
      if (component.name !== 'VALARM') continue;
      const alarm = this.readAlarm(component);
      if (alarm) alarms.push(alarm);
    }
    return alarms;
  }

  private readAlarm(component: ReadComponent): CalendarAlarm | undefined {
    const single = new Map<string, ReadProperty>();
    const attendees: CalendarAttendee[] = [];
    const attachments: CalendarAttachment[] = [];
    const extraProperties: RawProperty[] = [];
    for (const property of component.properties) {
      if (ALARM_SINGLE.has(property.name)) {
        if (property.value.trim() !== '' && !single.has(property.name)) single.set(property.name, property);
      } else if (property.name === 'attendee') {
        const attendee = readAttendee(property);
        if (attendee) attendees.push(attendee);
      } else if (property.name === 'attach') {
        const attachment = readAttachment(property);
        if (attachment) attachments.push(attachment);
      } else extraProperties.push(property.raw);
    }
    const triggerProperty = single.get('trigger');
    const trigger = triggerProperty && this.readTrigger(triggerProperty);
    if (!trigger) {
      this.warn('invalid-alarm', 'an alarm without a valid TRIGGER is left out', triggerProperty);
      return undefined;
    }
    const count = parseInteger(single.get('repeat')?.value ?? '', 1, 2_147_483_647);
    const every = parseDuration(single.get('duration')?.value ?? '');
    const everyMs = every ? every.days * DAY_MS + every.ms : 0;
    const acknowledged = single.get('acknowledged');
    const acknowledgedAt = acknowledged && this.time(acknowledged, acknowledged.value);
    return {
      action: single.get('action')?.value.trim().toUpperCase() ?? 'DISPLAY',
      trigger,
      description: single.get('description')?.value,
      summary: single.get('summary')?.value,
      uid: single.get('uid')?.value,
      repeat: count !== undefined && everyMs > 0 ? { count, everyMs } : undefined,
      acknowledgedMs: acknowledgedAt && acknowledgedAt.kind !== 'date' ? this.toInstant(acknowledgedAt) : undefined,
      attendees,
      attachments,
      extraProperties,
    };
  }

  private readTrigger(property: ReadProperty): AlarmTrigger | undefined {
    const duration = parseDuration(property.value);
    if (duration) {
      const related = parameterText(property.raw[1], 'related')?.toUpperCase();
      return {
        kind: 'relative',
        relatedTo: related === 'END' ? 'END' : 'START',
        offsetMs: duration.days * DAY_MS + duration.ms,
      };
    }
    const time = this.time(withType(property, 'date-time'), property.value);
    return time && time.kind !== 'date' ? { kind: 'absolute', atMs: this.toInstant(time) } : undefined;
  }

  private readParameters(): CalendarEvent['propertyParameters'] {
    const kept: Record<string, PropertyParameters> = {};
    for (const name of WITH_PARAMETERS) {
      const property = this.single.get(name);
      const parameters = property && otherParameters(property.raw[1], ['tzid']);
      if (parameters) kept[name] = parameters;
    }
    return Object.keys(kept).length > 0 ? kept : undefined;
  }

  private text(name: string): string | undefined {
    return this.single.get(name)?.value;
  }

  private parameter(name: string, parameter: string): string | undefined {
    const property = this.single.get(name);
    return property && parameterText(property.raw[1], parameter);
  }

  private integer(name: string, min: number, max: number): number | undefined {
    const property = this.single.get(name);
    if (!property) return undefined;
    const value = parseInteger(property.value, min, max);
    if (value === undefined) this.warn('invalid-value', `${name} is not a number from ${min} to ${max}`, property);
    return value;
  }

  /** Instant of a property that should be UTC. */
  private instant(name: string): number | undefined {
    const property = this.single.get(name);
    if (!property) return undefined;
    const written = parseTime(property.value);
    const time =
      written && written.kind !== 'date' ? this.time(withType(property, 'date-time'), property.value) : undefined;
    if (time) return this.toInstant(time);
    this.warn('invalid-value', `${name} is not a time`, property);
    return undefined;
  }

  /** The same event without a UID gets the same id in every import. */
  private contentId(): string {
    this.warn('missing-uid', 'UID is missing, one was made from the content');
    const hash = createHash('sha256');
    for (const { raw } of this.component.properties) if (raw[0] !== 'dtstamp') hash.update(JSON.stringify(raw));
    const hex = hash.digest('hex');
    // Version 8 of RFC 9562: made from whatever its author likes.
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  /** Once for each property name and code (and `key`). */
  private warn(code: ItemWarningCode, message: string, property?: ReadProperty, key?: string): void {
    const seen = key === undefined ? `${code} ${property?.name}` : `${code} ${key}`;
    if (this.warned.has(seen)) return;
    this.warned.add(seen);
    this.context.warn({ code, message, property: property?.name, line: property?.line });
  }
}

const ALARM_SINGLE: ReadonlySet<string> = new Set([
  'action',
  'trigger',
  'description',
  'summary',
  'uid',
  'repeat',
  'duration',
  'acknowledged',
]);

function readAttendee({ raw, value }: ReadProperty): CalendarAttendee | undefined {
  const uri = value.trim();
  if (uri === '') return undefined;
  const parameters = raw[1];
  const upper = (name: string) => parameterText(parameters, name)?.toUpperCase();
  const cn = parameterText(parameters, 'cn');
  const rsvp = upper('rsvp');
  return {
    uri,
    cn: cn === undefined ? undefined : readCommonName(cn),
    cuType: upper('cutype'),
    role: upper('role'),
    partStat: upper('partstat'),
    rsvp: rsvp === 'TRUE' ? true : rsvp === 'FALSE' ? false : undefined,
    sentBy: parameterText(parameters, 'sent-by'),
    comment: parameterText(parameters, 'x-response-comment'),
    parameters: otherParameters(parameters, [
      'cn',
      'cutype',
      'role',
      'partstat',
      'rsvp',
      'sent-by',
      'x-response-comment',
    ]),
  };
}

function readAttachment({ raw, value }: ReadProperty): CalendarAttachment | undefined {
  const content = value.trim();
  if (content === '') return undefined;
  const [, parameters, type] = raw;
  const inline = type === 'binary' || parameterText(parameters, 'encoding')?.toUpperCase() === 'BASE64';
  const fileNameParameter = FILE_NAME_PARAMETERS.find((name) => parameterText(parameters, name) !== undefined);
  return {
    uri: inline ? undefined : content,
    data: inline ? content.replace(/\s+/g, '') : undefined,
    formatType: parameterText(parameters, 'fmttype'),
    fileName: fileNameParameter && parameterText(parameters, fileNameParameter),
    size: parseInteger(parameterText(parameters, 'size') ?? '', 0, Number.MAX_SAFE_INTEGER),
    managedId: parameterText(parameters, 'managed-id'),
    parameters: otherParameters(parameters, [
      'encoding',
      'fmttype',
      'size',
      'managed-id',
      ...(fileNameParameter ? [fileNameParameter] : []),
    ]),
  };
}

function rawComponent(component: ReadComponent): RawComponent {
  return {
    name: component.name,
    properties: component.properties.map(({ raw }) => raw),
    components: component.components.map(rawComponent),
  };
}

function withType(property: ReadProperty, type: string): ReadProperty {
  const [name, parameters, , ...values] = property.raw;
  return { ...property, raw: [name, parameters, type, ...values] };
}

function ascending(a: number, b: number): number {
  return a - b;
}
