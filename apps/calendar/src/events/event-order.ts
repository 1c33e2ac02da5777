import type { EventField } from '@groupware/contracts';
import type { ZoneOffsets } from '@groupware/recurrence';
import { collatorOf } from '@groupware/service-kit';
import type { EventSurroundings } from './event-wire';
import { requireEventField, toEvent, toView } from './event-wire';
import type { ShownEvent } from './event-expansion';

/** Order of a list of events. */
export interface EventOrder {
  readonly field: EventField;
  readonly descending: boolean;
}

/** The order that a request asks for: by start unless it says otherwise. An unknown field is SVL-0010. */
export const parseEventOrder = ({ sort, order }: { readonly sort?: string; readonly order?: string }): EventOrder => ({
  field: sort === undefined ? 'startDate' : requireEventField('sort', sort),
  descending: order?.toLowerCase() === 'desc',
});

/** Facts about the request by which events are sorted. */
export interface OrderContext {
  readonly zone: ZoneOffsets;
  readonly locale: string;
  readonly userId: number;
  readonly known: EventSurroundings;
}

/** Puts events in order; those with the same value by start, then by id. */
export function sortEvents(
  shown: readonly ShownEvent[],
  { field, descending }: EventOrder,
  context: OrderContext,
): ShownEvent[] {
  const { zone, locale } = context;
  const instant = (ms: number, floating: boolean): number => (floating ? zone.localToInstant(ms) : ms);
  const keyed = shown.map((each) => {
    const { event, occurrence } = each;
    const start = instant(occurrence?.startMs ?? event.startMs, event.floating);
    return { each, start, key: field === 'startDate' ? start : keyOf(each, field, context, instant) };
  });
  const direction = descending ? -1 : 1;
  const compare = (a: number | string, b: number | string): number =>
    typeof a === 'number' && typeof b === 'number' ? a - b : collatorOf(locale).compare(String(a), String(b));
  keyed.sort((a, b) => direction * compare(a.key, b.key) || a.start - b.start || a.each.event.id - b.each.event.id);
  return keyed.map(({ each }) => each);
}

/** The sort key of an event: instants of times, else the shown value. */
function keyOf(
  { event, occurrence }: ShownEvent,
  field: EventField,
  { userId, known }: OrderContext,
  instant: (ms: number, floating: boolean) => number,
): number | string {
  if (field === 'endDate') return instant(occurrence?.endMs ?? event.endMs, event.floating);
  if (field === 'id' || field === 'seriesId') return field === 'id' ? event.id : (event.seriesId ?? 0);
  const value = toEvent(event, toView(event, userId, occurrence), [field], known)[field];
  if (typeof value === 'number' || typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}
