import type { ZoneOffsets } from '@groupware/recurrence';
import type { Range } from '../domain/range';
import { parseInstant } from './event-time';

/** A range as clients of events give it; both ends or none. */
export interface EventRangeText {
  readonly rangeStart?: string;
  readonly rangeEnd?: string;
}

/** The range between two instants; days and floating times are those of a zone. */
const toEventRange = (fromMs: number, toMs: number, zone: ZoneOffsets): Range => ({
  fromMs,
  toMs,
  localFromMs: zone.instantToLocal(fromMs),
  localToMs: zone.instantToLocal(toMs),
  mode: 'overlap',
});

/** The range of a request; undefined unless both ends are given. SVL-0010 for what is no time. */
export function parseEventRange({ rangeStart, rangeEnd }: EventRangeText, zone: ZoneOffsets): Range | undefined {
  const from = rangeStart === undefined ? undefined : parseInstant('rangeStart', rangeStart);
  const to = rangeEnd === undefined ? undefined : parseInstant('rangeEnd', rangeEnd);
  return from === undefined || to === undefined ? undefined : toEventRange(from, to, zone);
}
