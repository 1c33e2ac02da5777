import { createHash } from 'node:crypto';
import { ZoneOffsets } from '@groupware/recurrence';
import { AlarmReader } from './alarm-reader';
import { readAttachment } from './attachment-reader';
import { readAttendee } from './attendee-reader';
import type {
  CalendarAlarm,
  CalendarAttachment,
  CalendarAttendee,
  CalendarEvent,
  CalendarOrganizer,
  CalendarTime,
  PropertyParameters,
  RawComponent,
  RawProperty,
} from './calendar-event';
import type { ReadComponent, ReadProperty } from './component';
import { otherParameters, parameterText, readCommonName } from './content-line';
import { EventTimes, type TimeContext } from './event-times';
import type { ItemWarning } from './imported-item';
import { ItemFailure } from './item-failure';
import { ItemWarnings } from './item-warnings';
import { RecurrenceReader } from './recurrence-reader';
import { DAY_MS, LAST_MS, parseDuration, parseFloatValue, parseInteger } from './values';

/** What reading an event depends on. */
export interface EventContext extends TimeContext {
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
  private readonly warnings: ItemWarnings;
  private readonly times: EventTimes;
  private readonly single = new Map<string, ReadProperty>();
  private readonly rdateProperties: ReadProperty[] = [];
  private readonly exdateProperties: ReadProperty[] = [];
  private readonly attendees: CalendarAttendee[] = [];
  private readonly attachments: CalendarAttachment[] = [];
  private readonly categories: string[] = [];
  private readonly extraProperties: RawProperty[] = [];

  constructor(
    private readonly component: ReadComponent,
    context: EventContext,
  ) {
    this.warnings = new ItemWarnings(context.warn);
    this.times = new EventTimes(context, this.warnings);
  }

