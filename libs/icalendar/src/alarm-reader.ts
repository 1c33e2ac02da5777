import { readAttachment } from './attachment-reader';
import { readAttendee } from './attendee-reader';
import type { AlarmTrigger, CalendarAlarm, CalendarAttachment, CalendarAttendee, RawProperty } from './calendar-event';
import type { ReadComponent, ReadProperty } from './component';
import { parameterText } from './content-line';
import { withType, type EventTimes } from './event-times';
import type { ItemWarnings } from './item-warnings';
import { DAY_MS, parseDuration, parseInteger } from './values';

/** Properties that may stand once; the first counts. */
const SINGLE: ReadonlySet<string> = new Set([
  'action',
  'trigger',
  'description',
  'summary',
  'uid',
  'repeat',
  'duration',
  'acknowledged',
]);

/** Reads VALARM. */
export class AlarmReader {
  constructor(
    private readonly times: EventTimes,
    private readonly warnings: ItemWarnings,
  ) {}

  /** The alarm of a VALARM; nothing when it has no valid TRIGGER. */
  read(component: ReadComponent): CalendarAlarm | undefined {
    const single = new Map<string, ReadProperty>();
    const attendees: CalendarAttendee[] = [];
    const attachments: CalendarAttachment[] = [];
    const extraProperties: RawProperty[] = [];
    for (const property of component.properties) {
      if (SINGLE.has(property.name)) {
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
    const trigger = triggerProperty && this.trigger(triggerProperty);
    if (!trigger) {
      this.warnings.warn('invalid-alarm', 'an alarm without a valid TRIGGER is left out', triggerProperty);
      return undefined;
    }
    const count = parseInteger(single.get('repeat')?.value ?? '', 1, 2_147_483_647);
    const every = parseDuration(single.get('duration')?.value ?? '');
    const everyMs = every ? every.days * DAY_MS + every.ms : 0;
    const acknowledged = single.get('acknowledged');
    const acknowledgedAt = acknowledged && this.times.read(acknowledged, acknowledged.value);
    return {
      action: single.get('action')?.value.trim().toUpperCase() ?? 'DISPLAY',
      trigger,
      description: single.get('description')?.value,
      summary: single.get('summary')?.value,
      uid: single.get('uid')?.value,
      repeat: count !== undefined && everyMs > 0 ? { count, everyMs } : undefined,
      acknowledgedMs:
        acknowledgedAt && acknowledgedAt.kind !== 'date' ? this.times.toInstant(acknowledgedAt) : undefined,
      attendees,
      attachments,
      extraProperties,
    };
  }

  private trigger(property: ReadProperty): AlarmTrigger | undefined {
    const duration = parseDuration(property.value);
    if (duration) {
      const related = parameterText(property.raw[1], 'related')?.toUpperCase();
      return {
        kind: 'relative',
        relatedTo: related === 'END' ? 'END' : 'START',
        offsetMs: duration.days * DAY_MS + duration.ms,
      };
    }
    const time = this.times.read(withType(property, 'date-time'), property.value);
    return time && time.kind !== 'date' ? { kind: 'absolute', atMs: this.times.toInstant(time) } : undefined;
  }
}
