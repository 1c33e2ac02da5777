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
import { DAY_MS, LAST_MS, parseDuration, parseFloatValue, parseInteger } from './values';

/** Context in which a component is read. */
export interface ComponentContext extends TimeContext {
  /** Events may lack DTSTART. */
  readonly startOptional: boolean;
  readonly warn: (warning: ItemWarning) => void;
}

/** Properties of VEVENT and VTODO that may stand once; the first counts. */
const SINGLE: readonly string[] = [
  'uid',
  'sequence',
  'recurrence-id',
  'summary',
  'location',
  'description',
  'dtstart',
  'duration',
  'rrule',
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
];

/** Those that may stand more often. */
const REPEATED: readonly string[] = ['rdate', 'exdate', 'categories', 'attendee', 'attach'];

/** Whether a property of VEVENT and VTODO has a field, and is none of the `extraProperties`. */
export const hasField = (name: string): boolean => SINGLE.includes(name) || REPEATED.includes(name);

/** Properties whose parameters are kept although their values have fields. */
const WITH_PARAMETERS: readonly string[] = ['summary', 'location', 'description', 'url', 'color', 'dtstart'];

/** The TZIDs that the times of a component use. */
export function timeZonesOf(component: ReadComponent): string[] {
  const tzids = new Set<string>();
  for (const { raw } of component.properties) {
    const tzid = parameterText(raw[1], 'tzid');
    if (tzid !== undefined) tzids.add(tzid);
  }
  for (const inner of component.components) for (const tzid of timeZonesOf(inner)) tzids.add(tzid);
  return [...tzids];
}

/** Reads what VEVENT and VTODO have in common. */
export abstract class ComponentReader {
  protected readonly warnings: ItemWarnings;
  protected readonly times: EventTimes;
  protected readonly single = new Map<string, ReadProperty>();
  protected readonly rdateProperties: ReadProperty[] = [];
  protected readonly exdateProperties: ReadProperty[] = [];
  protected readonly extraProperties: RawProperty[] = [];
  private readonly attendees: CalendarAttendee[] = [];
  private readonly attachments: CalendarAttachment[] = [];
  private readonly categories: string[] = [];
  private readonly withParameters: readonly string[];

  /** @param further properties of the component alone that may stand once, and whether their parameters are kept */
  constructor(
    private readonly component: ReadComponent,
    context: ComponentContext,
    further: Readonly<Record<string, boolean>>,
  ) {
    this.warnings = new ItemWarnings(context.warn);
    this.times = new EventTimes(context, this.warnings);
    const single = new Set([...SINGLE, ...Object.keys(further)]);
    this.withParameters = [...WITH_PARAMETERS, ...Object.keys(further).filter((name) => further[name])];
    for (const property of component.properties) this.sort(property, single);
  }

  /** All fields but the times, those of recurrence and the state. Throws {@link ItemFailure}. */
  protected readCommon() {
    const recurrenceId = this.readRecurrenceId();
    const range = recurrenceId && this.parameter('recurrence-id', 'range')?.toUpperCase();
    return {
      uid: this.text('uid') ?? this.contentId(),
      sequence: this.integer('sequence', 0, 2_147_483_647) ?? 0,
      recurrenceId,
      recurrenceRange: range === 'THISANDFUTURE' ? (range as 'THISANDFUTURE') : undefined,
      summary: this.text('summary'),
      location: this.text('location'),
      description: this.text('description'),
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
  }

  private sort(property: ReadProperty, single: ReadonlySet<string>): void {
    const { name, raw, value } = property;
    if (single.has(name)) {
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

  /** The start plus a DURATION. Throws {@link ItemFailure}. */
  protected addDuration(start: CalendarTime, property: ReadProperty): CalendarTime {
    const duration = parseDuration(property.value);
    if (!duration) throw new ItemFailure('invalid-duration', 'DURATION is not a length of time', property.line);
    const { days, ms } = duration;
    if (days < 0 || ms < 0) throw new ItemFailure('end-before-start', 'DURATION is negative', property.line);
    let localMs = start.localMs + days * DAY_MS;
    if (start.kind === 'date') localMs += Math.ceil(ms / DAY_MS) * DAY_MS;
    else if (start.kind === 'zoned' && start.timeZone !== undefined && ms !== 0) {
      const offsets = ZoneOffsets.forZone(start.timeZone);
      localMs = offsets.instantToLocal(offsets.localToInstant(localMs) + ms);
    } else localMs += ms;
    if (localMs > LAST_MS) throw new ItemFailure('invalid-duration', 'DURATION reaches too far', property.line);
    return { ...start, localMs };
  }

  private readRecurrenceId(): CalendarTime | undefined {
    const property = this.single.get('recurrence-id');
    if (!property) return undefined;
    const time = this.times.read(property, property.value);
    if (!time) throw new ItemFailure('invalid-recurrence-id', 'RECURRENCE-ID is not a time', property.line);
    return time;
  }

  /** The STATUS as one of those that there are. */
  protected readStatus<S extends string>(known: readonly S[]): S | undefined {
    const property = this.single.get('status');
    const status = property?.value.trim().toUpperCase();
    if (!property || status === undefined) return undefined;
    const found = known.find((each) => each === status);
    if (!found) this.warnings.warn('unknown-value', `unknown STATUS ${status.slice(0, 60)}`, property);
    return found;
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
    for (const name of this.withParameters) {
      const property = this.single.get(name);
      const parameters = property && otherParameters(property.raw[1], ['tzid']);
      if (parameters) kept[name] = parameters;
    }
    return Object.keys(kept).length > 0 ? kept : undefined;
  }

  protected text(name: string): string | undefined {
    return this.single.get(name)?.value;
  }

  private parameter(name: string, parameter: string): string | undefined {
    const property = this.single.get(name);
    return property && parameterText(property.raw[1], parameter);
  }

  protected integer(name: string, min: number, max: number): number | undefined {
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