  read(): CalendarEvent {
    for (const property of this.component.properties) this.sort(property);
    const start = this.readStart();
    const end = this.readEnd(start);
    const recurrence = new RecurrenceReader(this.times, this.warnings);
    const rrule = recurrence.rule(this.single.get('rrule'));
    const { rdates, rdatePeriods } = recurrence.rdates(this.rdateProperties, start, end, rrule !== undefined);
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
      exdates: recurrence.exdates(this.exdateProperties, start),
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
      createdMs: this.times.instant(this.single.get('created')),
      lastModifiedMs: this.times.instant(this.single.get('last-modified')),
      dtstampMs: this.times.instant(this.single.get('dtstamp')),
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
      if (this.single.has(name))
        this.warnings.warn('duplicate-property', `${name} is given twice, the first counts`, property);
      else this.single.set(name, property);
    } else if (name === 'rdate') this.rdateProperties.push(property);
    else if (name === 'exdate') this.exdateProperties.push(property);
    else if (name === 'categories') this.categories.push(...(raw.slice(3) as string[]).filter((text) => text !== ''));
    else if (name === 'attendee') {
      const attendee = readAttendee(property);
      if (attendee) this.attendees.push(attendee);
      else this.warnings.warn('invalid-value', 'an attendee without address', property);
    } else if (name === 'attach') {
      const attachment = readAttachment(property);
      if (attachment) this.attachments.push(attachment);
    } else this.extraProperties.push(raw);
  }

  // --- times -----------------------------------------------------------------------------------------------------

  private readStart(): CalendarTime {
    const property = this.single.get('dtstart');
    if (!property) throw new ItemFailure('missing-start', 'DTSTART is missing');
    const start = this.times.read(property, property.value);
    if (!start) throw new ItemFailure('invalid-start', 'DTSTART is not a time', property.line);
    return start;
  }

  private readEnd(start: CalendarTime): CalendarTime {
    const property = this.single.get('dtend');
    const duration = this.single.get('duration');
    if (!property) return duration ? this.endAfter(start, duration) : this.defaultEnd(start);
    if (duration)
      this.warnings.warn('duplicate-property', 'DTEND and DURATION exclude each other, DTEND counts', duration);
    let end = this.times.read(property, property.value);
    if (!end) throw new ItemFailure('invalid-end', 'DTEND is not a time', property.line);
    if ((start.kind === 'date') !== (end.kind === 'date')) {
      throw new ItemFailure('end-kind-differs', 'DTSTART and DTEND are not both days or both times', property.line);
    }
    if (end.kind === 'floating' && start.kind !== 'floating') {
      this.warnings.warn('invalid-value', 'DTEND has no zone, that of DTSTART is used', property);
      end = { ...start, localMs: end.localMs };
    } else if (start.kind === 'floating' && end.kind !== 'floating') {
      this.warnings.warn(
        'invalid-value',
        'DTEND has a zone, DTSTART has none: read on the clock of the reader',
        property,
      );
      end = { kind: 'floating', localMs: this.times.floatingAt(end) };
    }
    const sameClock = start.kind === end.kind && start.timeZone === end.timeZone;
    const length = sameClock ? end.localMs - start.localMs : this.times.toInstant(end) - this.times.toInstant(start);
    if (length < 0) throw new ItemFailure('end-before-start', 'DTEND is before DTSTART', property.line);
    if (length === 0 && start.kind === 'date') {
      this.warnings.warn('date-repaired', 'a whole day ends when it begins, read as one day', property);
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
    const time = this.times.read(property, property.value);
    if (!time) throw new ItemFailure('invalid-recurrence-id', 'RECURRENCE-ID is not a time', property.line);
    return time;
  }

  // --- other fields ----------------------------------------------------------------------------------------------

  private readStatus(): CalendarEvent['status'] {
    const property = this.single.get('status');
    const status = property?.value.trim().toUpperCase();
    if (!property || status === undefined) return undefined;
    if (STATUSES.includes(status)) return status as CalendarEvent['status'];
    this.warnings.warn('unknown-value', `unknown STATUS ${status.slice(0, 60)}`, property);
    return undefined;
  }

  private readClassification(): CalendarEvent['classification'] {
    const property = this.single.get('class');
    const name = property?.value.trim().toUpperCase();
    if (!property || name === undefined || name === 'PUBLIC') return 'PUBLIC';
    if (name === 'PRIVATE' || name === 'CONFIDENTIAL') return name;
    this.warnings.warn('unknown-value', `unknown CLASS ${name.slice(0, 60)}, read as PRIVATE`, property);
    return 'PRIVATE';
  }

  private readGeo(): CalendarEvent['geo'] {
    const property = this.single.get('geo');
    if (!property) return undefined;
    const [first = '', second = '', more] = property.value.split(/\\?;/);
    const latitude = parseFloatValue(first, -90, 90);
    const longitude = parseFloatValue(second, -180, 180);
    if (latitude !== undefined && longitude !== undefined && more === undefined) return { latitude, longitude };
    this.warnings.warn('invalid-value', 'GEO is not a position', property);
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
    const reader = new AlarmReader(this.times, this.warnings);
    const alarms: CalendarAlarm[] = [];
    for (const component of this.component.components) {
      if (component.name !== 'VALARM') continue;
      const alarm = reader.read(component);
      if (alarm) alarms.push(alarm);
    }
    return alarms;
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
    if (value === undefined)
      this.warnings.warn('invalid-value', `${name} is not a number from ${min} to ${max}`, property);
    return value;
  }

  /** The same event without a UID gets the same id in every import. */
  private contentId(): string {
    this.warnings.warn('missing-uid', 'UID is missing, one was made from the content');
    const hash = createHash('sha256');
    for (const { raw } of this.component.properties) if (raw[0] !== 'dtstamp') hash.update(JSON.stringify(raw));
    const hex = hash.digest('hex');
    // Version 8 of RFC 9562: made from whatever its author likes.
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }
}

function rawComponent(component: ReadComponent): RawComponent {
  return {
    name: component.name,
    properties: component.properties.map(({ raw }) => raw),
    components: component.components.map(rawComponent),
  };
}
