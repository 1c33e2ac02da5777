import type { CalendarTime, CalendarTodo } from './calendar-event';
import type { ReadComponent, ReadProperty } from './component';
import { type ComponentContext, ComponentReader } from './component-reader';
import { ItemFailure } from './item-failure';
import { RecurrenceReader } from './recurrence-reader';
import { parseTime } from './values';

const STATUSES = ['NEEDS-ACTION', 'IN-PROCESS', 'COMPLETED', 'CANCELLED'] as const;

/** Builds the task of a VTODO. Throws {@link ItemFailure}. */
export function readTodo(component: ReadComponent, context: ComponentContext): CalendarTodo {
  return new TodoReader(component, context).read();
}

class TodoReader extends ComponentReader {
  constructor(component: ReadComponent, context: ComponentContext) {
    // Several programs say more of the state in a parameter of STATUS.
    super(component, context, { due: true, status: true, completed: false, 'percent-complete': false });
  }

  read(): CalendarTodo {
    const start = this.readTime('dtstart', 'invalid-start');
    const duration = this.single.get('duration');
    const due = this.readTime('due', 'invalid-end') ?? (start && duration && this.addDuration(start, duration));
    const isDuration = due && duration && !this.single.has('due');
    if (duration && !isDuration)
      this.warnings.warn('duplicate-property', 'DURATION counts beside DTSTART and without DUE only', duration);
    const recurrence = new RecurrenceReader(this.times, this.warnings);
    const rrule = recurrence.rule(this.single.get('rrule'));
    const from = start ?? due;
    return {
      ...this.readCommon(),
      start,
      due,
      ...(isDuration && { duration: duration.value.trim().toUpperCase() }),
      rrule,
      rdates: from ? this.readRdates(recurrence, from, rrule !== undefined) : [],
      exdates: from ? recurrence.exdates(this.exdateProperties, from) : [],
      status: this.readStatus(STATUSES),
      percentComplete: this.integer('percent-complete', 0, 100),
      completedMs: this.readCompleted(),
    };
  }

  private readTime(name: string, reason: 'invalid-start' | 'invalid-end'): CalendarTime | undefined {
    const property = this.single.get(name);
    if (!property) return undefined;
    const time = this.times.read(property, property.value);
    if (!time) throw new ItemFailure(reason, `${name.toUpperCase()} is not a time`, property.line);
    return time;
  }

  /** An instant; several programs write the day alone. */
  private readCompleted(): number | undefined {
    const property = this.single.get('completed');
    const day = property && parseTime(property.value);
    return day?.kind === 'date' ? day.localMs : this.times.instant(property);
  }

  /** Periods have no end that a task could have: their starts count. */
  private readRdates(recurrence: RecurrenceReader, from: CalendarTime, isRuled: boolean): readonly number[] {
    const properties: readonly ReadProperty[] = this.rdateProperties;
    return recurrence.rdates(properties, from, from, isRuled).rdates;
  }
}
