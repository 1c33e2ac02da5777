import type { BusyType } from '@groupware/contracts';

/** A period of one busy type, ms UTC; the end is exclusive. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
  readonly type: BusyType;
  /** Its appointment, where that was asked for. */
  readonly appointmentId?: number;
}

/** Busy types by `shown_as` of appointments. */
const TYPES_BY_SHOWN_AS: Readonly<Record<number, BusyType>> = {
  1: 'BUSY',
  2: 'BUSY-TENTATIVE',
  3: 'BUSY-UNAVAILABLE',
  4: 'FREE',
};

/** Converts `shown_as` (1 reserved, 2 temporary, 3 absent, 4 free) to a busy type. */
const toBusyType = (shownAs: number): BusyType => TYPES_BY_SHOWN_AS[shownAs] ?? 'BUSY';

/** Converts a busy type to `shown_as`. */
export const toShownAs = (type: BusyType): number =>
  Number(Object.keys(TYPES_BY_SHOWN_AS).find((key) => TYPES_BY_SHOWN_AS[Number(key)] === type));

/** Compares periods by start and end. */
export const compareByTime = (left: Period, right: Period): number =>
  left.startMs - right.startMs || left.endMs - right.endMs;

/** Converts a flat list of start (ms after an instant), length (ms), shown_as, and id of identified ones, to periods. */
export function toPeriods(flat: readonly number[], fromMs: number, identified = false): Period[] {
  const periods: Period[] = [];
  const size = identified ? 4 : 3;
  for (let index = 0; index < flat.length; index += size) {
    const startMs = fromMs + flat[index]!;
    const period = { startMs, endMs: startMs + flat[index + 1]!, type: toBusyType(flat[index + 2]!) };
    periods.push(identified ? { ...period, appointmentId: flat[index + 3] } : period);
  }
  return periods;
}
