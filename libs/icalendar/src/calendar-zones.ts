import { resolveTimeZone } from '@groupware/recurrence';
import type { ReadComponent } from './component';
import type { ItemWarningCode } from './imported-item';
import { ZoneDefinition } from './zone-definition';

/** The zone a TZID stands for. */
export interface ResolvedZone {
  /** IANA name, `GMT+08:00` or `UTC`. */
  readonly timeZone: string;
  /** Set when it is only the best there was. */
  readonly warning?: Extract<ItemWarningCode, 'unknown-time-zone' | 'time-zone-fixed'>;
}

/**
 * Time zones behind the TZIDs of one calendar. A name that is known as such wins over the VTIMEZONE of the same name: those in
 * files are often outdated or cut down. A VTIMEZONE whose name says nothing is compared with the known zones.
 */
export class CalendarZones {
  private readonly defined = new Map<string, ZoneDefinition>();
  private readonly found = new Map<string, ResolvedZone | undefined>();

  constructor(
    readonly defaultTimeZone: string,
    private readonly maxTimeZones: number,
  ) {}

  /** Takes in a VTIMEZONE; gives its TZID as {@link CalendarZones.key}. The first of several definitions counts. */
  define(component: ReadComponent): string | undefined {
    const tzid = component.properties.find(({ name }) => name === 'tzid')?.value;
    if (tzid === undefined) return undefined;
    const key = this.key(tzid);
    if (!this.defined.has(key) && this.defined.size < this.maxTimeZones && resolveTimeZone(key) === undefined) {
      this.defined.set(key, ZoneDefinition.read(component));
    }
    return key;
  }

  /** The form in which TZIDs are compared. */
  key(tzid: string): string {
    return tzid.trim().replace(/^"(.*)"$/, '$1');
  }

  /** Whether nothing that follows in the file can tell more about a TZID. */
  isKnown(tzid: string): boolean {
    const key = this.key(tzid);
    return this.defined.has(key) || resolveTimeZone(key) !== undefined;
  }

  /** The zone of a TZID; `localMs` is a time at which it is needed. `undefined` for an empty TZID without VTIMEZONE. */
  resolve(tzid: string, localMs: number): ResolvedZone | undefined {
    const key = this.key(tzid);
    const named = resolveTimeZone(key);
    if (named !== undefined) return { timeZone: named };
    const definition = this.defined.get(key);
    if (!definition) return key === '' ? undefined : { timeZone: this.defaultTimeZone, warning: 'unknown-time-zone' };
    // One answer per file, so that the events of a TZID stay together; only offsets are looked up for each event.
    if (!this.found.has(key)) this.found.set(key, this.match(definition, localMs));
    return this.found.get(key) ?? this.offsetOf(definition, localMs);
  }

  private match(definition: ZoneDefinition, localMs: number): ResolvedZone | undefined {
    if (definition.location !== undefined) return { timeZone: definition.location };
    const zone = definition.findZone(localMs, this.defaultTimeZone);
    if (zone !== undefined) return { timeZone: zone };
    const single = definition.singleOffset();
    const fixed = single === undefined ? undefined : fixedZone(single);
    return fixed === undefined ? undefined : { timeZone: fixed };
  }

  private offsetOf(definition: ZoneDefinition, localMs: number): ResolvedZone {
    const offset = definition.offsetAtLocal(localMs);
    const fixed = offset === undefined ? undefined : fixedZone(offset);
    return fixed === undefined
      ? { timeZone: this.defaultTimeZone, warning: 'unknown-time-zone' }
      : { timeZone: fixed, warning: 'time-zone-fixed' };
  }
}

function fixedZone(offsetMs: number): string | undefined {
  if (offsetMs % 60_000 !== 0) return undefined;
  const minutes = Math.abs(offsetMs) / 60_000;
  const two = (value: number) => String(value).padStart(2, '0');
  return resolveTimeZone(`GMT${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`);
}
