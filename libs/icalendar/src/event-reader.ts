import type { CalendarEvent, CalendarTime } from './calendar-event';
import type { ReadComponent, ReadProperty } from './component';
import { type ComponentContext, ComponentReader, hasField } from './component-reader';
import { ItemFailure } from './item-failure';
import { RecurrenceReader } from './recurrence-reader';
import { DAY_MS } from './values';

const STATUSES = ['TENTATIVE', 'CONFIRMED', 'CANCELLED'] as const;

/** Properties that VEVENT alone has, and whether their parameters are kept. */
const OWN_FIELDS: Readonly<Record<string, boolean>> = { dtend: true, transp: false };

/** Whether a property of a VEVENT, by its lower-case name, has a field of {@link CalendarEvent} and is none of its `extraProperties`. */
export const isFieldOfEvent = (name: string): boolean => hasField(name) || Object.hasOwn(OWN_FIELDS, name);

/** Builds the event of a VEVENT. Throws {@link ItemFailure}. */
export function readEvent(component: ReadComponent, context: ComponentContext): CalendarEvent {
  return new EventReader(component, context).read();
}

class EventReader extends ComponentReader {
  constructor(
    component: ReadComponent,
    private readonly context: ComponentContext,
  ) {
    super(component, context, OWN_FIELDS);
  }

  read(): CalendarEvent {
    const start = this.readStart();
    const end = this.single.has('dtstart') ? this.readEnd(start) : this.defaultEnd(start);
    const recurrence = new RecurrenceReader(this.times, this.warnings);
    const rrule = recurrence.rule(this.single.get('rrule'));
    const { rdates, rdatePeriods } = recurrence.rdates(this.rdateProperties, start, end, rrule !== undefined);
    return {
      ...this.readCommon(),
      start,
      end,
      rrule,
      rdates,
      rdatePeriods,
      exdates: recurrence.exdates(this.exdateProperties, start),
      transparency: this.text('transp')?.toUpperCase() === 'TRANSPARENT' ? 'TRANSPARENT' : 'OPAQUE',
      status: this.readStatus(STATUSES),
    };
  }

  private readStart(): CalendarTime {
    const property = this.single.get('dtstart') ?? this.findSubstitute();
    if (!property) throw new ItemFailure('missing-start', 'DTSTART is missing');
    const start = this.times.read(property, property.value);
    if (!start) throw new ItemFailure('invalid-start', 'DTSTART is not a time', property.line);
    return start;
  }

  /** The property in the place of a DTSTART that is not needed. */
  private findSubstitute(): ReadProperty | undefined {
    if (!this.context.startOptional) return undefined;
    return this.single.get('recurrence-id') ?? this.single.get('dtstamp');
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
    const end = this.addDuration(start, property);
    return start.kind === 'date' && end.localMs === start.localMs ? this.defaultEnd(start) : end;
  }

  private defaultEnd(start: CalendarTime): CalendarTime {
    return start.kind === 'date' ? { kind: 'date', localMs: start.localMs + DAY_MS } : start;
  }
}
