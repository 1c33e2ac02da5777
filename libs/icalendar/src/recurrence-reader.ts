import { parseRule, RecurrenceError } from '@groupware/recurrence';
import type { CalendarEvent, CalendarTime, RecurrencePeriod } from './calendar-event';
import type { ReadProperty } from './component';
import { withType, type EventTimes } from './event-times';
import { ItemFailure } from './item-failure';
import type { ItemWarnings } from './item-warnings';
import { DAY_MS, FIRST_MS, LAST_MS, parseDuration } from './values';

/** Reads RRULE, RDATE and EXDATE. Times are those that the clock of the series shows. */
export class RecurrenceReader {
  constructor(
    private readonly times: EventTimes,
    private readonly warnings: ItemWarnings,
  ) {}

  /** The rule in its usual form. Throws {@link ItemFailure}. */
  rule(property: ReadProperty | undefined): string | undefined {
    if (!property) return undefined;
    try {
      parseRule(property.value);
      return property.value.toUpperCase().replace(/\s+|^\s*RRULE:|;\s*$/g, '');
    } catch (error) {
      if (!(error instanceof RecurrenceError)) throw error;
      throw new ItemFailure('invalid-rrule', error.message.slice(0, 300), property.line);
    }
  }

  /** Start times added to the rule, and those among them whose length differs. */
  rdates(
    properties: readonly ReadProperty[],
    start: CalendarTime,
    end: CalendarTime,
    ruled: boolean,
  ): Pick<CalendarEvent, 'rdates' | 'rdatePeriods'> {
    const rdates = new Set<number>();
    const periods = new Map<number, RecurrencePeriod>();
    const ownLength =
      start.kind === 'date' ? end.localMs - start.localMs : this.times.toInstant(end) - this.times.toInstant(start);
    for (const property of properties) {
      if (property.raw[2] === 'time') {
        this.warnings.warn('invalid-rdate', 'RDATE with VALUE=TIME does not exist', property);
        continue;
      }
      for (const text of property.raw.slice(3) as string[]) {
        if (text.trim() === '') continue;
        const [from = '', to] = text.split('/');
        // A period is always written with times, so its type says nothing about the start.
        const first = this.times.read(to === undefined ? property : withType(property, 'date-time'), from);
        const durationMs = first && to !== undefined ? this.periodLength(property, first, to) : undefined;
        if (!first || (to !== undefined && durationMs === undefined)) {
          this.warnings.warn('invalid-rdate', `not a time: ${text.slice(0, 60)}`, property);
          continue;
        }
        const localMs = this.times.inSeriesClock(first, start, property);
        if (localMs < FIRST_MS || localMs > LAST_MS) continue;
        // The start itself only adds something when the rule might leave it out.
        if (localMs === start.localMs && !ruled && (durationMs === undefined || durationMs === ownLength)) continue;
        rdates.add(localMs);
        if (durationMs !== undefined && durationMs !== ownLength) {
          this.warnings.warn(
            'period-length-differs',
            'an RDATE period has another length than the event',
            property,
            '',
          );
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
    const end = duration ? undefined : this.times.read(withType(property, 'date-time'), to);
    const length = duration
      ? duration.days * DAY_MS + duration.ms
      : end && (end.kind === 'date') === (first.kind === 'date')
        ? this.times.toInstant(end) - this.times.toInstant(first)
        : -1;
    return length > 0 ? length : undefined;
  }

  /** Start times taken from the series. */
  exdates(properties: readonly ReadProperty[], start: CalendarTime): readonly number[] {
    const exdates = new Set<number>();
    for (const property of properties) {
      for (const text of property.raw.slice(3) as string[]) {
        if (text.trim() === '') continue;
        const time = this.times.read(property, text);
        if (!time) {
          this.warnings.warn('invalid-exdate', `not a time: ${text.slice(0, 60)}`, property);
          continue;
        }
        const localMs = this.times.inSeriesClock(time, start, property);
        if (localMs >= FIRST_MS && localMs <= LAST_MS) exdates.add(localMs);
      }
    }
    return [...exdates].sort(ascending);
  }
}

function ascending(a: number, b: number): number {
  return a - b;
}
