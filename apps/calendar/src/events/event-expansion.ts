import { CalendarErrors } from '@groupware/contracts';
import { type ExpansionBudget, occurrencesBetween, type Occurrence, RecurrenceError } from '@groupware/recurrence';
import { isTurnOver, Logger, yieldToEventLoop } from '@groupware/service-kit';
import { isSeries } from '../domain/appointment';
import { isInRange, type Range } from '../domain/range';
import { seriesOf } from '../domain/series';
import type { SeenEvent } from '../persistence/event.repository';

const log = Logger.for('calendar.events');

/** An event, or one occurrence of it, in an answer. */
export interface ShownEvent {
  readonly event: SeenEvent;
  readonly occurrence?: Occurrence;
}

/** How series are shown. */
export interface EventExpansion {
  /** Without a range everything is shown, series as a whole. */
  readonly range: Range | undefined;
  /** Occurrences instead of series. */
  readonly expand: boolean;
  /** CAL-5072 beyond so many events. */
  readonly limit: number;
  readonly budget: ExpansionBudget;
}

/** Selects events that lie in the range: series as occurrences, or as a whole where one of them does. */
export async function expandEvents(events: readonly SeenEvent[], view: EventExpansion): Promise<ShownEvent[]> {
  const shown: ShownEvent[] = [];
  for (const event of events) {
    if (isTurnOver()) await yieldToEventLoop();
    if (!isSeries(event) || !view.range) {
      if (!view.range || isInRange(view.range, event.startMs, event.endMs, event.floating)) shown.push({ event });
    } else {
      const occurrences = occurrencesOf(event, view.range, view);
      if (!view.expand) {
        if (occurrences.length > 0) shown.push({ event });
      } else for (const occurrence of occurrences) shown.push({ event, occurrence });
    }
    if (view.budget.isSpent) throw CalendarErrors.tooMany(view.budget.maxSteps);
    if (shown.length > view.limit) throw CalendarErrors.tooMany(view.limit);
  }
  return shown;
}

function occurrencesOf(event: SeenEvent, range: Range, { expand, limit, budget }: EventExpansion): Occurrence[] {
  const { floating } = event;
  const [from, to] = floating ? [range.localFromMs, range.localToMs] : [range.fromMs, range.toMs];
  try {
    return budget.spend((steps) =>
      occurrencesBetween(seriesOf(event), from, to, { positions: expand, limit: expand ? limit + 2 : 1, steps }),
    );
  } catch (error) {
    // One hostile rule must not hide the rest of the calendar.
    if (!(error instanceof RecurrenceError)) throw error;
    log.warn({ appointment: event.id, reason: error.message }, 'series left out');
    return [];
  }
}
