import { ZoneOffsets } from '@groupware/recurrence';
import type { CalendarTime } from './calendar-event';
import type { CalendarZones } from './calendar-zones';
import type { ReadProperty } from './component';
import type { ItemWarnings } from './item-warnings';
import { DAY_MS, parseTime } from './values';

/** Zones that times depend on. */
export interface TimeContext {
  readonly zones: CalendarZones;
  /** Zone of floating times where an instant is needed. */
  readonly floatingTimeZone: string;
}

/** Reads the times of one component. */
export class EventTimes {
  constructor(
    private readonly context: TimeContext,
    private readonly warnings: ItemWarnings,
  ) {}

  /** A value of a property that may be DATE or DATE-TIME. */
  read(property: ReadProperty, text: string): CalendarTime | undefined {
    const written = parseTime(text);
    if (!written) return undefined;
    const type = property.raw[2];
    const { localMs } = written;
    if (written.kind === 'date') {
      if (type !== 'date') this.warnings.warn('date-repaired', 'a day without VALUE=DATE', property);
      return { kind: 'date', localMs };
    }
    if (type === 'date') {
      this.warnings.warn('date-repaired', 'a time with VALUE=DATE', property);
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
      this.warnings.warn(zone.warning, `time zone ${tzid.slice(0, 100)}: ${what}, ${zone.timeZone}`, property, tzid);
    }
    const originalTzid = tzid === zone.timeZone ? undefined : tzid;
    return zone.timeZone === 'UTC'
      ? { kind: 'utc', localMs, originalTzid }
      : { kind: 'zoned', localMs, timeZone: zone.timeZone, originalTzid };
  }

  /** The instant of a time, ms UTC. */
  toInstant(time: CalendarTime): number {
    return ZoneOffsets.forZone(this.zoneOf(time)).localToInstant(time.localMs);
  }

  /** Converts a time to local ms of the zone of floating times. */
  floatingAt(time: CalendarTime): number {
    return ZoneOffsets.forZone(this.context.floatingTimeZone).instantToLocal(this.toInstant(time));
  }

  /** The zone whose clock shows the time. */
  zoneOf(time: CalendarTime): string {
    if (time.kind === 'utc') return 'UTC';
    return time.timeZone ?? this.context.floatingTimeZone;
  }

  /** A time as the clock of the series shows it. */
  inSeriesClock(time: CalendarTime, start: CalendarTime, property: ReadProperty): number {
    const dayOf = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;
    if ((time.kind === 'date') !== (start.kind === 'date')) {
      this.warnings.warn('date-repaired', 'one of DTSTART and this property is a day, the other a time', property);
      return dayOf(time.localMs) + (start.kind === 'date' ? 0 : start.localMs - dayOf(start.localMs));
    }
    if (time.kind === 'floating' || time.kind === 'date') return time.localMs;
    const zone = this.zoneOf(start);
    return this.zoneOf(time) === zone ? time.localMs : ZoneOffsets.forZone(zone).instantToLocal(this.toInstant(time));
  }

  /** Instant of a property that should be UTC. */
  instant(property: ReadProperty | undefined): number | undefined {
    if (!property) return undefined;
    const written = parseTime(property.value);
    const time =
      written && written.kind !== 'date' ? this.read(withType(property, 'date-time'), property.value) : undefined;
    if (time) return this.toInstant(time);
    this.warnings.warn('invalid-value', `${property.name} is not a time`, property);
    return undefined;
  }
}

/** The property as if it had another value type. */
export function withType(property: ReadProperty, type: string): ReadProperty {
  const [name, parameters, , ...values] = property.raw;
  return { ...property, raw: [name, parameters, type, ...values] };
}
